import type { ExecutionContext } from 'ava';
import test from 'ava';
import { text, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { exportEntries, importLive } from '#directory';
import { encodeBer, formatLdifRecord, readLdif } from '#ldap';
import type { OutboxEvent } from '#state';
import { appPasswordOf, askAppPassword, revoke } from '../support/app-passwords.ts';
import { bindByScram } from '../support/scram.ts';
import { type Client, emptyHouse, furnishedHouse, type House, person, suffix } from './driver.ts';

const ada = person('ada');
const adaPassword = 'lovelace';
const limits = { lineOctetsMax: 1_000_000, recordOctetsMax: 1_000_000, valuesMax: 10_000 };
const lastCode = (house: House) => house.audited.at(-1)?.error?.code;

async function change(house: House, dn: string, attribute: string, ...values: string[]) {
  const { code, result } = await house.operator().modify(dn, ['replace', attribute, ...values]);
  if (code !== 0) throw new Error(result.diagnostic);
}

async function sasl(client: Client, mechanism: string, credentials: string) {
  const { code, last } = await client.ask({
    kind: 'bindRequest',
    version: 3,
    name: '',
    authentication: { kind: 'sasl', mechanism, credentials: utf8(credentials) },
  });
  return { code, said: last.kind === 'bindResponse' && last.serverSaslCreds ? (text(last.serverSaslCreds) ?? '') : '' };
}

async function scramHouse(t: ExecutionContext): Promise<House> {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' });
  const policy = { objectClass: 'stsPasswordPolicy', cn: 'default', stsScramMechanism: 'SCRAM-SHA-256', stsPasswordMinLength: '1' };
  const given = { ...policy, stsPasswordMinSymbols: '0', stsPasswordMinUppercase: '0', stsPasswordMinDigits: '0', stsPasswordHistory: '0' };
  const { code, result } = await operator.add(`cn=default,ou=passwordPolicies,${suffix}`, given);
  if (code !== 0) throw new Error(result.diagnostic);
  await operator.modify(ada, ['replace', 'userPassword', 'pencil']);
  return house;
}

test('PLAIN takes an app password like a simple bind, and refuses the own one of who must have a second factor', async (t) => {
  const house = await furnishedHouse(t);
  const { value } = await appPasswordOf(house.operator(), ada);
  await change(house, ada, 'stsMfaRequired', 'TRUE');
  const plain = async (password: string) => {
    const client = house.connect('ldaps');
    return [(await sasl(client, 'PLAIN', `\0ada\0${password}`)).code, client.connection.identity.strength];
  };
  t.deepEqual(await plain(value), [0, 'appPassword']);
  t.deepEqual(await plain(adaPassword), [49, 'anonymous']);
  t.is(lastCode(house), 'STS-AUTHN-0213');
});

test('SCRAM proves the own password: right, it is refused where a second factor is required; an app password is no proof', async (t) => {
  const house = await scramHouse(t);
  const { value } = await appPasswordOf(house.operator(), ada);
  const scram = async (password: string) => {
    const client = house.connect('ldaps');
    return (await bindByScram((mechanism, credentials) => sasl(client, mechanism, credentials), 'ada', password)).code;
  };
  t.is(await scram('pencil'), 0);
  t.is(await scram(value), 49);
  await change(house, ada, 'stsMfaRequired', 'TRUE');
  t.is(await scram('pencil'), 49);
  t.is(lastCode(house), 'STS-AUTHN-0213');
  t.is(await scram('pencils'), 49);
  t.is(lastCode(house), 'STS-AUTHN-9041');
});

test('Password Modify tells nobody at LDAP whether the old password of who must have a second factor is right', async (t) => {
  const house = await furnishedHouse(t);
  await change(house, ada, 'stsMfaRequired', 'TRUE');
  const modify = async (old: string) => {
    const value = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(ada, 0x80);
        ber.string(old, 0x81);
        ber.string('Something-else-7', 0x82);
      }),
    );
    const { result } = await house.operator().ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value });
    return [result.code, result.diagnostic, lastCode(house)];
  };
  t.deepEqual(await modify('wrong'), [53, 'unwilling to verify old password', 'STS-LDAP-9077']);
  t.deepEqual(await modify(adaPassword), [53, 'unwilling to verify old password', 'STS-AUTHN-0213']);
});

test('an export has app passwords where it has hashes, an import takes them back, and takes none that the directory could not have made', async (t) => {
  const house = await furnishedHouse(t);
  const { value } = await appPasswordOf(house.operator(), ada, { expiresMs: house.clock.nowMs() + 1_000_000, networks: ['192.0.2.0/24'] });
  await appPasswordOf(house.operator(), ada, { name: 'other' });
  await house.connect('ldaps').bind(ada, value);
  const printed = (given: Parameters<typeof exportEntries>[1]) =>
    [...exportEntries(house.engine, given)].map((record) => String(formatLdifRecord(record))).join('\n');
  const [whole, open] = [printed({ secrets: true, operational: true }), printed({ operational: true })];
  t.false(/stsAppPassword:/.test(open));
  const again = emptyHouse(t);
  await importLive(again.engine, readLdif([utf8(whole)], limits));
  const shown = async (from: House) => {
    const { entries } = await from.operator().search(ada, '(objectClass=*)', { scope: 'base', attributes: ['stsAppPasswordInfo'] });
    return entries[0]?.all('stsAppPasswordInfo').toSorted();
  };
  t.deepEqual(await shown(again), await shown(house));
  t.is((await again.connect('ldaps').bind(ada, value)).code, 0);
  const entry = (given: string) =>
    `dn: ${suffix}\nobjectClass: organization\nobjectClass: dcObject\no: x\ndc: example\nstsAppPassword:: ${Buffer.from(given).toString('base64')}\n`;
  for (const given of ['x', '{}', JSON.stringify({ id: 'a', name: 'b', scopes: ['imap'], addedMs: 1, hash: 'x' })])
    await t.throwsAsync(importLive(emptyHouse(t).engine, readLdif([utf8(entry(given))], limits)), { instanceOf: Refusal }, given);
});

test('each app password made or revoked is an event in the outbox, put before it happens and taken back when it does not', async (t) => {
  const waiting = new Map<string, OutboxEvent>();
  const numbers: number[] = [];
  const house: House = await furnishedHouse(t, {
    outbox: {
      put: async (event) => {
        numbers.push(house.engine.store.snapshot().number);
        waiting.set(`${waiting.size}-${numbers.length}`, event);
        return `${waiting.size - 1}-${numbers.length}`;
      },
      takeBack: async (_realm, handle) => void waiting.delete(handle),
    },
  });
  const operator = house.operator();
  const before = house.engine.store.snapshot().number;
  const one = await appPasswordOf(operator, ada, { name: 'one' });
  t.is(numbers[0], before, 'before the commit');
  await appPasswordOf(operator, ada, { name: 'two' });
  await revoke(operator, ada, one.id);
  await revoke(operator, ada);
  const told = [...waiting.values()].map(({ kind, realm, detail }) => [kind, realm, detail['change_type'], detail['friendly_name']]);
  t.deepEqual(told, [
    ['credential-change', 'default', 'create', 'one'],
    ['credential-change', 'default', 'create', 'two'],
    ['credential-change', 'default', 'revoke', 'one'],
    ['credential-change', 'default', 'revoke', 'two'],
  ]);
  const rule = { objectClass: 'organizationalUnit', ou: 'accessRules' };
  await operator.add(`ou=accessRules,${suffix}`, rule);
  t.is((await askAppPassword(operator, person('nobody'))).code, 32);
  t.is(waiting.size, 4, 'of what was refused nothing');
});
