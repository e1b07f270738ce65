import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { text, utf8 } from '#base';
import { readCommonPasswords } from '#credentials';
import { decodeAttributes, decodeBer, encodeBer } from '#ldap';
import { builtInPasswordPolicy } from '#policy';
import { admin, adminPassword, type Client, furnishedHouse, person, suffix } from './driver.ts';

const weak = /^userPassword: it must have at least /;
const eve = { objectClass: 'inetOrgPerson', uid: 'eve', cn: 'Eve', sn: 'E' };

async function open(t: ExecutionContext, given: Parameters<typeof furnishedHouse>[1] = {}) {
  const house = await furnishedHouse(t, { passwordStanding: builtInPasswordPolicy, ...given });
  return { ...house, operator: house.operator() };
}

async function passwordModify(client: Client, given: { user?: string; old?: string; fresh?: string }) {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      if (given.user !== undefined) ber.string(given.user, 0x80);
      if (given.old !== undefined) ber.string(given.old, 0x81);
      if (given.fresh !== undefined) ber.string(given.fresh, 0x82);
    }),
  );
  const { code, result, last } = await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value });
  const made = last.kind === 'extendedResponse' && last.value ? decodeBer(last.value, (ber) => ber.sequence(() => ber.string(0x80))) : '';
  return { code, says: result.diagnostic, made: made ?? '' };
}

test('product mode: add, modify and Password Modify refuse by 19 a password that does not keep the policy, with the rule in words', async (t) => {
  const { operator, audited } = await open(t);
  const added = await operator.add(person('eve'), { ...eve, userPassword: 'short' });
  t.is(added.code, 19);
  t.is(added.result.diagnostic, 'userPassword: it must have at least 12 characters');
  t.is(audited.at(-1)?.error?.code, 'STS-LDAP-9392');
  t.is((await operator.add(person('eve'), { ...eve, userPassword: 'Correct-horse-7' })).code, 0);
  const modified = await operator.modify(person('eve'), ['replace', 'userPassword', 'correct-horse-7']);
  t.is(modified.code, 19);
  t.is(modified.result.diagnostic, 'userPassword: it must have at least 1 upper-case letter');
  const set = await passwordModify(operator, { user: person('eve'), fresh: 'Correcthorse7' });
  t.is(set.code, 19);
  t.regex(set.says, weak);
  t.false(JSON.stringify(audited).includes('Correcthorse7'));
});

const relax = { oid: '1.3.6.1.4.1.4203.666.5.12', critical: true };
const hash = '{SSHA}2Qe0Ka1dNbGkPGEPp1FJqWJzuqJzYWx0';
const replaced = (dn: string, value: string) =>
  ({
    kind: 'modifyRequest',
    object: dn,
    changes: [{ operation: 'replace', attribute: { description: 'userPassword', values: [utf8(value)] } }],
  }) as const;

test('hashes only come from administrators, and with the relax control; the operators’ socket brings what an import does', async (t) => {
  const { operator, connect, audited } = await open(t);
  const client = connect();
  t.is((await client.bind(admin, adminPassword)).code, 0);
  const without = await client.modify(person('alan'), ['replace', 'userPassword', hash]);
  t.is(without.code, 19);
  t.is(without.result.diagnostic, 'userPassword: a hash may be given by an administrator only, with the relax control');
  t.is(audited.at(-1)?.error?.code, 'STS-AUTHN-9044');
  t.is((await client.ask(replaced(person('alan'), hash), [relax])).code, 0);
  t.is((await client.ask(replaced(person('alan'), '{MD5}X03MO1qnZdYdgyfeuILPmQ=='), [relax])).code, 19, 'only by an import');
  t.is(
    (await client.ask(replaced(person('alan'), `{ARGON2}$argon2id$v=19$m=4194304,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`), [relax]))
      .code,
    19,
  );
  t.is((await passwordModify(client, { user: person('alan'), fresh: hash })).code, 19, 'a new password is in clear (RFC 3062)');
  t.is((await operator.add(person('eve'), { ...eve, userPassword: hash })).code, 0);

  const ada = connect();
  t.is((await ada.bind(person('ada'), 'lovelace')).code, 0);
  t.is((await ada.ask(replaced(person('ada'), hash), [relax])).code, 50);
  t.is((await connect().ask(replaced(person('ada'), hash), [relax])).code, 32);
});

test('a password that many people have is refused in product mode, wherever it is set, in any case', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-common-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'list'), 'hunter2\r\nCorrect-horse-7\n');
  const commonPasswords = await readCommonPasswords(join(folder, 'list'), 10);
  const { operator, audited } = await open(t, { commonPasswords });
  const set = await operator.modify(person('ada'), ['replace', 'userPassword', 'CORRECT-horse-7']);
  t.is(set.code, 19);
  t.is(set.result.diagnostic, 'userPassword: it is one that many people have, and the first to be tried');
  t.is(audited.at(-1)?.error?.code, 'STS-LDAP-9421');
  t.is((await operator.add(person('eve'), { ...eve, userPassword: 'Correct-horse-7' })).code, 19);
  t.is((await passwordModify(operator, { user: person('ada'), fresh: 'correct-Horse-7' })).code, 19);
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', 'Correct-horse-8'])).code, 0);
  const { operator: developer } = await open(t, { commonPasswords, 'global.mode': 'development' });
  t.is((await developer.modify(person('ada'), ['replace', 'userPassword', 'hunter2'])).code, 0);
});

test('development mode: no policy is enforced, and old passwords are kept all the same', async (t) => {
  const { operator, engine } = await open(t, { 'global.mode': 'development' });
  for (const password of ['a', 'b', 'c']) t.is((await operator.modify(person('ada'), ['replace', 'userPassword', password])).code, 0);
  t.is(historyOf(engine, 'ada').length, 3);
});

test('a generated password keeps the policy in force', async (t) => {
  const { operator } = await open(t);
  t.is((await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' })).code, 0);
  const policy = { objectClass: 'stsPasswordPolicy', cn: 'default', stsPasswordMinLength: '60', stsPasswordMinDigits: '12' };
  t.is((await operator.add(`cn=default,ou=passwordPolicies,${suffix}`, policy)).code, 0);
  const { code, made } = await passwordModify(operator, { user: person('alan') });
  t.is(code, 0);
  t.true(made.length >= 60 && made.replace(/\D/g, '').length >= 12, made);
});

test('the entry is in force at once, for what is set from then on; nonsense in it is refused', async (t) => {
  const { operator, connect } = await open(t);
  const dn = `cn=default,ou=passwordPolicies,${suffix}`;
  await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' });
  const wrong = await operator.add(dn, { objectClass: 'stsPasswordPolicy', cn: 'default', stsPasswordMinLength: '0' });
  t.is(wrong.code, 19);
  t.is(wrong.result.diagnostic, 'stsPasswordMinLength: it is from 1 to 128');
  t.is((await operator.add(dn, { objectClass: 'stsPasswordPolicy', cn: 'default', stsPasswordMinLength: '20' })).code, 0);
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', 'Correct-horse-7'])).code, 19);
  t.is((await operator.modify(dn, ['replace', 'stsPasswordMinLength', '15'])).code, 0);
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', 'Correct-horse-7'])).code, 0);
  t.is((await operator.modify(dn, ['replace', 'stsPasswordMinLength', '100'])).code, 0);
  t.is((await connect().bind(person('ada'), 'Correct-horse-7')).code, 0, 'a password that is set already goes on working');
});

test('none of the last five passwords: whoever sets one is refused, by whichever door', async (t) => {
  const { operator, connect, engine, clock } = await open(t);
  const password = (at: number) => `Correct-horse-${at}`;
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', password(0)])).code, 0);
  const client = connect();
  t.is((await client.bind(person('ada'), password(0))).code, 0);
  for (let at = 1; at <= 5; at++) {
    clock.moveMs(1000);
    t.is((await passwordModify(client, { old: password(at - 1), fresh: password(at) })).code, 0, `${at}`);
    t.is((await client.bind(person('ada'), password(at))).code, 0);
  }
  for (let at = 1; at <= 5; at++) {
    const again = await passwordModify(client, { old: password(5), fresh: password(at) });
    t.is(again.code, 19, `${at}`);
    t.is(again.says, 'userPassword: it is one of the last 5 passwords');
  }
  t.is((await passwordModify(client, { old: password(5), fresh: password(0) })).code, 0, 'the sixth last');
  t.is(historyOf(engine, 'ada').length, 4, 'the present one is one of the five');
  t.is(
    (await operator.modify(person('ada'), ['replace', 'userPassword', password(5)])).code,
    19,
    'wherever a password is set, by who manages it, too',
  );
  t.is((await passwordModify(operator, { user: person('ada'), fresh: password(5) })).code, 19);
  t.is((await operator.ask(replaced(person('ada'), password(5)), [relax])).code, 0, 'but with the relax control');
});

test('whether a password is one of the last is told no oftener than one may try to sign in', async (t) => {
  const { operator, connect } = await open(t, { countsAttempts: true });
  const password = (at: number) => `Correct-horse-${at}`;
  for (const at of [0, 1]) t.is((await operator.modify(person('ada'), ['replace', 'userPassword', password(at)])).code, 0);
  const client = connect();
  t.is((await client.bind(person('ada'), password(1))).code, 0);
  const says: string[] = [];
  for (let i = 0; i < 6; i++) says.push((await passwordModify(client, { old: password(1), fresh: password(0) })).says);
  t.deepEqual(says, [
    ...Array.from({ length: 5 }, () => 'userPassword: it is one of the last 5 passwords'),
    'too many failed attempts for this name; try again in 60 seconds',
  ]);
});

test('old passwords are secret: nobody reads, searches or compares them, and who sets one another time loses none', async (t) => {
  const { operator, connect, engine } = await open(t);
  await operator.modify(person('ada'), ['replace', 'userPassword', 'Correct-horse-7']);
  const client = connect();
  t.is((await client.bind(person('ada'), 'Correct-horse-7')).code, 0);
  for (const asking of [operator, client]) {
    const [entry] = (await asking.search(person('ada'), '(objectClass=*)', { scope: 'base', attributes: ['*', '+', 'pwdHistory'] }))
      .entries;
    t.deepEqual(entry?.all('pwdHistory'), []);
    t.deepEqual((await asking.search(suffix, '(pwdHistory=*)')).dns, []);
    t.not((await asking.modify(person('ada'), ['delete', 'pwdHistory'])).code, 0);
  }
  const [kept] = historyOf(engine, 'ada');
  t.regex(kept ?? '', /^\d{14}Z#1\.3\.6\.1\.4\.1\.1466\.115\.121\.1\.40#\d+#\{SCRYPT\}/);
});

function historyOf(engine: Awaited<ReturnType<typeof open>>['engine'], uid: string): readonly string[] {
  const snapshot = engine.store.snapshot();
  const [id] = snapshot.idsEqual('uid', Buffer.from(uid), 2);
  const entry = id === undefined ? undefined : snapshot.byId(id);
  const kept = decodeAttributes(entry?.secret ?? new Uint8Array(0)).find(({ description }) => description === 'pwdHistory');
  return (kept?.values ?? []).map((value) => text(value) ?? '');
}
