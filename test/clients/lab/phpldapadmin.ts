import { Client } from 'ldapts';
import { type Browser, openBrowser, type Page } from './browse.ts';
import type { Step } from './journey.ts';
import { servePhpLdapAdmin } from './php-site.ts';

/** What a page says last is what it is about; the tree stands before it. */
const tailLength = 700;
const holds = (truth: boolean, what: string) => {
  if (!truth) throw new Error(what);
};

/** What the page must say, in the words that a reader sees. */
function says(page: Page, ...words: readonly string[]): void {
  for (const word of words) holds(page.text.includes(word), `the page does not say “${word}”: ${page.text.slice(-tailLength)}`);
}

/**
 * A person's way through phpLDAPadmin, by its pages and forms. What they do is looked up in the directory by another client.
 *
 * @param php          PHP's interpreter
 * @param environment  where the directory is, as for the programs
 */
export async function runPhpLdapAdmin(php: string, environment: Readonly<Record<string, string>>): Promise<Step[]> {
  const of = (name: string) => environment[`LAB_${name}`] ?? '';
  const url = `ldap://${of('HOST')}:${of('PORT')}`;
  const steps: Step[] = [];
  const step = async (name: string, act: () => Promise<void>) => {
    try {
      await act();
      steps.push({ name, outcome: 'passed', why: '' });
    } catch (error) {
      steps.push({ name, outcome: 'failed', why: error instanceof Error ? error.message : String(error) });
    }
  };
  await using site = await servePhpLdapAdmin(php, url);
  const directory = new Client({ url });
  await directory.bind(of('ADMIN'), of('ADMIN_PASSWORD'));
  const lab = `ou=lab,${of('SUFFIX')}`;
  await directory.add(`ou=phpldapadmin,${lab}`, { objectClass: ['organizationalUnit'], ou: 'phpldapadmin' });
  const visit: Visit = {
    browser: openBrowser(site.url),
    suffix: of('SUFFIX'),
    space: `ou=phpldapadmin,${lab}`,
    read: async (dn) => (await directory.search(dn, { scope: 'base', filter: '(objectClass=*)' })).searchEntries[0] ?? {},
    exists: async (dn) => (await directory.search(lab, { filter: `(entryDN=${dn})`, attributes: ['1.1'] })).searchEntries.length === 1,
  };
  try {
    await step('logs in, and not with a wrong password', () => logIn(visit, of('ADMIN'), of('ADMIN_PASSWORD')));
    for (const [name, act] of Object.entries(acts)) await step(name, () => act(visit));
    await step('PHP has nothing to complain about', async () => {
      const complaints = site.said().match(/PHP (?:Warning|Notice|Fatal error|Parse error):.*/g) ?? [];
      holds(complaints.length === 0, complaints.join(' '));
    });
  } finally {
    await directory.unbind();
  }
  return steps;
}

interface Visit {
  readonly browser: Browser;
  readonly suffix: string;
  readonly space: string;
  /** An entry as another client sees it. */
  read(dn: string): Promise<Readonly<Record<string, unknown>>>;
  exists(dn: string): Promise<boolean>;
}

const command = (cmd: string, more: Readonly<Record<string, string>> = {}) =>
  `cmd.php?${new URLSearchParams({ cmd, server_id: '1', ...more }).toString()}`;

function formOf(page: Page, cmd?: string) {
  const form = page.forms.find(({ fields }) => cmd === undefined || fields.some(([name, value]) => name === 'cmd' && value === cmd));
  if (form === undefined) throw new Error(`the page has no form for ${cmd ?? 'anything'}: ${page.text.slice(-tailLength)}`);
  return form;
}

async function logIn({ browser }: Visit, administrator: string, password: string): Promise<void> {
  const ask = async (login_pass: string) => {
    const form = formOf(await browser.get(command('login_form')), 'login');
    return browser.send(form, { login: administrator, login_pass });
  };
  says(await ask('wrong'), 'Failed to Authenticate to server');
  says(await ask(password), 'Successfully logged into server', 'Logged in as');
}

/** What is done behind the log-in, in this order. */
const acts: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
  'shows the tree': async ({ browser, suffix }) => {
    says(await browser.get(command('expand', { dn: suffix })), 'people (50+)', 'ou = lab');
    says(await browser.get(command('expand', { dn: `ou=lab,${suffix}` })), 'ou = row (25)');
    says(await browser.get(command('expand', { dn: `ou=row,ou=lab,${suffix}` })), 'uid = lab01', 'uid = lab25');
  },
  'shows the schema': async ({ browser }) => {
    says(await browser.get(command('schema', { view: 'objectclasses' })), 'inetOrgPerson OID: 2.16.840.1.113730.3.2.2');
    const uidNumber = await browser.get(command('schema', { view: 'attributes', viewvalue: 'uidnumber' }));
    says(uidNumber, 'uidNumber', '1.3.6.1.4.1.1466.115.121.1.27', 'integerMatch', 'posixAccount');
    says(await browser.get(command('schema', { view: 'syntaxes' })), '1.3.6.1.4.1.1466.115.121.1.15');
    says(await browser.get(command('schema', { view: 'matching_rules' })), 'caseIgnoreMatch', '2.5.13.2');
  },
  'shows what the server says of itself': async ({ browser, suffix }) => {
    says(await browser.get(command('server_info')), 'namingContexts', suffix, 'subschemaSubentry', 'Who Am I?');
  },
  'creates an entry': async ({ browser, space, exists, read }) => {
    const start = await browser.get(command('template_engine', { container: space, template: 'none' }));
    const blank = await browser.send(formOf(start), { container: space }, { 'new_values[objectclass][]': 'inetOrgPerson' });
    const filled = {
      'new_values[cn][0]': 'Zoë Müller',
      'new_values[sn][0]': 'Müller',
      'new_values[uid][0]': 'zoe',
      'rdn_attribute[]': 'uid',
    };
    const asked = await browser.send(formOf(blank, 'create_confirm'), filled);
    says(asked, 'Do you want to create this entry?', 'Zoë Müller');
    says(await browser.send(formOf(asked, 'create'), {}), 'Creation successful');
    holds(await exists(`uid=zoe,${space}`), 'the entry is not there');
    const { cn, sn } = await read(`uid=zoe,${space}`);
    holds(cn === 'Zoë Müller' && sn === 'Müller', `the entry is otherwise: ${cn}, ${sn}`);
  },
  'edits an entry': async ({ browser, space, read }) => {
    const dn = `uid=zoe,${space}`;
    const entry = await browser.get(command('template_engine', { dn }));
    const asked = await browser.send(formOf(entry, 'update_confirm'), { 'new_values[cn][0]': 'Zoë (“Zo”) Großmann' });
    says(asked, 'Do you want to make these changes?', 'Zoë Müller', 'Zoë (“Zo”) Großmann');
    says(await browser.send(formOf(asked, 'update'), {}), 'modified');
    const { cn } = await read(dn);
    holds(cn === 'Zoë (“Zo”) Großmann', `cn is ${cn}`);
  },
  'refuses an edit in the directory’s words': async ({ browser, space, read }) => {
    const entry = await browser.get(command('template_engine', { dn: `uid=zoe,${space}` }));
    const asked = await browser.send(
      formOf(entry, 'update_confirm'),
      { 'new_values[uid][0]': 'zoe' },
      { 'new_values[manager][0]': 'no name' },
    );
    const refused = await browser.send(formOf(asked, 'update'), {});
    says(refused, 'Could not perform ldap_modify operation', 'LDAP_INVALID_SYNTAX');
    holds((await read(`uid=zoe,${space}`))['manager'] === undefined, 'the manager was taken');
  },
  'renames an entry': async ({ browser, space, exists }) => {
    const form = formOf(await browser.get(command('rename_form', { dn: `uid=zoe,${space}` })));
    const done = await browser.send(form, { new_rdn: 'uid=zoe.müller' });
    holds(await exists(`uid=zoe.müller,${space}`), `the entry is not there under its new name: ${done.text.slice(-tailLength)}`);
  },
  'shows operational attributes': async ({ browser, space }) => {
    const page = await browser.get(command('template_engine', { dn: `uid=zoe.müller,${space}`, show_internal_attrs: 'true' }));
    says(page, 'entryUUID', 'createTimestamp', 'modifiersName');
  },
  searches: async ({ browser, suffix }) => {
    const asked = {
      query: 'none',
      scope: 'sub',
      base: suffix,
      display_attrs: 'cn, mail',
      orderby: 'sn',
      size_limit: '50',
      search: 'Search',
    };
    const umlauts = await browser.get(command('query_engine', { ...asked, filter: '(cn=JÜRGEN M*LL*R)' }));
    says(umlauts, 'Entries found: 1', 'juergen.mueller@example.com');
    says(await browser.get(command('query_engine', { ...asked, filter: '(uid=lab2*)' })), 'Entries found: 6');
  },
  'exports LDIF': async ({ browser, suffix }) => {
    const form = formOf(await browser.get(command('export_form', { dn: `ou=row,ou=lab,${suffix}`, scope: 'sub' })), 'export');
    const { text, html } = await browser.send(form, {});
    holds((html.match(/^dn: /gm) ?? text.match(/dn: uid=/g) ?? []).length === 26, `not 26 entries: ${text.slice(0, 800)}`);
    holds(/uid: lab25/.test(html) && /sn: Reihe 01/.test(html), 'values are missing');
  },
  'imports LDIF': async ({ browser, space, read }) => {
    // Records that change something are beyond it: its reader of them breaks in PHP 8.2, whatever the directory.
    const person = (uid: string) =>
      `dn: uid=${uid},${space}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn:: SsO8cmdlbg==\nsn: I\nmail: ${uid}@x.example\nmail: ${uid}@y.example\n`;
    const form = formOf(await browser.get(command('import_form')), 'import');
    const done = await browser.send(form, { ldif: ['version: 1\n', person('imported'), person('second')].join('\n') });
    says(done, `Adding uid=imported,${space} Success`, `Adding uid=second,${space} Success`);
    const { cn, mail } = await read(`uid=imported,${space}`);
    holds(cn === 'Jürgen' && String(mail) === 'imported@x.example,imported@y.example', `it holds ${cn}, ${String(mail)}`);
  },
  'copies an entry': async ({ browser, space, exists }) => {
    const form = formOf(await browser.get(command('copy_form', { dn: `uid=imported,${space}` })), 'copy');
    const copy = formOf(await browser.send(form, { dn_dst: `uid=copied,${space}` }), 'create_confirm');
    // It lets no two entries have one address.
    const asked = await browser.send(copy, { 'new_values[mail][0]': 'copied@x.example', 'new_values[mail][1]': 'copied@y.example' });
    await browser.send(formOf(asked, 'create'), {});
    holds(await exists(`uid=copied,${space}`), 'there is no copy');
  },
  'deletes an entry, and a tree': async ({ browser, space, exists }) => {
    const one = formOf(await browser.get(command('delete_form', { dn: `uid=imported,${space}` })), 'delete');
    says(await browser.send(one, {}), 'deleted');
    holds(!(await exists(`uid=imported,${space}`)), 'the entry is still there');
    const all = formOf(await browser.get(command('delete_form', { dn: space })), 'rdelete');
    await browser.send(all, {});
    holds(!(await exists(space)), 'the tree is still there');
  },
  'logs out': async ({ browser }) => {
    says(await browser.get(command('logout')), 'Successfully logged out of server');
  },
};
