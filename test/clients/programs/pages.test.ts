import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import { parseFilter } from '#ldap';
import { settings } from '../../../src/settings.ts';
import { errorRows } from '../../../src/tables.ts';
import { withLdapUtils } from '../../support/ldap-utils.ts';
import { connectRaw, type RawClient } from '../../support/raw-ldap.ts';
import { packagesOf, pageNames, pagesFolder, readPage, stepsOf } from './page.ts';
import { programs } from './programs.ts';
import type { Recorded } from './relay.ts';
import { memberLdif, startWorld, suffix, type World } from './world.ts';

const textOf = (name: string) => readFileSync(join(pagesFolder, `${name}.md`), 'utf8');
const rows = Object.entries(programs);

test('docs/clients: every page has a program that is run for real, every program a page, and the index names each', (t) => {
  t.deepEqual(rows.map(([, { pages }]) => pages.at(-1)).toSorted(), pageNames());
  const index = textOf('README');
  for (const name of pageNames()) t.true(index.includes(`](${name}.md)`), name);
});

test('docs/clients: every block of a page says what it is, and each page installs, writes a file and adds what it needs to the directory', (t) => {
  for (const name of pageNames()) {
    const steps = readPage(name);
    t.true(packagesOf(steps).length > 0, name);
    for (const kind of ['commands', 'entries', 'file'] as const)
      t.true(
        steps.some((step) => step.kind === kind),
        `${name}: ${kind}`,
      );
    t.regex(textOf(name), /^## Try it$/m);
    t.regex(textOf(name), /^## What to know$/m);
  }
});

test('docs/running.md: every block of it says what it is, for `npm run test:running`', (t) => {
  const steps = stepsOf(join(import.meta.dirname, '..', '..', '..', 'docs', 'running.md'));
  const files = steps.flatMap((step) => (step.kind === 'file' ? [step.path] : []));
  const service = ['/etc/atrium/env', '/etc/systemd/system/atrium.service', '/usr/local/bin/atrium'];
  t.deepEqual(files, [...service, '/etc/atrium/env', '/etc/nginx/conf.d/atrium.conf', '/etc/letsencrypt/renewal-hooks/deploy/atrium']);
  t.true(steps.some((step) => step.kind === 'commands' && step.text.includes('systemctl enable --now atrium')));
});

test('docs/clients: every setting and every code that a page names is a row', (t) => {
  const codes = new Set<string>(errorRows.map(({ code }) => code));
  for (const name of ['README', ...pageNames()]) {
    for (const [, setting = ''] of textOf(name).matchAll(/`((?:security|ldap|authn|appPasswords|global)\.[a-z]\w+)`/g))
      t.true(setting in settings, `${name}: ${setting}`);
    for (const [code] of textOf(name).matchAll(/STS-[A-Z]+-\d{4}/g)) t.true(codes.has(code), `${name}: ${code}`);
  }
});

withLdapUtils(test)(
  'docs/clients/README.md: where a realm asks everybody for two factors, the account of a program signs in with an app password',
  async (t) => {
    await using world = await startWorld(['0', '0']);
    for (const page of ['README', 'dovecot']) {
      for (const step of readPage(page)) if (step.kind === 'entries') await world.change(step.text);
    }
    const name = `uid=mail,ou=services,${suffix}`;
    const bind = async (password: string) =>
      (await replay(world, { as: '', controls: [], code: 0, bind: { name, password } }, new Map())).code;
    t.is(await bind('Looks-up-mailboxes-1'), 0);
    await world.change(
      `dn: cn=default,ou=authnPolicies,${suffix}\nobjectClass: stsAuthnPolicy\ncn: default\nstsRequireSecondFactor: always\n`,
    );
    t.is(await bind('Looks-up-mailboxes-1'), 49);
    const { value } = await world.appPasswordOf(name, 'looking people up', 'ldap');
    t.is(await bind(value), 0);
  },
);

for (const [name, { pages, group }] of rows.filter(([name]) => existsSync(recordedFile(name)))) {
  withLdapUtils(test)(
    `docs/clients/${pages.at(-1)}.md: what the program asks is answered as it was when the program was there`,
    async (t) => {
      await using world = await startWorld(['0', '0']);
      for (const page of ['README', ...pages]) {
        for (const step of readPage(page)) if (step.kind === 'entries') await world.change(step.text);
      }
      await world.change(memberLdif('add', `cn=${group},ou=groups,${suffix}`, 'grace', 'kurt', 'emmy'));
      const recorded = readRecorded(name);
      t.true(recorded.some(({ bind, code }) => bind !== undefined && code === 0));
      t.true(recorded.some(({ bind, code }) => bind !== undefined && code === 49));
      const passwords = new Map(
        recorded.flatMap(({ bind, code }) => (bind === undefined || code !== 0 ? [] : [[bind.name, bind.password]])),
      );
      for (const each of recorded) {
        t.deepEqual(await replay(world, each, passwords), { code: each.code, entries: each.entries ?? [] }, JSON.stringify(each));
      }
    },
  );
}

function recordedFile(name: string): string {
  return join(import.meta.dirname, 'recorded', `${name}.jsonl`);
}

function readRecorded(name: string): Recorded[] {
  const lines = readFileSync(recordedFile(name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Asks on a connection of its own, signed in as the program was. */
async function replay(world: World, asked: Recorded, passwords: ReadonlyMap<string, string>) {
  const client = await connectRaw({ port: Number(new URL(world.atrium.addresses.ldap ?? '').port), host: '127.0.0.1' });
  try {
    const password = passwords.get(asked.as);
    if (asked.as !== '') await exchange(client, { as: '', controls: [], code: 0, bind: { name: asked.as, password: password ?? '' } });
    return await exchange(client, asked);
  } finally {
    client.socket.destroy();
  }
}

async function exchange(client: RawClient, { bind, search, compare }: Recorded) {
  if (bind !== undefined) {
    client.send(1, { kind: 'bindRequest', version: 3, name: bind.name, authentication: { kind: 'simple', password: utf8(bind.password) } });
  } else if (compare !== undefined) client.send(1, { kind: 'compareRequest', ...compare, value: utf8(compare.value) });
  else if (search !== undefined) {
    const parsed = parseFilter(search.filter, { depthMax: 50 });
    if (parsed.kind !== 'filter') throw new Error(`no filter: ${search.filter}`);
    client.send(1, { kind: 'searchRequest', ...search, filter: parsed.filter, timeLimitS: 0, typesOnly: false });
  }
  const entries: string[] = [];
  for (;;) {
    const op = (await client.next())?.op;
    if (op === undefined) throw new Error('the server hung up');
    if (op.kind === 'searchResultEntry') entries.push(op.object);
    else if ('result' in op) return { code: op.result.code, entries: entries.toSorted() };
  }
}
