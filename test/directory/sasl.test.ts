import { pbkdf2Sync } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { text, utf8 } from '#base';
import { formatVerifier, judgeProof, mockVerifier, parseVerifier, type ScramMechanism, saslPrep } from '#credentials';
import { digest, hmac } from '#keys';
import { bindByScram } from '../support/scram.ts';
import { type Client, furnishedHouse, type House, person, suffix } from './driver.ts';

const sasl = (mechanism: string, credentials: string) =>
  ({ kind: 'bindRequest', version: 3, name: '', authentication: { kind: 'sasl', mechanism, credentials: utf8(credentials) } }) as const;
const whoAmI = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' } as const;

async function who(client: Client) {
  const { last } = await client.ask(whoAmI);
  return last.kind === 'extendedResponse' ? text(last.value ?? utf8('')) : undefined;
}

/** A house whose policy has verifiers written, in which Ada's password was set in clear since. */
async function scramHouse(t: ExecutionContext, mechanisms = ['SCRAM-SHA-256', 'SCRAM-SHA-1']): Promise<House> {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' });
  const policy = { objectClass: 'stsPasswordPolicy', cn: 'default', stsScramMechanism: mechanisms };
  const { code, result } = await operator.add(`cn=default,ou=passwordPolicies,${suffix}`, policy);
  if (code !== 0) throw new Error(result.diagnostic);
  await operator.modify(person('ada'), ['replace', 'userPassword', 'pencil']);
  house.audited.length = 0;
  return house;
}

async function stepOf(client: Client, mechanism: string, credentials: string) {
  const { code, last } = await client.ask(sasl(mechanism, credentials));
  return { code, said: last.kind === 'bindResponse' && last.serverSaslCreds ? (text(last.serverSaslCreds) ?? '') : '' };
}

const scram = (client: Client, ...given: Parameters<typeof bindByScram> extends [unknown, ...infer Rest] ? Rest : never) =>
  bindByScram((mechanism, credentials) => stepOf(client, mechanism, credentials), ...given);

/** RFC 5802 §5 and RFC 7677 §3: user `user`, password `pencil`. */
const vectors: readonly [ScramMechanism, salt: string, nonces: string, proof: string, signature: string][] = [
  [
    'SCRAM-SHA-1',
    'QSXCR+Q6sek8bf92',
    'fyko+d2lbbFgONRv9qkxdawL|fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j',
    'v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=',
    'rmF9pqV8S7suAoZWja4dJRkFsKQ=',
  ],
  [
    'SCRAM-SHA-256',
    'W22ZaJ0SNY7soEsUEjb6gQ==',
    'rOprNGfwEbeRWgbNEkqO|rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
    'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
  ],
];

for (const [mechanism, salt, nonces, proof, signature] of vectors) {
  test(`${mechanism}: the example of its RFC is judged right, and any other proof wrong`, (t) => {
    const hash = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha1';
    const salted = pbkdf2Sync('pencil', Buffer.from(salt, 'base64'), 4096, hash === 'sha1' ? 20 : 32, hash);
    const keys = { storedKey: digest(hash, hmac(hash, salted, 'Client Key')), serverKey: hmac(hash, salted, 'Server Key') };
    const verifier = { mechanism, iterations: 4096, salt: new Uint8Array(Buffer.from(salt, 'base64')), ...keys };
    const [first, whole] = nonces.split('|');
    const said = `n=user,r=${first},r=${whole},s=${salt},i=4096,c=biws,r=${whole}`;
    const judged = judgeProof(verifier, said, Buffer.from(proof, 'base64'));
    t.true(judged.proves);
    t.is(Buffer.from(judged.signature).toString('base64'), signature);
    t.false(judgeProof(verifier, said, new Uint8Array(Buffer.from(proof, 'base64').length)).proves);
    t.false(judgeProof(verifier, said, Buffer.concat([Buffer.from(proof, 'base64'), Buffer.from([0])])).proves);
    t.false(judgeProof(verifier, `${said}x`, Buffer.from(proof, 'base64')).proves);
    const kept = parseVerifier(utf8(formatVerifier(verifier)));
    t.deepEqual([kept?.iterations, kept?.mechanism, hexOf(kept?.storedKey)], [4096, mechanism, hexOf(verifier.storedKey)]);
  });
}

const hexOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

test('RFC 4013 §3: the examples of SASLprep', (t) => {
  t.deepEqual(['I\u00ADX', 'user', 'USER', '\u00AA', '\u2168', '\u0007', '\u0627\u0031'].map(saslPrep), [
    'IX',
    'user',
    'USER',
    'a',
    'IX',
    undefined,
    undefined,
  ]);
});

test('SCRAM: whoever knows the password is let in and sees that the server knows it, too', async (t) => {
  const house = await scramHouse(t);
  for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-1']) {
    const client = house.connect();
    t.like(await scram(client, 'ada', 'pencil', { mechanism }), { code: 0, isServer: true });
    t.is(await who(client), `dn:${person('ada')}`);
    t.like(await scram(client, 'ada', 'pen', { mechanism }), { code: 49, said: '' });
    t.is(await who(client), '');
  }
  t.deepEqual(house.audited.map(({ subject, outcome, error }) => [subject, outcome, error?.code]).slice(0, 2), [
    ['ada', 'success', undefined],
    ['ada', 'refused', 'STS-AUTHN-9041'],
  ]);
});

test('SCRAM gives no oracle: a name that nobody has, one without a verifier and a disabled one answer alike, with the same salt each time', async (t) => {
  const house = await scramHouse(t);
  await house.operator().modify(person('ada'), ['add', 'pwdAccountLockedTime', '000001010000Z']);
  house.audited.length = 0;
  const shape = ({ first }: { first: { code: number; said: string } }) => first.said.replace(/[A-Za-z0-9+/_-]/g, 'x').replace(/i=.*/, '');
  const answers = [];
  for (const name of ['ada', 'alan', 'nobody', 'dn:uid=x,dc=elsewhere']) answers.push(await scram(house.connect(), name, 'pencil'));
  for (const answer of answers) {
    t.like(answer, { code: 49, said: '' });
    t.is(shape(answer), shape(answers[0] ?? answer));
    t.regex(answer.first.said, /,i=4096$/);
  }
  const salt = async (name: string) => /s=(.*),/.exec((await scram(house.connect(), name, 'x')).first.said)?.[1];
  t.is(await salt('nobody'), await salt('nobody'));
  t.not(await salt('nobody'), await salt('nobody2'));
  // Whoever exists has one salt, however they are named.
  for (const [name, dn] of [
    ['ada', person('ada')],
    ['nobody', person('nobody')],
  ] as const)
    for (const spelled of [name.toUpperCase(), `u:${name}`, ` ${name} `, `dn:${dn}`, `dn:${dn.toUpperCase()}`])
      t.is(await salt(spelled), await salt(name), spelled);
  t.deepEqual(
    house.audited.slice(0, 4).map(({ error }) => error?.code),
    ['STS-AUTHN-0200', 'STS-AUTHN-9043', 'STS-AUTHN-9042', 'STS-AUTHN-9042'],
  );
  const key = utf8('k');
  t.deepEqual(mockVerifier(key, 'SCRAM-SHA-1', 'x', 4096), mockVerifier(key, 'SCRAM-SHA-1', 'x', 4096));
});

test('without the password policy’s word SCRAM is not offered, listed or prepared for', async (t) => {
  const house = await furnishedHouse(t);
  await house.operator().modify(person('ada'), ['replace', 'userPassword', 'pencil']);
  t.is((await scram(house.connect(), 'ada', 'pencil')).code, 7);
  const listed = async (of: House) =>
    (await of.connect('ldaps').search('', '(objectClass=*)', { scope: 'base', attributes: ['supportedSASLMechanisms'] })).entries[0]?.all(
      'supportedSASLMechanisms',
    );
  t.deepEqual(await listed(house), ['PLAIN']);
  const one = await scramHouse(t, ['scram-sha-256', 'DIGEST-MD5']);
  t.deepEqual(await listed(one), ['SCRAM-SHA-256', 'PLAIN']);
  t.is((await scram(one.connect(), 'ada', 'pencil', { mechanism: 'SCRAM-SHA-1' })).code, 7);
});

test('a verifier is never shown, filtered on, compared or written, and goes with its password', async (t) => {
  const house = await scramHouse(t);
  const operator = house.operator();
  const { entries } = await operator.search(person('ada'), '(objectClass=*)', { attributes: ['*', '+', 'stsScramVerifier'] });
  t.false(JSON.stringify(entries.map(({ names }) => names)).includes('stsScram'));
  t.deepEqual((await operator.search(suffix, '(stsScramVerifier=*)')).dns, []);
  const compared = await operator.ask({ kind: 'compareRequest', entry: person('ada'), description: 'stsScramVerifier', value: utf8('x') });
  t.not(compared.code, 6);
  t.is((await operator.modify(person('ada'), ['add', 'stsScramVerifier', 'x'])).code, 19);
  t.like(await scram(house.connect(), 'ada', 'pencil'), { code: 0 });
  // A hash says nothing of the password that a verifier could be made of.
  const hash = '{SCRYPT}ln=14,r=8,p=1$c2FsdHNhbHRzYWx0$a2V5a2V5a2V5a2V5a2V5a2V5';
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', hash])).code, 0);
  t.like(await scram(house.connect(), 'ada', 'pencil'), { code: 49 });
  await operator.modify(person('ada'), ['replace', 'userPassword', 'eraser']);
  t.like(await scram(house.connect(), 'ada', 'eraser'), { code: 0 });
  await operator.modify(person('ada'), ['replace', 'description', 'x']);
  t.like(await scram(house.connect(), 'ada', 'eraser'), { code: 0 }, 'another change leaves it');
});

test('RFC 4511 §4.2.1: any other request drops a bind that waits for its next step, another mechanism begins anew', async (t) => {
  const house = await scramHouse(t);
  const client = house.connect('ldaps');
  const begin = 'n,,n=ada,r=abc';
  t.is((await stepOf(client, 'SCRAM-SHA-256', begin)).code, 14);
  const { code, result } = await client.ask(whoAmI);
  t.deepEqual([code, result.diagnostic], [1, 'SASL bind in progress']);
  t.is(await who(client), '');
  t.is((await stepOf(client, 'SCRAM-SHA-256', 'c=biws,r=abc,p=AAAA')).code, 2, 'nothing waits for it any more');
  t.is((await stepOf(client, 'SCRAM-SHA-256', begin)).code, 14);
  t.is((await stepOf(client, 'PLAIN', '\0ada\0pencil')).code, 0);
  t.is(await who(client), `dn:${person('ada')}`);
  t.is((await stepOf(client, 'SCRAM-SHA-256', begin)).code, 14);
  t.is(await client.bind('', '').then((each) => each.code), 0);
  t.is(await who(client), '');
});

test('SCRAM: messages that are not the mechanism’s are refused as malformed', async (t) => {
  const house = await scramHouse(t);
  const bad = [
    '',
    'n,,',
    'n,,n=,r=x',
    'n,,n=ada',
    'p=tls-unique,,n=ada,r=x',
    'n,,m=x,n=ada,r=x',
    'n,,n=a=b,r=x',
    `n,,n=ada,r=${'x'.repeat(257)}`,
  ];
  for (const each of bad) t.is((await stepOf(house.connect(), 'SCRAM-SHA-256', each)).code, 2, each);
  t.is((await stepOf(house.connect(), 'SCRAM-SHA-256', `n,,n=${'a'.repeat(5000)},r=x`)).code, 2);
  const breaks: readonly ((said: string) => string)[] = [
    () => '',
    (said) => said.replace('c=biws', 'c=eSws'),
    (said) => said.replace(/r=./, 'r=z'),
    (said) => said.replace(/,p=.*/, ''),
  ];
  for (const each of breaks) t.is((await scram(house.connect(), 'ada', 'pencil', { break: each })).code, 2);
  t.is((await scram(house.connect(), 'ada', 'pencil', { break: (said) => said.replace(/p=.*/, 'p=AAAA') })).code, 49);
});

test('RFC 4616: PLAIN refuses what is not three parts, and a disabled account as a wrong password', async (t) => {
  const house = await furnishedHouse(t);
  for (const bad of ['', 'ada', 'ada\0lovelace', '\0ada\0', '\0\0lovelace', '\0ada\0love\0lace'])
    t.is((await stepOf(house.connect('ldaps'), 'PLAIN', bad)).code, 2, bad);
  t.is((await stepOf(house.connect('ldaps'), 'PLAIN', '\0ada\0lovelace')).code, 0);
  await house.operator().modify(person('ada'), ['add', 'pwdAccountLockedTime', '000001010000Z']);
  t.is((await stepOf(house.connect('ldaps'), 'PLAIN', '\0ada\0lovelace')).code, 49);
});

const onBehalf = (id: string) => ({ oid: '2.16.840.1.113730.3.4.18', critical: true, value: utf8(id) });

/** Which of them Ada may act as, by the control and by PLAIN. */
async function taken(house: House, ...ids: string[]) {
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  const answers = [];
  for (const id of ids) {
    const { code } = await client.ask(whoAmI, [onBehalf(id)]);
    const bound = await stepOf(house.connect('ldaps'), 'PLAIN', `${id}\0ada\0lovelace`);
    answers.push([code, bound.code]);
  }
  return answers;
}

const yes = [0, 0];
const no = [123, 50];

test('proxied authorization: a person acts as themselves, and as whom an administrator’s rule names', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const alan = `dn:${person('alan')}`;
  t.deepEqual(await taken(house, `dn:${person('ada')}`, 'u:ada', alan, 'u:alan', 'dn:uid=x,dc=y', 'u:nobody', 'x:y'), [
    yes,
    yes,
    no,
    no,
    no,
    no,
    no,
  ]);
  const rules: readonly [string, boolean][] = [
    [alan, true],
    [person('alan'), true],
    [`dn.exact:${person('alan').toUpperCase()}`, true],
    [`dn.onelevel:ou=people,${suffix}`, true],
    [`dn.subtree:${suffix}`, true],
    [`dn.children:${suffix}`, true],
    [`dn.children:${person('alan')}`, false],
    [`dn.onelevel:${suffix}`, false],
    ['u:alan', true],
    ['u:ada', false],
    ['dn:*', true],
    ['dn.regex:.*', false],
    [`ldap:///ou=people,${suffix}??sub?(mail=alan@*)`, true],
    [`ldap:///ou=people,${suffix}??sub?(mail=ada@*)`, false],
    [`ldap:///ou=people,${suffix}??sub?(userPassword=*)`, false],
    ['ldap:///%', false],
  ];
  for (const [rule, fits] of rules) {
    t.is((await operator.modify(person('ada'), ['replace', 'authzTo', rule])).code, 0);
    t.deepEqual(await taken(house, alan, 'u:alan'), fits ? [yes, yes] : [no, no], rule);
  }
  await operator.modify(person('ada'), ['replace', 'authzTo']);
  await operator.modify(person('alan'), ['add', 'authzFrom', 'u:ada']);
  t.deepEqual(await taken(house, alan), [yes]);
  await operator.modify(person('alan'), ['add', 'pwdAccountLockedTime', '000001010000Z']);
  t.deepEqual(await taken(house, alan), [no], 'nobody acts as someone who is disabled');
});

test('proxied authorization: nobody but an administrator becomes the administrator, and nobody writes their own rules', async (t) => {
  const house = await furnishedHouse(t);
  await house.operator().modify(person('ada'), ['add', 'authzTo', 'dn:*']);
  t.deepEqual(await taken(house, `dn:uid=admin,ou=people,${suffix}`), [no]);
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  for (const name of ['authzTo', 'authzFrom']) t.is((await ada.modify(person('ada'), ['add', name, 'u:alan'])).code, 50);
  const anyone = house.connect('ldaps');
  t.is((await anyone.ask(whoAmI, [onBehalf(`dn:${person('ada')}`)])).code, 123);
  t.is((await anyone.ask(whoAmI, [onBehalf('')])).code, 123);
  t.is((await ada.ask(whoAmI, [onBehalf('')])).code, 0);
  t.is((await ada.ask(whoAmI, [{ ...onBehalf(''), critical: false }])).code, 2);
});

test('who is acted for has their own rights and no others', async (t) => {
  const house = await furnishedHouse(t);
  await house.operator().modify(person('ada'), ['add', 'authzTo', 'u:alan']);
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const change = (object: string, description: string) =>
    ada.ask({ kind: 'modifyRequest', object, changes: [{ operation: 'replace', attribute: { description, values: [utf8('x')] } }] }, [
      onBehalf('u:alan'),
    ]);
  house.audited.length = 0;
  t.is((await change(person('alan'), 'displayName')).code, 0);
  t.is(house.audited[0]?.subject, person('alan'));
  t.regex(house.audited[0]?.summary ?? '', new RegExp(`; asked by dn:${person('ada')}$`));
  t.is((await change(person('alan'), 'mail')).code, 50);
  t.is((await change(person('ada'), 'displayName')).code, 50, 'what Ada may do by herself does not count');
  const { entries } = await house.operator().search(person('alan'), '(objectClass=*)', { attributes: ['modifiersName'] });
  t.deepEqual(entries[0]?.all('modifiersName'), [person('alan')]);
});
