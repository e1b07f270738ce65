import test, { type ExecutionContext } from 'ava';
import { setAttribute } from '../flows/mailed.ts';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { hiddenOf } from '../flows/raw.ts';
import { go, type Jar } from '../oauth/house.ts';
import { createApp } from '../support/app.ts';
import { type ConsoleHouse, openConsoleHouse } from './console-house.ts';

const house = await openConsoleHouse();
const { atrium, get, signIn } = house;
const { suffix } = atrium;
test.after.always(() => house[Symbol.asyncDispose]());

const asAdded = ({ searchEntries }: { readonly searchEntries: readonly unknown[] }) => searchEntries.length;

/** Six minutes after somebody has signed in. */
async function openLater(t: ExecutionContext): Promise<ConsoleHouse> {
  let nowMs = Date.now();
  const later = await openConsoleHouse({}, { nowMs: () => nowMs });
  t.teardown(() => later[Symbol.asyncDispose]());
  nowMs += 301_000;
  return later;
}

const isAsked = ({ status, location }: { readonly status: number; readonly location: string }) =>
  status === 302 && location.startsWith('/authn/login?authn=');

test('rules of access, by their own page or as entries, are changed after a sign-in of the last minutes alone', async (t) => {
  let nowMs = Date.now();
  const later = await openConsoleHouse({}, { nowMs: () => nowMs });
  t.teardown(() => later[Symbol.asyncDispose]());
  const rules = `ou=accessRules,${later.atrium.suffix}`;
  const [entry, people] = [`cn=one,${rules}`, `ou=people,${later.atrium.suffix}`].map((dn) => new URLSearchParams({ dn }).toString());
  const asks = [
    ...['/admin/do/access.create', `/admin/do/access.change?rule=${rules}`, `/admin/do/access.delete?rule=${rules}`],
    ...['delete', 'change', 'rename'].map((verb) => `/admin/do/entries.${verb}?${entry}`),
    ...[`/admin/directory/edit?${entry}`, `/admin/directory/new?${new URLSearchParams({ dn: rules, class: 'stsAccessRule' })}`],
  ];
  const csrf = hiddenOf(await later.get('/admin/do/entries.create', later.writer), 'csrf');
  for (const target of asks) t.false(isAsked(await later.get(target, later.writer)), target);
  nowMs += 301_000;
  for (const target of asks) {
    t.true(isAsked(await later.get(target, later.writer)), target);
    t.true(isAsked(await later.post(target, { csrf, dn: `cn=one,${rules}` }, later.writer)), target);
  }
  const spelled = { csrf, dn: `cn=one,OU = AccessRules,${later.atrium.suffix}`, attributes: '{}' };
  t.true(
    isAsked(await later.post('/admin/do/entries.create', spelled, later.writer)),
    'what is posted counts, not only what was asked for',
  );
  for (const more of [
    { newSuperior: rules },
    { newRdn: 'ou=accessRules' },
    { dn: `cn=one,ou=\uFF21ccess\\C2\\ADRules,${later.atrium.suffix}` },
  ])
    t.true(
      isAsked(await later.post('/admin/do/entries.rename', { csrf, dn: `cn=one,${people}`, ...more }, later.writer)),
      `${Object.values(more)}: however it is spelled`,
    );
  for (const target of ['/admin/access-rules', `/admin/directory/new?${people}`, '/admin/do/entries.create'])
    t.is((await later.get(target, later.writer)).status, 200, `${target}: as before`);
});

test('LDIF may hold rules of access and passwords: it is imported after a sign-in of the last minutes alone; a dry run writes nothing, and takes none', async (t) => {
  const later = await openLater(t);
  const { atrium: own, writer } = later;
  const path = '/admin/do/ldif.import';
  const name = 'cn=by file,ou=accessRules';
  const rule = `dn: ${name},${own.suffix}\nobjectClass: stsAccessRule\ncn: by file\nstsRuleOrder: 1\nstsRuleEffect: allow\nstsRuleWho: anonymous\nstsRuleRight: read\n`;
  t.true(isAsked(await later.get(path, writer)), 'before anything is pasted');
  t.true(isAsked(await later.get('/admin/do/ldif.import?in.dryRun=true', writer)));
  const csrf = hiddenOf(await later.get('/admin/do/entries.create', writer), 'csrf');
  const tried = await later.post(path, { csrf, dryRun: 'true', bodyText: rule }, writer);
  t.is(tried.status, 200);
  t.regex(tried.body, /This was a dry run/);
  for (const more of [{}, { continue: 'true' }]) {
    const kept = await later.post(`${path}?dryRun=true&back=/admin/ldif`, { csrf, bodyText: rule, ...more }, writer);
    t.is(kept.status, 403, 'nothing is done');
    t.regex(kept.body, /Nothing was done yet[\s\S]*cn: by file[\s\S]*<\/textarea>/, 'what was pasted stands in the form');
  }
  const explorer = await later.get('/admin/api-explorer/ldif.import', writer);
  t.regex(explorer.location, /^\/admin\/do\/ldif\.import/, 'the API explorer leads to the same form');
  const { searchEntries } = await asAdministrator(own, (client) => client.search(own.suffix, { filter: '(cn=by file)' }));
  t.is(searchEntries.length, 0);
  const { uid, password } = later.writerIs;
  const waiting = await later.post(`${path}?back=/admin/ldif`, { csrf, bodyText: rule }, writer);
  const way = /href="(\/authn\/login\?authn=[^"]*)" target="_blank"/.exec(waiting.body)?.[1] ?? '';
  const jar: Jar = { ...writer };
  const screen = await go(later.base, way, jar);
  const offered = await go(later.base, way, jar, { csrf: hiddenOf(screen, 'csrf'), username: uid, password });
  const offer = await go(later.base, offered.location, jar);
  const done = await go(later.base, offered.location, jar, { csrf: hiddenOf(offer, 'csrf'), choice: 'ignore' });
  t.regex(done.location, /\/admin\/ldif\?done=sign-in/);
  const renewed = { sts_session: jar['sts_session'] ?? '' };
  t.regex((await later.get(done.location, renewed)).body, /You have signed in again/);
  t.is(asAdded(await asAdministrator(own, (client) => client.search(own.suffix, { filter: '(cn=by file)' }))), 0, 'nothing runs by itself');
  const sent = await later.post(path, { csrf: hiddenOf(waiting, 'csrf'), bodyText: rule }, renewed);
  t.is(sent.status, 200, 'the form of before is sent as it stood');
  t.is(asAdded(await asAdministrator(own, (client) => client.search(own.suffix, { filter: '(cn=by file)' }))), 1);
  await asAdministrator(own, (client) => client.del(`${name},${own.suffix}`));
  const again = { ...later, writer: await later.signIn(await addPerson(own, 'again', 'A Gain')) };
  await asAdministrator(own, (client) =>
    client.add(`cn=again,ou=groups,${own.suffix}`, {
      ...{
        objectClass: ['groupOfNames', 'stsRoleGroup'],
        cn: 'again',
        stsRole: 'Admin Write',
        member: `uid=again,ou=people,${own.suffix}`,
      },
    }),
  );
  t.is((await again.send(path, { bodyText: rule }, again.writer)).status, 200, 'who has just signed in imports it');
  t.is((await asAdministrator(own, (client) => client.search(own.suffix, { filter: '(cn=by file)' }))).searchEntries.length, 1);
});

test('what people sign in with is changed after a sign-in of the last minutes alone, also as an attribute of an entry or of a person', async (t) => {
  const later = await openLater(t);
  const { atrium: own, writer } = later;
  const { dn } = await addPerson(own, 'held', 'He Ld');
  const edit = `/admin/directory/edit?${new URLSearchParams({ dn })}`;
  const page = await later.get(edit, writer);
  t.is(page.status, 200, 'to see the form takes no more than before');
  const fields = { csrf: hiddenOf(page, 'csrf'), etag: hiddenOf(page, 'etag') };
  t.true(isAsked(await later.post(edit, { ...fields, 'a.userpassword': 'Another-Engine-1844' }, writer)));
  for (const attributes of ['{"userPassword":["x"]}', '{"2.5.4.35":["x"]}', '{"USERPASSWORD;lang-en":["x"]}', '{"stsMfaRequired":[]}']) {
    t.true(isAsked(await later.post('/admin/do/entries.change', { ...fields, dn, attributes }, writer)), attributes);
    t.true(isAsked(await later.post('/admin/do/users.change', { ...fields, user: 'held', attributes }, writer)), attributes);
  }
  t.is((await later.post(edit, { ...fields, 'a.title': 'Engineer' }, writer)).status, 303, 'anything else is changed as before');
});

test('all-factors: two of who holds an app or a security key, one of anybody else: a mailed second factor asks for no second one here', async (t) => {
  // It is the app and the security key that a session has to show: whether a code can be mailed is for the realm's policy to say.
  const [mailed, held] = [await addPerson(atrium, 'mailed', 'Mai Led'), await addPerson(atrium, 'held', 'He Ld')];
  const [byMail, byApp] = [await signIn(mailed), await signIn(held)];
  await asAdministrator(atrium, (client) =>
    client.add(`cn=fresh,ou=groups,${suffix}`, {
      ...{ objectClass: ['groupOfNames', 'stsRoleGroup'], cn: 'fresh', stsRole: 'Admin Write', member: [mailed.dn, held.dn] },
    }),
  );
  await setAttribute(atrium, mailed.dn, 'stsEmailFactor', ['TRUE']);
  await setAttribute(atrium, mailed.dn, 'stsVerifiedMail', ['mailed@example.com']);
  const deed = '/admin/do/users.set-password?user=mailed';
  t.is((await get(deed, byMail)).status, 200);
  t.is((await get(deed, byApp)).status, 200);
  await setAttribute(atrium, held.dn, 'stsTotpCredential', [createApp().credential]);
  const asked = await get(deed, byApp);
  t.is(asked.status, 302, 'who holds an app is asked for it, though they signed in a moment ago');
  t.regex(asked.location, /^\/authn\/login\?authn=/);
  t.is((await get('/admin/users', byApp)).status, 200, 'to look takes no more than before');
});
