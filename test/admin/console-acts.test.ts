import test from 'ava';
import { Client } from 'ldapts';
import { setAttribute } from '../flows/mailed.ts';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { cookieOf, hiddenOf, openScreen, submit } from '../flows/raw.ts';
import { runInShell } from '../support/shells.ts';
import { openConsoleHouse } from './console-house.ts';

// What is counted is counted over all threads.
const house = await openConsoleHouse({ STS_LDAP_WORKERS: '1' });
const { atrium, base, reader, writer, get, send, signIn } = house;
const { suffix } = atrium;
test.after.always(() => house[Symbol.asyncDispose]());

/** What a page says, without its marks. */
const said = (body: string) =>
  body
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** A command of a page's "The same from the command line". */
function commandOf(body: string, tool: string): string {
  const [, text = ''] = new RegExp(`<h3>${tool}</h3><pre[^>]*><code>([\\s\\S]*?)</code>`).exec(body) ?? [];
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const uuidOf = async (dn: string) =>
  asAdministrator(atrium, async (client) => {
    const { searchEntries } = await client.search(dn, { scope: 'base', attributes: ['entryUUID'] });
    return String(searchEntries[0]?.['entryUUID']);
  });

test('what destroys names its consequences with counts: sessions, app passwords and groups of a person', async (t) => {
  const person = await addPerson(atrium, 'counted', 'Coun Ted');
  for (let nth = 0; nth < 3; nth++) await signIn(person);
  await asAdministrator(atrium, (client) =>
    client.add(`cn=counting,ou=groups,${suffix}`, { objectClass: ['groupOfNames'], cn: 'counting', member: person.dn }),
  );
  await send(
    '/admin/do/users.create-app-password?user=counted',
    { user: 'counted', settled: 'user', name: 'a program', scopes: 'ldap' },
    writer,
  );
  const page = async (name: string) => said((await get(`/admin/do/${name}?user=counted&thing=counted`, writer)).body);
  const disable = await page('users.disable');
  t.regex(disable, /3 sessions end/);
  t.regex(disable, /1 app password lets nobody in any more/);
  t.false(disable.includes('loses them as a member'));
  t.regex(await page('users.end-sessions'), /3 sessions end/);
  t.regex(await page('users.delete'), /3 sessions end.*1 app password.*1 group loses them as a member/);
  t.regex(await page('users.clear-totp'), /Nothing of it is open or in use now/);
  await send('/admin/do/users.end-sessions?user=counted', { user: 'counted', settled: 'user', thing: 'counted' }, writer);
  t.notRegex(await page('users.disable'), /sessions? ends?/);
});

test('what destroys names its consequences with counts: LDAP connections of a person, and those by an app password', async (t) => {
  const person = await addPerson(atrium, 'bound', 'Bo Und');
  const form = { user: 'bound', settled: 'user', name: 'a program', scopes: 'ldap' };
  const made = said((await send('/admin/do/users.create-app-password?user=bound', form, writer)).body);
  const value = /\b[A-Z2-9]{4}(?:-[A-Z2-9]{4})+\b/.exec(made)?.[0] ?? '';
  const page = async (name: string, more = '') => said((await get(`/admin/do/${name}?thing=bound&${more || 'user=bound'}`, writer)).body);
  t.notRegex(await page('users.disable'), /\d LDAP connections? ends?\b/);
  const clients = Array.from({ length: 3 }, () => new Client({ url: atrium.addresses.ldap ?? '' }));
  t.teardown(() => Promise.all(clients.map((client) => client.unbind())));
  for (const [nth, client] of clients.entries()) await client.bind(person.dn, nth === 0 ? value : person.password);
  for (const name of ['users.disable', 'users.delete', 'users.issue-password-reset'])
    t.regex(await page(name), /3 LDAP connections end\b/, name);
  t.regex(await page('entries.delete', `dn=${encodeURIComponent(person.dn)}`), /3 LDAP connections end\b/);
  t.regex(await page('users.revoke-app-password'), /1 LDAP connection ends\b/);
  t.notRegex(await page('users.end-sessions'), /\d LDAP connections? ends?\b/, 'these stay');
});

test('what destroys names its consequences with counts: members of a group, entries below an entry, people of a realm', async (t) => {
  const people = [await addPerson(atrium, 'one-of-them', 'One Of'), await addPerson(atrium, 'two-of-them', 'Two Of')];
  const dn = `cn=them,ou=groups,${suffix}`;
  await asAdministrator(atrium, async (client) => {
    await client.add(dn, { objectClass: ['groupOfNames'], cn: 'them', member: people.map((person) => person.dn) });
    await client.add(`cn=above them,ou=groups,${suffix}`, { objectClass: ['groupOfNames'], cn: 'above them', member: dn });
  });
  const group = said((await get(`/admin/do/groups.delete?group=them&thing=them`, writer)).body);
  t.regex(group, /2 members have no more what it gave.*1 group loses it as a member/);
  const entry = said((await get(`/admin/do/entries.delete?dn=${encodeURIComponent(`ou=groups,${suffix}`)}&thing=groups`, writer)).body);
  t.regex(entry, /\d+ entries stand below it: it is refused until they are gone/);
  t.is((await send('/admin/do/realms.create', { id: 'counted' }, writer)).status, 200);
  const realm = said((await get('/admin/do/realms.remove?id=counted&thing=counted', writer)).body);
  t.regex(realm, /1 person is deleted.*2 groups are deleted/);
});

test('what destroys names its consequences with counts: LDAP connections of a realm, in all threads, and of no other', async (t) => {
  t.is((await send('/admin/do/realms.create', { id: 'wired' }, writer)).status, 200);
  const password = 'Correct-horse-9-battery';
  const dns = ['ann', 'bob'].map((uid) => `uid=${uid},ou=people,o=wired`);
  await asAdministrator(atrium, async (client) => {
    for (const dn of dns) await client.add(dn, { objectClass: 'inetOrgPerson', cn: 'Wired', sn: 'Wired', userPassword: password });
  });
  const page = async () => said((await get('/admin/do/realms.remove?id=wired&thing=wired', writer)).body);
  t.notRegex(await page(), /\d LDAP connections? ends?\b/);
  const elsewhere = await addPerson(atrium, 'elsewhere', 'Else Where');
  const clients = Array.from({ length: 8 }, () => new Client({ url: atrium.addresses.ldap ?? '' }));
  t.teardown(() => Promise.all(clients.map((client) => client.unbind())));
  for (const [nth, client] of clients.entries()) {
    if (nth === 7) await client.bind(elsewhere.dn, elsewhere.password);
    else await client.bind(dns[nth % 2] ?? '', password);
  }
  t.regex(await page(), /\b7 LDAP connections end\b/);
});

test('what would end with a realm is told in the default realm alone: an administrator of another learns nothing of it', async (t) => {
  const password = 'Correct-horse-9-battery';
  const signInAt = async (id: string) => {
    t.is((await send('/admin/do/realms.create', { id }, writer)).status, 200);
    const [dn, entry] = [
      `uid=bea,ou=people,o=${id}`,
      { objectClass: 'inetOrgPerson', uid: 'bea', cn: 'Bea', sn: 'Bea', userPassword: password },
    ];
    await asAdministrator(atrium, (client) => client.add(dn, entry));
    const answer = await submit(base, await openScreen(base, `/realm/${id}/portal`), 'bea', password);
    await setAttribute(atrium, `cn=Admin Write,ou=groups,o=${id}`, 'member', [dn]);
    return { sts_session: cookieOf(answer, 'sts_session') ?? '' };
  };
  await signInAt('far');
  const bea = await signInAt('near');
  const path = '/admin/do/realms.remove?id=far&thing=far';
  t.regex(said((await get(path, writer)).body), /1 session ends/);
  const { status, body } = await get(`/realm/near${path}`, bea);
  t.is(status, 200);
  t.notRegex(said(body), /sessions? ends?/);
});

test('how many there are in a list is told to each by what they may see, also where it was counted for another a moment ago', async (t) => {
  const above = `ou=applications,${suffix}`;
  await asAdministrator(atrium, async (client) => {
    const add = (name: string, objectClass: string) => client.add(`${name},${above}`, { objectClass, [name.slice(0, 2)]: name.slice(3) });
    await Promise.all(Array.from({ length: 60 }, (_, nth) => add(`cn=many ${nth}`, 'stsApplication')));
    await Promise.all(Array.from({ length: 2000 }, (_, nth) => add(`ou=${nth}`, 'organizationalUnit')));
    await client.add(`cn=uncounted,ou=accessRules,${suffix}`, {
      ...{ objectClass: 'stsAccessRule', cn: 'uncounted', stsRuleOrder: '20', stsRuleEffect: 'deny', stsRuleRight: 'read' },
      ...{ stsRuleWho: `dn:uid=looks,ou=people,${suffix}`, stsRuleAttribute: 'numSubordinates' },
    });
  });
  t.regex(said((await get('/admin/applications', writer)).body), /1 to 50 of 2,0\d\d/);
  t.regex(said((await get('/admin/applications', reader)).body), /1 to 50 of 51/);
});

test('what destroys names its consequences with counts: token sets of an application, tokens of a set', async (t) => {
  const secret = 'Machines-talk-here-1';
  await asAdministrator(atrium, (client) =>
    client.add(`cn=Machine,ou=applications,${suffix}`, {
      ...{ objectClass: ['stsApplication', 'stsOAuthClient', 'simpleSecurityObject'], cn: 'Machine', stsClientId: 'machine' },
      ...{ stsGrantType: 'client_credentials', userPassword: secret },
    }),
  );
  for (let nth = 0; nth < 2; nth++) {
    const authorization = `Basic ${Buffer.from(`machine:${secret}`).toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    t.is((await fetch(`${base}/oauth2/token`, { method: 'POST', headers: { authorization }, body })).status, 200);
  }
  const page = async () => said((await get('/admin/do/applications.delete?application=machine&thing=Machine', writer)).body);
  t.regex(await page(), /2 token sets are revoked/);
  const { sets } = JSON.parse((await get('/admin/tokens?format=json&application=machine', reader)).body) as { sets: { setKey: string }[] };
  const setKey = sets[0]?.setKey ?? '';
  t.regex(said((await get(`/admin/do/tokens.revoke?setKey=${setKey}`, writer)).body), /1 token in force is refused/);
  t.is((await send('/admin/do/tokens.revoke', { setKey, settled: 'setKey', back: '/admin/tokens' }, writer)).status, 303);
  t.regex(await page(), /1 token set is revoked/);
});

test('the details of a deed have the ldapmodify that does the same: ldap-utils take it as it stands', async (t) => {
  const person = await addPerson(atrium, 'twinned', 'Twin Ned');
  const id = await uuidOf(person.dn);
  const { body } = await get(`/admin/do/users.disable?user=${id}&thing=twinned`, writer);
  const command = commandOf(body, 'ldapmodify');
  t.regex(command, /changetype: modify\nreplace: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z\n-\nLDIF$/);
  const asOperator = command.replace(/-W -D '[^']*'/, `-w ${atrium.adminPassword} -D '${atrium.adminDn}'`);
  const ran = await runInShell(['sh', '-c', asOperator], { PATH: process.env['PATH'] }, '');
  t.is(ran.status, 0, ran.stderr);
  t.regex((await get(`/admin/users/${id}`, reader)).body, /class="state bad">disabled</);
  t.is(atrium.audit.filter(({ action, subject }) => action === 'admin.users.disable' && subject.includes('twinned')).length, 0);

  const rename = `/admin/do/entries.rename?dn=${encodeURIComponent(person.dn)}&in.newRdn=${encodeURIComponent('uid=renamed')}`;
  t.regex(commandOf((await get(rename, writer)).body, 'ldapmodify'), /changetype: modrdn\nnewrdn: uid=renamed\ndeleteoldrdn: 1\n/);
  const form = (await get('/admin/do/users.create', writer)).body;
  t.regex(commandOf(form, 'ldapmodify'), /changetype: add\n[\s\S]*uid: UID\n/);
  t.is(form.match(/<p>Add a person\.<\/p>/), null, 'what the heading says is not said again');
  t.regex(commandOf((await get(`/admin/do/users.set-password?user=${id}`, writer)).body, 'ldappasswd'), /'uid=twinned,/);
  t.regex(commandOf((await get('/admin/do/keys.rotate', writer)).body, 'ldapexop'), /\.6\.101::[A-Za-z0-9+/]+=*$/);
  t.is((await get(`/admin/users/${id}`, reader)).status, 200, 'nothing was renamed, made or rotated by showing it');
});

test('a page that reads has the ldapsearch that reads the same', async (t) => {
  for (const path of ['/admin/access-rules', '/admin/authorization-servers', '/admin/keys', '/admin/mfa', '/admin/policies']) {
    const { body } = await get(path, reader);
    t.regex(commandOf(body, 'ldapsearch'), /^ldapsearch -H ldap:\/\/\S+ -x -W -D 'uid=looks,/, path);
    t.regex(commandOf(body, 'curl'), /admin-api/, path);
  }
});

test('specification document 2, STS-KEYS: an emergency rotation is done with the word compromised alone, and says what falls', async (t) => {
  const published = async () =>
    ((await (await fetch(`${base}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  const before = await published();
  const page = await get('/admin/keys/emergency', writer);
  t.regex(said(page.body), /ID tokens.*are refused.*2 keys are taken back.*Sessions and refresh tokens stay/);
  for (const confirm of ['', 'Compromised', 'compromised!']) {
    const answer = await send('/admin/keys/emergency', { confirm }, writer);
    t.is(answer.status, 422, confirm);
    t.regex(answer.body, /This is not the word. Nothing was rotated/);
  }
  t.deepEqual(await published(), before);
  t.is((await get('/admin/keys/emergency', reader)).status, 403);
  t.false((await get('/admin/keys', reader)).body.includes('/admin/keys/emergency'));
  t.true((await get('/admin/keys', writer)).body.includes('/admin/keys/emergency'));
  t.false((await get('/admin/do/keys.rotate', writer)).body.includes('name="confirm"'), 'the usual rotation asks for no word');
  const done = await send('/admin/keys/emergency', { confirm: 'compromised' }, writer);
  t.is(done.status, 303);
  t.is(done.location, '/admin/keys?done=keys.rotate');
  const after = await published();
  t.true(after.length >= 2 && after.every((kid) => !before.includes(kid)));
});

test('document 2, "Named authorization servers": each stands with addresses that answer, and with the applications that use it', async (t) => {
  await asAdministrator(atrium, async (client) => {
    const common = { objectClass: ['stsApplication', 'stsOAuthClient'], stsRedirectUri: 'https://rp.example/back' };
    await client.add(`cn=Shop,ou=applications,${suffix}`, { ...common, cn: 'Shop', stsClientId: 'shop', stsServer: ['trade'] });
    await client.add(`cn=Wiki,ou=applications,${suffix}`, { ...common, cn: 'Wiki', stsClientId: 'wiki' });
  });
  t.is((await send('/admin/do/realms.create', { id: 'other' }, writer)).status, 200);
  const answer = await get('/admin/authorization-servers?format=json', reader);
  const { servers } = JSON.parse(answer.body) as {
    servers: {
      issuer: string;
      name: string;
      realm: string;
      discovery: string[];
      jwks: string;
      conformance: { address: string }[];
      applications: { name: string }[];
    }[];
  };
  const of = (realm: string, name: string) => servers.find((each) => each.realm === realm && each.name === name);
  t.deepEqual(
    of('default', 'trade')?.applications.map(({ name }) => name),
    ['Shop'],
  );
  t.true(of('default', '')?.applications.some(({ name }) => name === 'Wiki'));
  for (const { issuer, discovery, jwks, conformance } of [of('default', ''), of('default', 'trade'), of('other', '')].filter(
    (each) => each !== undefined,
  )) {
    t.true(discovery.length >= 2, issuer);
    for (const address of discovery) t.is(((await (await fetch(address)).json()) as { issuer: string }).issuer, issuer, address);
    for (const address of [jwks, ...conformance.map((each) => each.address)]) t.is((await fetch(address)).status, 200, address);
  }
  const page = await get('/admin/authorization-servers', reader);
  t.regex(said(page.body), /This realm’s own.*trade.*Realm other/);
  const inOther = await get('/realm/other/admin/authorization-servers?format=json', reader);
  t.not(inOther.status, 200, 'a session of one realm opens nothing in another');
});

test('rules of access are read, added, changed and deleted; what the directory refuses stands at its field', async (t) => {
  const victim = await addPerson(atrium, 'ruled', 'Ru Led');
  const list = '/admin/access-rules';
  t.regex((await get(list, reader)).body, /The directory tells the built-in rules to those who manage the realm/);
  t.false((await get(list, reader)).body.includes('/admin/do/'));
  t.regex((await get(list, writer)).body, /Built-in rules/);
  const rule = {
    name: 'no phones',
    order: '10',
    effect: 'deny',
    who: `dn:${victim.dn}`,
    target: `children:ou=people,${suffix}`,
    attributes: 'telephoneNumber',
    back: list,
  };
  const rights = 'read';
  const wrong = await send('/admin/do/access.create', { ...rule, who: 'everybody', rights }, writer);
  t.is(wrong.status, 422);
  t.regex(wrong.body, /id="field-who-fault"[^>]*>[^<]*everybody/);
  t.is((await send('/admin/do/access.create', { ...rule, order: '-1', rights }, writer)).status, 422);
  t.is((await send('/admin/do/access.create', { ...rule, rights }, writer)).location, `${list}?done=access.create`);
  const shown = await get(list, writer);
  t.regex(said(shown.body), /no phones 10 deny dn:uid=ruled/);

  const explain = async () => {
    const query = new URLSearchParams({ as: 'ruled', entry: `uid=looks,ou=people,${suffix}`, attribute: 'telephoneNumber', right: 'read' });
    return said((await get(`${list}/explain?${query}`, writer)).body);
  };
  t.regex(await explain(), /read telephoneNumber no rule/);

  const change = /href="(\/admin\/do\/access\.change[^"]*)"/.exec(shown.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const page = await get(change, writer);
  t.regex(page.body, /telephoneNumber<\/textarea>/, 'what it says stands in the form');
  t.regex(commandOf(page.body, 'curl'), /"order":10,.*"who":\["dn:uid=ruled,.*"rights":\["read"\]/, 'as the management API takes it');
  t.regex(commandOf(page.body, 'ldapmodify'), /replace: stsRuleFilter\n-\n/, 'what it does not say is taken away');
  const dn = `cn=no phones,ou=accessRules,${suffix}`;
  const fields = { ...rule, rule: dn, settled: 'rule', etag: hiddenOf(page, 'etag'), csrf: hiddenOf(page, 'csrf') };
  const changed = await house.post(change, { ...fields, effect: 'allow', rights }, writer);
  t.is(changed.status, 303);
  t.regex(await explain(), /read telephoneNumber yes rule/);
  t.is((await house.post(change, { ...fields, rights }, writer)).status, 412, 'a change that somebody else has overtaken is refused');

  const remove = `/admin/do/access.delete?rule=${encodeURIComponent(dn)}&thing=${encodeURIComponent('no phones')}`;
  const removed = { rule: dn, settled: 'rule', thing: 'no phones', back: list };
  t.is((await send(remove, { ...removed, confirmThing: 'no' }, writer)).status, 422);
  t.is((await send(remove, { ...removed, confirmThing: 'no phones' }, writer)).status, 303);
  t.false((await get(list, writer)).body.includes('no phones'));
  t.is((await get('/admin/do/access.create', reader)).status, 403);

  await asAdministrator(atrium, (client) =>
    client.add(`cn=two rights,ou=accessRules,${suffix}`, {
      ...{ objectClass: 'stsAccessRule', cn: 'two rights', stsRuleOrder: '11', stsRuleEffect: 'deny', stsRuleRight: ['read', 'search'] },
      ...{ stsRuleWho: [`dn:${victim.dn}`, `dn:${suffix}`], stsRuleAttribute: 'telephoneNumber' },
    }),
  );
  const way = /href="(\/admin\/do\/access\.change[^"]*)"/.exec((await get(list, writer)).body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const form = await get(way, writer);
  t.is(form.status, 200);
  t.regex(commandOf(form.body, 'ldapmodify'), /replace: stsRuleRight\nstsRuleRight: read\nstsRuleRight: search\n/);
  t.regex(form.body, /value="search" checked/);

  // What no address can carry is changed as an entry.
  const target = Array.from({ length: 60 }, (_, nth) => `entry:uid=somebody-${nth},ou=people,${suffix}`).join('\n');
  t.is((await send('/admin/do/access.create', { ...rule, name: 'long', target, rights }, writer)).status, 303);
  const edit = `/admin/directory/edit?${new URLSearchParams({ dn: `cn=long,ou=accessRules,${suffix}` })}`;
  t.true((await get(list, writer)).body.includes(edit));
  t.regex((await get(edit, writer)).body, /somebody-59/);
});

test('the entry editor shows what the schema requires and allows, and at its field what the directory refuses', async (t) => {
  const person = await addPerson(atrium, 'edited', 'Ed Ited');
  const fresh = await get(`/admin/directory/new?${new URLSearchParams({ dn: `ou=people,${suffix}`, class: 'inetOrgPerson' })}`, writer);
  const field = (body: string, name: string) => new RegExp(`<(?:input|textarea)[^>]*name="a\\.${name}"[^>]*>`).exec(body)?.[0] ?? '';
  for (const name of ['cn', 'sn']) t.regex(field(fresh.body, name), / required/, name);
  for (const name of ['mail', 'title', 'jpegphoto'])
    t.true(field(fresh.body, name) !== '' && !/ required/.test(field(fresh.body, name)), name);
  t.regex(commandOf(fresh.body, 'ldapmodify'), /changetype: add\nobjectClass: inetOrgPerson\n/);
  t.is(field(fresh.body, 'stsruleorder'), '', 'what the class does not allow has no field');

  const path = `/admin/directory/edit?${new URLSearchParams({ dn: person.dn })}`;
  const page = await get(path, writer);
  t.regex(commandOf(page.body, 'ldapmodify'), /dn: uid=edited,[^\n]*\nchangetype: modify\nreplace: description\n/);
  const common = { etag: hiddenOf(page, 'etag'), csrf: hiddenOf(page, 'csrf') };
  const wrong = await house.post(path, { ...common, 'a.manager': 'no name', 'a.title': 'Kept' }, writer);
  t.is(wrong.status, 422);
  t.regex(wrong.body, /id="field-a-manager-fault"[^>]*>[^<]+</);
  t.regex(field(wrong.body, 'manager'), /aria-invalid="true"/);
  t.regex(wrong.body, />\s*Kept<\/textarea>/, 'what was typed stands in the form again');
  const without = await house.post(path, { ...common, 'a.sn': '' }, writer);
  t.is(without.status, 422);
  t.regex(without.body, /role="alert"/);
  t.is((await house.post(path, { ...common, 'a.title': 'Engineer' }, writer)).status, 303);
  t.is(
    (await house.post(path, { ...common, 'a.title': 'Other' }, writer)).status,
    412,
    'a change that somebody else has overtaken is refused',
  );
  t.regex((await get(`/admin/directory?${new URLSearchParams({ dn: person.dn })}`, reader)).body, /Engineer/);
  t.is((await get(path, reader)).status, 403);
});
