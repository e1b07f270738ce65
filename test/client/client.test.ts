import test from 'ava';
import { text, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { allOf, anyOf, attributesOf, ClientRefusal, clientErrors, connectDirectory, equals, present } from '#client';
import { admin, adminPassword, person, suffix } from '../directory/driver.ts';
import { openWebLayer } from '../support/web-layer.ts';

test('the web layer reads an entry, with text, octets and names in any case', async (t) => {
  const { client } = await openWebLayer(t);
  const entry = await client.as('self').read(person('ada'), ['*', '+']);
  t.is(entry?.dn, person('ada'));
  t.is(entry?.one('MAIL'), 'ada@example.com');
  t.deepEqual(entry?.all('cn'), ['Ada Lovelace', 'Ada King']);
  t.is(entry?.one('cn;lang-fr'), 'Ada la Première');
  t.deepEqual(entry?.octets('sn').map(text), ['Lovelace']);
  t.regex(entry?.one('entryUUID') ?? '', /^[0-9a-f-]{36}$/);
  t.false(entry?.has('userPassword'));
  t.is(entry?.one('pager'), undefined);
});

test('an entry that is not there is undefined; a search below it is a refusal with its code', async (t) => {
  const { client } = await openWebLayer(t);
  t.is(await client.as('self').read(person('nobody')), undefined);
  const search = { base: person('nobody'), scope: 'sub', filter: present('objectClass') } as const;
  const refusal = await t.throwsAsync(client.as('self').search(search), { instanceOf: ClientRefusal });
  t.is(refusal?.code, 32);
});

test('a name that is none is the directory’s refusal, not a fault of the client', async (t) => {
  const { client } = await openWebLayer(t);
  const refusal = await t.throwsAsync(client.as('self').read('not a name'), { instanceOf: ClientRefusal });
  t.is(refusal?.code, 34);
});

test('a filter is a structure: characters that mean something in filter text mean nothing in a value', async (t) => {
  const { client } = await openWebLayer(t);
  const self = client.as('self');
  const found = async (value: string) =>
    (await self.search({ base: suffix, scope: 'sub', filter: equals('uid', value) })).entries.map(({ dn }) => dn);
  t.deepEqual(await found('ada'), [person('ada')]);
  for (const hostile of ['*', 'ada)(uid=*', '*)(objectClass=*', 'a*', '\\2a', ')', '(']) t.deepEqual(await found(hostile), []);

  await self.add(person('x'), attributesOf({ objectClass: 'inetOrgPerson', uid: 'x', cn: 'a*(b)\\c', sn: 'x' })).catch(() => undefined);
  const both = anyOf(equals('uid', 'ada'), equals('uid', 'alan'));
  const { entries } = await self.search({ base: suffix, scope: 'sub', filter: allOf(present('mail'), both), attributes: ['uid'] });
  t.deepEqual(entries.map((entry) => entry.one('uid')).sort(), ['ada', 'alan']);
});

test('the size limit gives what fits and says that there was more', async (t) => {
  const { client, settings } = await openWebLayer(t);
  const search = { base: `ou=people,${suffix}`, scope: 'one', filter: present('objectClass') } as const;
  const cut = await client.as('self').search({ ...search, sizeLimit: 2 });
  t.is(cut.entries.length, 2);
  t.false(cut.complete);
  t.true((await client.as('self').search(search)).complete);
  settings['client.entriesMax'] = 1;
  t.is((await client.as('self').search(search)).entries.length, 1);
});

test('who acts is the person: proxied authorization makes the directory decide as for them, and record it', async (t) => {
  const { client, audited } = await openWebLayer(t);
  const ada = client.as({ dn: person('ada') });
  t.is(await ada.whoAmI(), `dn:${person('ada')}`);
  t.is((await ada.read(person('ada')))?.one('homePostalAddress'), '12 St James’s Square$London');

  const refusal = await t.throwsAsync(
    ada.modify(person('alan'), [{ operation: 'replace', attribute: { description: 'sn', values: [utf8('Stolen')] } }]),
    { instanceOf: ClientRefusal },
  );
  t.is(refusal?.code, 50);
  t.is((await client.as('self').read(person('alan')))?.one('sn'), 'Turing');
  t.true(audited.some(({ subject, outcome }) => subject.includes('uid=ada') && outcome === 'refused'));

  const unknown = await t.throwsAsync(client.as({ dn: person('nobody') }).whoAmI(), { instanceOf: ClientRefusal });
  t.is(unknown?.code, 123);
});

test('under an administrator’s authority entries are added, changed, renamed, compared and deleted; octets stay octets', async (t) => {
  const { client } = await openWebLayer(t);
  const acting = client.as({ dn: admin });
  const photo = Uint8Array.of(0xff, 0xd8, 0xff, ...Array.from({ length: 256 }, (_, i) => i));
  await acting.add(
    person('grace'),
    attributesOf({ objectClass: 'inetOrgPerson', uid: 'grace', cn: 'Grace', sn: 'Hopper', jpegPhoto: photo }),
  );
  t.deepEqual(
    (await acting.read(person('grace')))?.octets('jpegPhoto').map((value) => [...value]),
    [[...photo]],
  );

  await acting.modify(person('grace'), [
    { operation: 'add', attribute: { description: 'mail', values: [utf8('grace@example.com')] } },
    { operation: 'delete', attribute: { description: 'jpegPhoto', values: [] } },
  ]);
  t.true(await acting.compare(person('grace'), 'mail', utf8('grace@example.com')));
  t.false(await acting.compare(person('grace'), 'mail', utf8('other@example.com')));

  await acting.rename(person('grace'), { newRdn: 'uid=hopper', deleteOldRdn: true });
  t.is(await acting.read(person('grace')), undefined);
  t.deepEqual((await acting.read(person('hopper')))?.all('uid'), ['hopper']);
  await acting.delete(person('hopper'));
  t.is(await acting.read(person('hopper')), undefined);
});

test('a modify that increments reaches the directory (ldapjs refuses to send one)', async (t) => {
  const { client } = await openWebLayer(t);
  const acting = client.as({ dn: admin });
  const dn = `cn=hosts,ou=groups,${suffix}`;
  await acting.add(dn, attributesOf({ objectClass: ['groupOfNames', 'posixGroup'], cn: 'hosts', member: admin, gidNumber: '41' }));
  await acting.modify(dn, [{ operation: 'increment', attribute: { description: 'gidNumber', values: [utf8('1')] } }]);
  t.is((await acting.read(dn))?.one('gidNumber'), '42');
});

test('a password is judged by a bind; wrong, unknown and without a password are refused alike', async (t) => {
  const { client, audited } = await openWebLayer(t);
  const judge = (dn: string, password: string) => client.judge({ dn, password, door: 'signin', address: '192.0.2.7' });
  t.deepEqual(await judge(person('ada'), 'lovelace'), { kind: 'accepted' });
  t.deepEqual(await judge(admin, adminPassword), { kind: 'accepted' });
  const wrong = await judge(person('ada'), 'wrong');
  t.is(wrong.kind, 'refused');
  t.deepEqual(await judge(person('nobody'), 'wrong'), wrong);
  t.deepEqual(await judge(person('alan'), 'wrong'), wrong);
  t.true(audited.some(({ error }) => error?.code === 'STS-AUTHN-9041'));
});

test('a rule for protected connections is held against the browser’s, when a password is judged', async (t) => {
  const { client } = await openWebLayer(t);
  const acting = client.as({ dn: admin });
  const rules = `ou=accessRules,${suffix}`;
  await acting.add(rules, attributesOf({ objectClass: 'organizationalUnit', ou: 'accessRules' }));
  const rule = (cn: string, values: Readonly<Record<string, string>>) =>
    acting.add(
      `cn=${cn},${rules}`,
      attributesOf({ objectClass: 'stsAccessRule', cn, stsRuleWho: 'anyone', stsRuleRight: 'auth', ...values }),
    );
  await rule('on protected connections', { stsRuleOrder: '1', stsRuleFrom: 'protected' });
  await rule('on no other', { stsRuleOrder: '2', stsRuleEffect: 'deny' });
  const asked = { dn: person('ada'), password: 'lovelace', door: 'signin', address: '192.0.2.7' };
  t.is((await client.judge({ ...asked, isProtected: true })).kind, 'accepted');
  t.is((await client.judge(asked)).kind, 'refused');
});

test('no password is no proof: an empty one is refused without asking, for a bind with none is anonymous and succeeds', async (t) => {
  const { client } = await openWebLayer(t);
  for (const dn of [person('ada'), '']) {
    const judgement = await client.judge({ dn, password: '', door: 'signin', address: '' });
    t.is(judgement.kind, 'refused');
  }
  t.is((await client.judge({ dn: '', password: 'x', door: 'signin', address: '' })).kind, 'refused');
});

test('the door and the address behind a judged password reach the directory', async (t) => {
  const { client, audited } = await openWebLayer(t);
  await client.judge({ dn: person('ada'), password: 'wrong', door: 'signin', address: '2001:db8::7' });
  const row = audited.find(({ action, outcome }) => action.includes('bind') && outcome === 'refused');
  t.is(row?.address, '2001:db8::7');
});

test('judging never changes who the shared connections are', async (t) => {
  const { client, settings } = await openWebLayer(t);
  settings['client.poolSize'] = 1;
  settings['client.judgingMax'] = 2;
  const judgements = Array.from({ length: 6 }, (_, i) =>
    client.judge({ dn: person('ada'), password: i % 2 === 0 ? 'lovelace' : 'wrong', door: 'signin', address: '' }),
  );
  const names = Array.from({ length: 6 }, () => client.as({ dn: person('alan') }).whoAmI());
  t.deepEqual(new Set(await Promise.all(names)), new Set([`dn:${person('alan')}`]));
  t.deepEqual(
    (await Promise.all(judgements)).map(({ kind }) => kind),
    ['accepted', 'refused', 'accepted', 'refused', 'accepted', 'refused'],
  );
});

test('with a directory that is gone requests fail at once, and go through again when it is back', async (t) => {
  const { client, clock, startListener, stopListener } = await openWebLayer(t);
  const read = () => client.as('self').read(person('ada'));
  const judge = () => client.judge({ dn: person('ada'), password: 'lovelace', door: 'signin', address: '' });
  t.truthy(await read());
  await judge();
  await stopListener();

  for (const attempt of [read, judge, read, judge]) {
    const refusal = await t.throwsAsync<Refusal>(attempt(), { instanceOf: Refusal });
    t.is(refusal?.row, clientErrors.unreachable);
  }
  await startListener();
  const early = await t.throwsAsync<Refusal>(read(), { instanceOf: Refusal });
  t.is(early?.detail['why'], 'it was tried a moment ago');
  clock.moveMs(60_000);
  t.truthy(await read());
  t.deepEqual(await judge(), { kind: 'accepted' });
});

test('requests that are under way when the directory goes fail, each with the same code', async (t) => {
  const { client, stopListener } = await openWebLayer(t);
  await client.as('self').read(person('ada'));
  const judging = client.judge({ dn: person('ada'), password: 'lovelace', door: 'signin', address: '' });
  const [outcome] = await Promise.allSettled([judging, stopListener()]);
  if (outcome.status === 'rejected') t.is((outcome.reason as Refusal).row, clientErrors.unreachable);
  else t.deepEqual(outcome.value, { kind: 'accepted' }, 'it was answered before');
});

test('a secret that is not this start’s opens nothing', async (t) => {
  const { webSocket, clock, settings } = await openWebLayer(t);
  const stranger = connectDirectory({ socketPath: webSocket, secret: new Uint8Array(32), clock, settings });
  t.teardown(() => stranger.close());
  const refusal = await t.throwsAsync<Refusal>(stranger.as('self').read(person('ada')), { instanceOf: Refusal });
  t.is(refusal?.row, clientErrors.notTrusted);
});

test('a client that was closed refuses', async (t) => {
  const { client } = await openWebLayer(t);
  await client.as('self').read(person('ada'));
  await client.close();
  t.is((await t.throwsAsync<Refusal>(client.as('self').whoAmI(), { instanceOf: Refusal }))?.row, clientErrors.unreachable);
  const judging = client.judge({ dn: person('ada'), password: 'lovelace', door: 'signin', address: '' });
  t.is((await t.throwsAsync<Refusal>(judging, { instanceOf: Refusal }))?.row, clientErrors.unreachable);
});
