import test, { type ExecutionContext } from 'ava';
import { utf8 } from '#base';
import { Refusal } from '#catalogue';
import { importLive } from '#directory';
import { readLdif } from '#ldap';
import { type Attributes, furnishedHouse, person, suffix } from './driver.ts';

const limits = { lineOctetsMax: 10_000, recordOctetsMax: 10_000, valuesMax: 100 };
const dn = `cn=default,ou=authnPolicies,${suffix}`;
const policy = (values: Attributes = {}) => ({ objectClass: 'stsAuthnPolicy', cn: 'default', ...values });

async function open(t: ExecutionContext, given: Parameters<typeof furnishedHouse>[1] = {}) {
  const house = await furnishedHouse(t, given);
  const operator = house.operator();
  t.is((await operator.add(`ou=authnPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'authnPolicies' })).code, 0);
  return { ...house, operator };
}

test('add: a word that is none is refused by 19, with the attribute and why, and the row is STS-LDAP-9391', async (t) => {
  const { operator, audited } = await open(t);
  const { code, result } = await operator.add(dn, policy({ stsRequireSecondFactor: 'never' }));
  t.is(code, 19);
  t.is(result.diagnostic, 'stsRequireSecondFactor: it is if-held or always, not never');
  t.is(audited.at(-1)?.error?.code, 'STS-LDAP-9391');
  t.is((await operator.add(dn, policy({ stsrequiresecondfactor: 'never' }))).code, 19, 'whatever its name is written as');
  t.is((await operator.add(dn, { ...policy({ stsFirstFactor: 'magic' }), objectClass: 'STSAUTHNPOLICY' })).code, 19);
  t.is((await operator.add(dn, policy({ stsRequireSecondFactor: 'Always', stsFirstFactor: ['Password'] }))).code, 0);
});

test('modify: nonsense is refused and the policy stays as it was', async (t) => {
  const { operator } = await open(t);
  t.is((await operator.add(dn, policy({ stsSecondFactor: ['security-key', 'recovery-code'] }))).code, 0);
  const wrong: readonly (readonly [attribute: string, ...values: string[]])[] = [
    ['stsFirstFactor', 'password', 'magic'],
    ['stsSecondFactor', 'password'],
    ['stsSecondFactor', 'recovery-code'],
    ['stsRequireSecondFactorForAdministrators', 'never'],
    ['stsEmailCodeTtl', '601'],
    ['stsEmailCodeAttempts', '0'],
    ['stsEmailFailureLimit', '101'],
  ];
  for (const [attribute, ...values] of wrong) {
    const { code, result } = await operator.modify(dn, ['replace', attribute, ...values]);
    t.is(code, 19, `${attribute} ${values}`);
    t.true(result.diagnostic.startsWith(`${attribute}: `), result.diagnostic);
  }
  t.is((await operator.modify(dn, ['delete', 'stsSecondFactor', 'security-key'])).code, 19, 'what is left counts, not what is taken away');
  t.is((await operator.modify(dn, ['replace', 'stsTotpEnrolment', 'no'])).code, 21);
  const [entry] = (await operator.search(dn, '(objectClass=*)', { scope: 'base' })).entries;
  t.deepEqual(entry?.all('stsSecondFactor'), ['security-key', 'recovery-code']);
});

test('what stands at the name of a policy and is of another class is no policy, whatever it says', async (t) => {
  const { operator, connect } = await open(t);
  t.is((await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' })).code, 0);
  const foreign = { objectClass: ['device', 'extensibleObject'], cn: 'default' };
  t.is((await operator.add(dn, { ...foreign, stsRequireSecondFactor: 'always' })).code, 0);
  t.is((await connect().bind(person('ada'), 'lovelace')).code, 0);
  t.is((await operator.add(`cn=default,ou=passwordPolicies,${suffix}`, { ...foreign, pwdMinLength: '60' })).code, 0);
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', 'Correct-horse-7'])).code, 0);
  t.is((await operator.ask({ kind: 'delRequest', entry: dn })).code, 0);
  t.is((await operator.add(dn, policy({ stsRequireSecondFactor: 'always' }))).code, 0);
  t.is((await connect().bind(person('ada'), 'Correct-horse-7')).code, 49, 'one of its class counts');
});

test('a policy is in force in one place only, and stands there', async (t) => {
  const { operator } = await open(t);
  const elsewhere = `cn=strict,ou=authnPolicies,${suffix}`;
  const refused = await operator.add(elsewhere, { ...policy(), cn: 'strict' });
  t.is(refused.code, 19);
  t.true(refused.result.diagnostic.includes(dn));
  t.is((await operator.add(dn, policy())).code, 0);
  const rename = { kind: 'modifyDNRequest', entry: dn, newRdn: 'cn=strict', deleteOldRdn: true } as const;
  t.is((await operator.ask(rename)).code, 19);
  const move = { ...rename, newRdn: 'cn=default', deleteOldRdn: false, newSuperior: `ou=groups,${suffix}` };
  t.is((await operator.ask(move)).code, 19);
});

test('STS-AUTHN-0244: an emailed factor cannot be turned on where the realm has no mail server', async (t) => {
  const { operator, audited } = await open(t);
  t.is((await operator.add(dn, policy({ stsFirstFactor: ['password', 'email-code'] }))).code, 19);
  t.is(audited.at(-1)?.error?.code, 'STS-AUTHN-0244');
  t.is((await operator.add(dn, policy())).code, 0);
  const { code, result } = await operator.modify(dn, ['add', 'stsSecondFactor', 'security-key', 'email-link']);
  t.is(code, 19);
  t.regex(result.diagnostic, /^stsSecondFactor: this realm has no mail server \(mail\.smtpHost\)/);
});

test('where there is a mail server an emailed factor can be turned on, and who has lost it since can edit the rest', async (t) => {
  let mails = true;
  const { operator } = await open(t, { mails: () => mails });
  t.is((await operator.add(dn, policy({ stsSecondFactor: ['security-key', 'email-link'] }))).code, 0);
  mails = false;
  t.is((await operator.modify(dn, ['replace', 'stsTotpEnrolment', 'FALSE'])).code, 0);
  t.is((await operator.modify(dn, ['delete', 'stsSecondFactor', 'email-link'])).code, 0);
  t.is((await operator.modify(dn, ['add', 'stsSecondFactor', 'email-link'])).code, 19);
});

test('an import is held to the same', async (t) => {
  const { engine } = await open(t);
  const ldif = (values: string) => `version: 1\n\ndn: ${dn}\nobjectClass: stsAuthnPolicy\ncn: default\n${values}\n`;
  const imported = async (values: string) => {
    return await importLive(engine, readLdif([utf8(ldif(values))], limits)).then(
      () => '',
      (error: unknown) => (error instanceof Refusal ? error.says : String(error)),
    );
  };
  t.regex(await imported('stsFirstFactor: magic'), /stsFirstFactor: magic is no mechanism/);
  t.regex(await imported('stsSecondFactor: email-code'), /mail\.smtpHost/);
  t.is(await imported('stsRequireSecondFactor: always'), '');
});

test('an ordinary person neither writes a policy nor learns from the attempt what it would be refused for', async (t) => {
  const { operator, connect } = await open(t);
  const client = connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.add(dn, policy({ stsRequireSecondFactor: 'never' }))).code, 32);
  t.is((await operator.add(dn, policy())).code, 0);
  t.is((await client.modify(dn, ['replace', 'stsRequireSecondFactor', 'never'])).code, 32);
});
