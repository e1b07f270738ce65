import test from 'ava';
import { utf8 } from '#base';
import { appPasswordsOf } from '#holdings';
import { encodeBer } from '#ldap';
import { createApp } from '../support/app.ts';
import { appPasswordOf, askAppPassword, revoke } from '../support/app-passwords.ts';
import { admin, adminPassword, furnishedHouse, type House, person, suffix } from './driver.ts';
import { actingFor, webLayer, webSecret } from './web-layer.ts';

const ada = person('ada');
const adaPassword = 'lovelace';
const ldap = (house: House, address = '192.0.2.1') => house.connect('ldaps', { address });
const bind = async (house: House, password: string, dn = ada, address?: string) => (await ldap(house, address).bind(dn, password)).code;
const lastCode = (house: House) => house.audited.at(-1)?.error?.code;

async function change(house: House, dn: string, attribute: string, ...values: string[]) {
  const { code, result } = await house.operator().modify(dn, ['replace', attribute, ...values]);
  if (code !== 0) throw new Error(result.diagnostic);
}

async function heldBy(house: House, dn = ada) {
  const { entries } = await house.operator().search(dn, '(objectClass=*)', { scope: 'base', attributes: ['stsAppPasswordInfo'] });
  return appPasswordsOf({ all: (attribute) => entries[0]?.all(attribute) ?? [] });
}

/** The door control of a bind that the web layer asks for. */
function doorControl(door: string, address = '192.0.2.1') {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(door);
      ber.string(address);
      ber.boolean(true);
    }),
  );
  return { oid: '2.25.83716444157178576224225129172109131643.5.1', critical: true, value };
}

async function policy(house: House, values: Readonly<Record<string, string | readonly string[]>>) {
  const operator = house.operator();
  await operator.add(`ou=authnPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'authnPolicies' });
  const { code, result } = await operator.add(`cn=default,ou=authnPolicies,${suffix}`, {
    objectClass: 'stsAuthnPolicy',
    cn: 'default',
    ...values,
  });
  if (code !== 0) throw new Error(result.diagnostic);
}

test('an app password has 24 characters in six groups of four, is shown once, and binds; dashes, spaces and case are ignored', async (t) => {
  const house = await furnishedHouse(t);
  const { value, id } = await appPasswordOf(house.operator(), ada, { name: 'Laptop' });
  t.regex(value, /^(?:[2-9A-HJ-NP-Z]{4}-){5}[2-9A-HJ-NP-Z]{4}$/);
  t.is(await bind(house, value), 0);
  t.is(await bind(house, value.replaceAll('-', '')), 0);
  t.is(await bind(house, ` ${value.toLowerCase().replaceAll('-', ' ')} `), 0);
  t.is(
    await bind(
      house,
      value.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ),
    49,
  );
  t.is(await bind(house, adaPassword), 0, 'the own password works on');
  t.like((await heldBy(house))[0], { id, name: 'Laptop', scopes: ['ldap'], addedMs: house.clock.nowMs() });
  const text = JSON.stringify(house.audited);
  t.false(text.includes(value) || text.includes(value.replaceAll('-', '')));
});

test('nobody reads, compares or filters on app passwords, and no modify writes them', async (t) => {
  const house = await furnishedHouse(t);
  await appPasswordOf(house.operator(), ada);
  const operator = house.operator();
  const { entries } = await operator.search(ada, '(objectClass=*)', { scope: 'base', attributes: ['*', '+', 'stsAppPassword'] });
  t.false(entries[0]?.names.includes('stsAppPassword'));
  t.is((await operator.search(suffix, '(stsAppPassword=*)')).entries.length, 0);
  t.is((await operator.modify(ada, ['replace', 'stsAppPassword', '{}'])).code, 19);
  t.is((await operator.modify(ada, ['delete', 'stsAppPassword'])).code, 19);
  t.is((await operator.modify(ada, ['delete', 'stsAppPasswordLastUse'])).code, 19);
});

test('who makes and revokes: people their own in a fresh session, with two factors where they hold one; who manages them; nobody else', async (t) => {
  const house = await furnishedHouse(t, { webSecret });
  const web = await webLayer(house);
  const fresh = { factors: 1, authenticatedMs: house.clock.nowMs() };
  const old = { factors: 2, authenticatedMs: house.clock.nowMs() - 301_000 };
  const self = (session?: Parameters<typeof actingFor>[1]) => askAppPassword(web, ada, {}, actingFor(ada, session));
  t.is((await self(fresh)).code, 0);
  t.is((await self(old)).code, 50, 'not fresh');
  t.is((await self()).code, 50, 'no session');
  await change(house, ada, 'stsTotpCredential', createApp().credential);
  const refused = await self(fresh);
  t.like(refused, { code: 50, value: '', says: 'sign in with your second factor to make an app password' });
  t.is(lastCode(house), 'STS-AUTHN-9405');
  t.is((await self({ ...fresh, factors: 2 })).code, 0);
  const [one] = await heldBy(house);
  t.is((await revoke(web, ada, one?.id, actingFor(ada, old))).code, 50);
  t.like(await revoke(web, ada, one?.id, actingFor(ada, fresh)), { code: 0, count: 1 }, 'to take one away takes no second factor');

  t.is((await askAppPassword(web, ada, {}, actingFor(person('alan'), { ...fresh, factors: 2 }))).code, 50);
  t.is((await askAppPassword(house.connect('ldaps'), ada)).code, 32, 'to nobody she is not there');
  const bound = ldap(house);
  await change(house, person('alan'), 'userPassword', 'turing');
  await bound.bind(person('alan'), 'turing');
  t.is((await askAppPassword(bound, ada)).code, 50);
  t.is((await askAppPassword(bound, person('alan'))).code, 50, 'a bind is no session');
  t.is((await revoke(bound, ada)).code, 50);
  await bound.bind(admin, adminPassword);
  t.is((await askAppPassword(bound, ada)).code, 0);
  t.like(await revoke(bound, ada), { code: 0, count: 2 });
  t.is((await revoke(bound, ada, 'none')).code, 16);
  t.like(await revoke(bound, ada), { code: 0, count: 0 });
});

test('who came in with an app password reads as that person and writes nothing that people sign in with, adds, deletes and manages nothing', async (t) => {
  const house = await furnishedHouse(t);
  const { value } = await appPasswordOf(house.operator(), ada);
  const { value: adminValue, id } = await appPasswordOf(house.operator(), admin);
  const mail = ldap(house);
  t.is((await mail.bind(ada, value)).code, 0);
  t.is(mail.connection.identity.strength, 'appPassword');
  t.is((await mail.search(ada, '(objectClass=*)', { scope: 'base' })).entries.length, 1);
  t.is((await mail.modify(ada, ['replace', 'mobile', '+44 20 7946 0002'])).code, 0, 'what anybody writes of themselves');
  for (const dn of [ada, admin]) {
    const client = ldap(house);
    t.is((await client.bind(dn, dn === ada ? value : adminValue)).code, 0);
    for (const [attribute, given] of [
      ['userPassword', 'something else 1A!'],
      ['mail', 'mallory@example.com'],
      ['stsTotpCredential', createApp().credential],
      ['stsRecoveryCode', 'ABCDEFGHJK'],
    ] as const)
      t.is((await client.modify(dn, ['replace', attribute, given])).code, 50, `${dn} ${attribute}`);
    t.is((await askAppPassword(client, dn)).code, 50);
    t.is((await revoke(client, dn)).code, 50);
    t.is((await client.ask({ kind: 'delRequest', entry: person('alan') })).code, 50);
    t.is((await client.add(person('eve'), { objectClass: 'inetOrgPerson', uid: 'eve', cn: 'Eve', sn: 'Eve' })).code, 50);
    const old = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(dn === ada ? adaPassword : adminPassword, 0x81);
        ber.string('A new password 1!', 0x82);
      }),
    );
    t.is((await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value: old })).code, 50, 'nor with the old password');
  }
  t.is((await heldBy(house, admin))[0]?.id, id);
});

test('STS-AUTHN-0213: in product mode a door that takes nothing else refuses the own password of who holds a second factor, like a wrong one', async (t) => {
  const house = await furnishedHouse(t);
  const { value } = await appPasswordOf(house.operator(), ada);
  t.is(await bind(house, adaPassword), 0);
  await change(house, ada, 'stsTotpCredential', createApp().credential);
  const [own, wrong] = [await ldap(house).bind(ada, adaPassword), await ldap(house).bind(ada, 'wrong')];
  t.deepEqual([own.result, own.controls], [wrong.result, wrong.controls]);
  t.is(house.audited.at(-2)?.error?.code, 'STS-AUTHN-0213');
  t.is(await bind(house, value), 0, 'the app password works');
  t.is((await house.connect('operators').bind(ada, adaPassword)).code, 49, 'nor does the operators’ socket take it');
});

test('STS-AUTHN-0213: by stsMfaRequired, by the policy always, by a key in either role, by mail where the policy takes it, and by an administrator’s role', async (t) => {
  const house = await furnishedHouse(t);
  const refused = async (why: string, expected = true) => {
    t.is(await bind(house, adaPassword), expected ? 49 : 0, why);
    if (expected) t.is(lastCode(house), 'STS-AUTHN-0213', why);
  };
  await change(house, ada, 'stsMfaRequired', 'TRUE');
  await refused('required of her');
  await change(house, ada, 'stsMfaRequired', 'FALSE');
  await refused('not required', false);
  for (const role of ['mfa', 'primary']) {
    const key = {
      ...{ id: 'AQ', role, name: 'key', publicKey: 'AQ', algorithm: -7, counter: 0, aaguid: 'x', transports: [], backupEligible: false },
      ...{ backedUp: false, attestation: { format: 'none', proved: 'untrusted' }, addedMs: 1 },
    };
    await house.operator().modify(ada, ['replace', 'stsWebauthnCredential', JSON.stringify(key)], ['replace', 'stsCredentialId', '\u0001']);
    await refused(`a key of role ${role}`);
  }
  await house.operator().modify(ada, ['replace', 'stsWebauthnCredential'], ['replace', 'stsCredentialId']);
  await refused('no key any more', false);
  await house.operator().modify(ada, ['replace', 'stsEmailFactor', 'TRUE'], ['replace', 'stsVerifiedMail', 'ada@example.com']);
  await refused('mail that the policy does not take', false);
  const withMail = await furnishedHouse(t, { mails: () => true });
  await policy(withMail, { stsSecondFactor: ['security-key', 'email-code'] });
  await withMail.operator().modify(ada, ['replace', 'stsEmailFactor', 'TRUE'], ['replace', 'stsVerifiedMail', 'ada@example.com']);
  t.is(await bind(withMail, adaPassword), 49);
  t.is(lastCode(withMail), 'STS-AUTHN-0213');

  const strict = await furnishedHouse(t);
  await policy(strict, { stsRequireSecondFactor: 'always' });
  t.is(await bind(strict, adaPassword), 49);
  t.is(await bind(strict, adminPassword, admin), 49, 'the built-in administrator, too');
  t.is(lastCode(strict), 'STS-AUTHN-0213');
  const roles = await furnishedHouse(t);
  await policy(roles, { stsRequireSecondFactorForAdministrators: 'always' });
  t.is(await bind(roles, adaPassword), 0);
  t.is(await bind(roles, adminPassword, admin), 0, 'the built-in administrator is exempt from the administrators’ field');
  const group = { objectClass: ['groupOfNames', 'stsRoleGroup'], cn: 'readers', stsRole: 'Admin Read', member: ada };
  t.is((await roles.operator().add(`cn=readers,ou=groups,${suffix}`, group)).code, 0);
  t.is(await bind(roles, adaPassword), 49);
  t.is(lastCode(roles), 'STS-AUTHN-0213');
});

test('authn.passwordAloneDoors lifts it, by door; development mode accepts; the browser is asked for the second factor itself', async (t) => {
  const house = await furnishedHouse(t, { webSecret, 'authn.passwordAloneDoors': ['ldap'] });
  await change(house, ada, 'stsMfaRequired', 'TRUE');
  t.is(await bind(house, adaPassword), 0);
  const by = async (door: string, password = adaPassword) => (await (await webLayer(house)).bind(ada, password, [doorControl(door)])).code;
  t.is(await by('signin'), 0);
  t.is(await by('scim'), 49, 'another door');
  t.is(lastCode(house), 'STS-AUTHN-0213');
  const free = await furnishedHouse(t, { 'global.mode': 'development' });
  await change(free, ada, 'stsMfaRequired', 'TRUE');
  t.is(await bind(free, 'anything'), 0);
  t.is(await bind(free, 'invalid'), 49);
});

test('STS-AUTHN-0214: an app password is taken at the doors of its scopes and nowhere else, at no browser', async (t) => {
  const house = await furnishedHouse(t, { webSecret });
  const { value } = await appPasswordOf(house.operator(), ada, { scopes: ['scim', 'est'] });
  const by = async (door: string) => (await (await webLayer(house)).bind(ada, value, [doorControl(door)])).code;
  t.is(await bind(house, value), 49);
  t.is(lastCode(house), 'STS-AUTHN-0214');
  for (const door of ['scim', 'est']) t.is(await by(door), 0, door);
  for (const door of ['signin', 'ssf', 'wstrust', 'ldap', 'portal']) {
    t.is(await by(door), 49, door);
    t.is(lastCode(house), 'STS-AUTHN-0214', door);
  }
});

test('an app password ends at its time, and comes from its networks alone', async (t) => {
  const house = await furnishedHouse(t);
  const expiresMs = house.clock.nowMs() + 60_000;
  const { value } = await appPasswordOf(house.operator(), ada, { expiresMs, networks: ['192.0.2.0/24', '2001:db8::/32'], program: 'mutt' });
  t.is(await bind(house, value), 0);
  t.is(await bind(house, value, ada, '2001:db8::7'), 0);
  t.is(await bind(house, value, ada, '198.51.100.1'), 49);
  t.is(lastCode(house), 'STS-AUTHN-9401');
  t.like((await heldBy(house))[0], { expiresMs, networks: ['192.0.2.0/24', '2001:db8::/32'], program: 'mutt' });
  house.clock.moveMs(60_000);
  t.is(await bind(house, value), 49);
  t.is(lastCode(house), 'STS-AUTHN-9400');
});

test('a disabled account refuses an app password; a password reset, a removed password and pwdReset leave it working', async (t) => {
  const house = await furnishedHouse(t);
  const { value } = await appPasswordOf(house.operator(), ada);
  await change(house, ada, 'pwdReset', 'TRUE');
  t.is(await bind(house, value), 0);
  await change(house, ada, 'userPassword');
  t.is(await bind(house, value), 0);
  await change(house, ada, 'pwdAccountLockedTime', '000001010000Z');
  t.is(await bind(house, value), 49);
  t.is(lastCode(house), 'STS-AUTHN-0200');
  await change(house, ada, 'pwdAccountLockedTime');
  t.is(await bind(house, value), 0);
});

test('a renamed person keeps them; a deleted one leaves none to the next of that name', async (t) => {
  const house = await furnishedHouse(t);
  const { value } = await appPasswordOf(house.operator(), ada);
  const operator = house.operator();
  t.is((await operator.ask({ kind: 'modifyDNRequest', entry: ada, newRdn: 'uid=augusta', deleteOldRdn: true })).code, 0);
  t.is(await bind(house, value, person('augusta')), 0);
  t.is(await bind(house, value), 49);
  t.is((await operator.ask({ kind: 'delRequest', entry: person('augusta') })).code, 0);
  await operator.add(person('augusta'), { objectClass: 'inetOrgPerson', uid: 'augusta', cn: 'A', sn: 'A' });
  t.is(await bind(house, value, person('augusta')), 49);
  t.deepEqual(await heldBy(house, person('augusta')), []);
});

test('appPasswords.maxPerPerson and appPasswords.enabled refuse to make one, and those that there are work on', async (t) => {
  const house = await furnishedHouse(t, { 'appPasswords.maxPerPerson': 2 });
  const operator = house.operator();
  const [first] = [await appPasswordOf(operator, ada), await appPasswordOf(operator, ada)];
  t.like(await askAppPassword(operator, ada), { code: 19 });
  t.is(lastCode(house), 'STS-AUTHN-9403');
  const both = await Promise.all([revoke(operator, ada, first.id), askAppPassword(operator, ada), askAppPassword(operator, ada)]);
  t.true(both[0].code === 0 && (await heldBy(house)).length <= 2, 'nor do several at once make more');
  const off = await furnishedHouse(t, { 'appPasswords.enabled': false });
  t.is((await askAppPassword(off.operator(), ada)).code, 53);
  t.is(lastCode(off), 'STS-AUTHN-9402');
});

test('all of a person have one salt, also of those that are made at once', async (t) => {
  const house = await furnishedHouse(t);
  const made = await Promise.all(Array.from({ length: 4 }, () => appPasswordOf(house.operator(), ada)));
  const snapshot = house.engine.store.snapshot();
  const [entry] = snapshot.idsEqual('uid', utf8('ada'), 1).flatMap((rowId) => snapshot.byId(rowId) ?? []);
  const salts = [
    ...Buffer.from(entry?.secret ?? [])
      .toString('latin1')
      .matchAll(/\{SCRYPT\}(ln=\d+,r=1,p=1\$[^$]+)\$[^"]+"\}/g),
  ].map(([, salt]) => salt);
  t.is(salts.length, 4);
  t.is(new Set(salts).size, 1);
  for (const { value } of made) t.is(await bind(house, value), 0);
});

test('what cannot be read or is unfit is refused, and nothing is made', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  for (const asked of [
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(65) },
    { name: 'a\nb' },
    { scopes: [] },
    { scopes: ['ldap', 'imap'] },
    { expiresMs: house.clock.nowMs() },
    { networks: [] },
    { networks: ['example.com'] },
    { networks: Array.from({ length: 17 }, () => '192.0.2.1') },
    { program: '' },
  ])
    t.is((await askAppPassword(operator, ada, asked)).code, 19, JSON.stringify(asked));
  for (const oid of ['70', '71'])
    for (const value of [undefined, new Uint8Array(), utf8('\u0030\u0080'), new Uint8Array(100_000).fill(0x30)]) {
      const request = { kind: 'extendedRequest', oid: `2.25.83716444157178576224225129172109131643.6.${oid}` } as const;
      t.is((await operator.ask(value === undefined ? request : { ...request, value })).code, 2);
    }
  t.is((await askAppPassword(operator, 'no name')).code, 34);
  t.is((await askAppPassword(operator, person('nobody'))).code, 32);
  t.is((await askAppPassword(operator, 'dc=elsewhere')).code, 53);
  t.is(
    (await askAppPassword(house.connect('ldap', { loopback: false, identity: operator.connection.identity }), ada)).code,
    13,
    'unprotected',
  );
  t.deepEqual(await heldBy(house), []);
});

test('when it was last used is written at most once in appPasswords.lastUseGranularityS, however many use it at once', async (t) => {
  const house = await furnishedHouse(t, { 'appPasswords.lastUseGranularityS': 600 });
  const one = await appPasswordOf(house.operator(), ada);
  const other = await appPasswordOf(house.operator(), ada, { name: 'Phone' });
  const number = () => house.engine.store.snapshot().number;
  const usedMs = house.clock.nowMs();
  const before = number();
  await Promise.all(Array.from({ length: 5 }, () => bind(house, one.value)));
  t.is(number(), before + 1);
  house.clock.moveMs(599_000);
  await bind(house, one.value, ada, '192.0.2.9');
  t.is(number(), before + 1);
  const modified = await house
    .operator()
    .search(ada, '(objectClass=*)', { scope: 'base', attributes: ['modifyTimestamp', 'modifiersName'] });
  t.like(
    (await heldBy(house)).find(({ id }) => id === one.id),
    { lastUsedMs: usedMs, lastUsedFrom: '192.0.2.1', lastUsedDoor: 'ldap' },
  );
  house.clock.moveMs(1000);
  await bind(house, one.value, ada, '192.0.2.9');
  await bind(house, other.value);
  t.is(number(), before + 3);
  const again = await house.operator().search(ada, '(objectClass=*)', { scope: 'base', attributes: ['modifyTimestamp', 'modifiersName'] });
  t.deepEqual(again.entries[0]?.attributes, modified.entries[0]?.attributes, 'nobody has changed the person');
  await revoke(house.operator(), ada, one.id);
  t.deepEqual(
    (await heldBy(house)).map(({ name }) => name),
    ['Phone'],
  );
  const { entries } = await house.operator().search(ada, '(objectClass=*)', { scope: 'base', attributes: ['stsAppPasswordLastUse'] });
  t.is(entries[0]?.all('stsAppPasswordLastUse').length, 1, 'of one that is revoked nothing stays');
});
