import { z } from 'zod';
import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { attributesOf, ClientRefusal } from '#client';
import { resultCodes } from '#ldap';
import { type AuthnPolicy, type InForce, mechanisms, type PasswordPolicy } from '#policy';
import { errors } from '../errors.ts';
import { inFields } from './directory-fields.ts';
import { noEntry, tagOf, unchanged } from './entry-edit.ts';
import { type Call, operation } from './row.ts';

const from = z
  .enum(['own', 'default realm', 'built-in'])
  .describe('Whose it is: the realm’s own, the default realm’s that it follows, or what is built in.');
const mechanism = z.enum(mechanisms);
const seconds = z.number().int().min(0).max(315_360_000);

const authnShape = z.strictObject({
  firstFactors: z.array(mechanism).describe('What a sign-in may begin with.'),
  secondFactors: z.array(mechanism).describe('What may follow.'),
  requireSecondFactor: z.enum(['if-held', 'always']).describe('Of whom a second factor is asked.'),
  requireSecondFactorForAdministrators: z
    .enum(['offer', 'always', 'if-held'])
    .describe('The same of administrators who hold none; offer: they may ignore it.'),
  totpEnrolment: z.boolean().describe('Whether an authenticator app can be set up.'),
  recoveryCodeEnrolment: z.boolean().describe('Whether recovery codes can be made.'),
  emailCodeTtlS: z.number().int().min(30).max(600).describe('Seconds for which a code that was mailed is good.'),
  emailCodeAttempts: z.number().int().min(1).max(20).describe('Wrong codes after which one that was mailed is worth nothing.'),
  emailFailureLimit: z
    .number()
    .int()
    .min(1)
    .max(100)
    .describe('Wrong mailed codes, in a row, after which no more are mailed to a person for a time.'),
});

const passwordShape = z.strictObject({
  scramMechanisms: z.array(z.string()).describe('SCRAM mechanisms for which verifiers are kept.'),
  minLength: z.number().int().min(1).max(128).describe('Characters at least.'),
  minSymbols: z.number().int().min(0).max(16).describe('Symbols at least.'),
  minUppercase: z.number().int().min(0).max(16).describe('Capitals at least.'),
  minDigits: z.number().int().min(0).max(16).describe('Digits at least.'),
  history: z.number().int().min(0).max(24).describe('So many of the last passwords cannot be taken again.'),
  maxAgeS: seconds.describe('Seconds after which a password expires; 0: never.'),
  warnS: seconds.describe('Seconds before it expires in which its person is told.'),
  graceLogins: z.number().int().min(0).max(100).describe('Sign-ins with a password that has expired.'),
  minAgeS: seconds.describe('Seconds for which a new password stays.'),
});

/** A policy as it is kept: where, as what, and which attribute each member is. */
interface Kind<T> {
  readonly ou: string;
  readonly objectClass: string;
  readonly attributes: Readonly<Record<keyof T & string, string>>;
  readonly inForce: (call: Call) => Promise<InForce<T>>;
}

const authn: Kind<AuthnPolicy> = {
  ou: 'authnPolicies',
  objectClass: 'stsAuthnPolicy',
  attributes: {
    firstFactors: 'stsFirstFactor',
    secondFactors: 'stsSecondFactor',
    requireSecondFactor: 'stsRequireSecondFactor',
    requireSecondFactorForAdministrators: 'stsRequireSecondFactorForAdministrators',
    totpEnrolment: 'stsTotpEnrolment',
    recoveryCodeEnrolment: 'stsRecoveryCodeEnrolment',
    emailCodeTtlS: 'stsEmailCodeTtl',
    emailCodeAttempts: 'stsEmailCodeAttempts',
    emailFailureLimit: 'stsEmailFailureLimit',
  },
  inForce: ({ deps, realm }) => deps.realms.authnPolicy(realm),
};

const password: Kind<PasswordPolicy> = {
  ou: 'passwordPolicies',
  objectClass: 'stsPasswordPolicy',
  attributes: {
    scramMechanisms: 'stsScramMechanism',
    minLength: 'stsPasswordMinLength',
    minSymbols: 'stsPasswordMinSymbols',
    minUppercase: 'stsPasswordMinUppercase',
    minDigits: 'stsPasswordMinDigits',
    history: 'stsPasswordHistory',
    maxAgeS: 'pwdMaxAge',
    warnS: 'pwdExpireWarning',
    graceLogins: 'pwdGraceAuthNLimit',
    minAgeS: 'pwdMinAge',
  },
  inForce: ({ deps, realm }) => deps.realms.passwordPolicy(realm),
};

const etag = z.string().describe('For If-Match: of the realm’s own policy; none where it has none.');
const authnShown = authnShape.extend({ from, etag });
const passwordShown = passwordShape.extend({ from, etag });

const shown = {
  authn: async (call: Call): Promise<z.input<typeof authnShown>> => {
    const tag = await tagRead(call, authn);
    const { value, from: whose } = await authn.inForce(call);
    return { ...value, firstFactors: [...value.firstFactors], secondFactors: [...value.secondFactors], from: whose, etag: tag };
  },
  password: async (call: Call): Promise<z.input<typeof passwordShown>> => {
    const tag = await tagRead(call, password);
    const { value, from: whose } = await password.inForce(call);
    return { ...value, scramMechanisms: [...value.scramMechanisms], from: whose, etag: tag };
  },
};

/** Read before what is in force: a change between the two is then found by its tag. */
async function tagRead<T>({ deps, realm }: Call, { ou }: Kind<T>): Promise<string> {
  return tagOf(await deps.client.as('self').read(`cn=default,ou=${ou},${realm.suffix}`, ['entryCSN']));
}

export const policiesShow = operation({
  name: 'policies.show',
  method: 'GET',
  path: '/admin-api/policies',
  scope: 'admin:read',
  summary: 'show the authentication policy and the password policy in force in the realm, and whose they are',
  input: z.strictObject({}),
  output: z.strictObject({ authn: authnShown, password: passwordShown }),
  audit: 'policies read',
  command: 'policy show',
  terminal: { examples: [{ line: 'atrium policy show' }, { line: 'atrium policy show --json' }] },
  run: async (call) => ({ authn: await shown.authn(call), password: await shown.password(call) }),
});

export const policiesSaveAuthn = operation({
  name: 'policies.save-authn-policy',
  method: 'POST',
  path: '/admin-api/policies/save-authn-policy',
  scope: 'admin:write',
  editable: true,
  summary: 'give the realm an authentication policy of its own; members that are not given stay as they are in force',
  input: authnShape.partial(),
  output: z.strictObject({ authn: authnShown }),
  audit: 'authentication policy saved',
  console: { on: 'policies', title: 'Authentication policy', verb: 'Save' },
  command: 'policy set-authn',
  terminal: { examples: [{ line: 'atrium policy set-authn --require-second-factor always --totp-enrolment yes' }] },
  run: async (call, given) => {
    await save(call, authn, given);
    return { authn: await shown.authn(call) };
  },
});

export const policiesResetAuthn = operation({
  name: 'policies.reset-authn-policy',
  method: 'POST',
  path: '/admin-api/policies/reset-authn-policy',
  scope: 'admin:write',
  editable: true,
  summary: 'return the realm to following the default realm’s authentication policy',
  input: z.strictObject({}),
  output: z.strictObject({ authn: authnShown, changed: z.boolean().describe('False when it had none of its own.') }),
  audit: 'authentication policy reset',
  console: {
    on: 'policies',
    title: 'Follow the default realm',
    verb: 'Reset',
    danger: 'The realm’s own authentication policy is deleted. What the default realm says counts at the next sign-in.',
  },
  command: 'policy reset-authn',
  terminal: { examples: [{ line: 'atrium policy reset-authn --yes' }] },
  run: async (call) => {
    const changed = await reset(call, authn);
    return { authn: await shown.authn(call), changed };
  },
});

export const policiesSavePassword = operation({
  name: 'policies.save-password-policy',
  method: 'POST',
  path: '/admin-api/policies/save-password-policy',
  scope: 'admin:write',
  editable: true,
  summary: 'give the realm a password policy of its own; members that are not given stay as they are in force',
  input: passwordShape.partial(),
  output: z.strictObject({ password: passwordShown }),
  audit: 'password policy saved',
  console: { on: 'policies', title: 'Password policy', verb: 'Save' },
  command: 'policy set-password',
  terminal: { examples: [{ line: 'atrium policy set-password --min-length 14 --history 5' }] },
  run: async (call, given) => {
    await save(call, password, given);
    return { password: await shown.password(call) };
  },
});

export const policiesResetPassword = operation({
  name: 'policies.reset-password-policy',
  method: 'POST',
  path: '/admin-api/policies/reset-password-policy',
  scope: 'admin:write',
  editable: true,
  summary: 'return the realm to following the default realm’s password policy',
  input: z.strictObject({}),
  output: z.strictObject({ password: passwordShown, changed: z.boolean().describe('False when it had none of its own.') }),
  audit: 'password policy reset',
  console: {
    on: 'policies',
    title: 'Follow the default realm',
    verb: 'Reset',
    danger: 'The realm’s own password policy is deleted. What the default realm says counts for the next password.',
  },
  command: 'policy reset-password',
  terminal: { examples: [{ line: 'atrium policy reset-password --yes' }] },
  run: async (call) => {
    const changed = await reset(call, password);
    return { password: await shown.password(call), changed };
  },
});

type Values = Readonly<Record<string, unknown>>;

/** The whole of a policy counts, so that all of it is written; a description that stands there stays. */
async function save<T>(call: Call, kind: Kind<T>, given: Values): Promise<void> {
  const { actor, realm } = call;
  const { value } = await kind.inForce(call);
  const whole: Values = { ...(value as Values), ...Object.fromEntries(Object.entries(given).filter(([, each]) => each !== undefined)) };
  const rows = Object.entries<string>(kind.attributes).map(([member, attribute]) => [attribute, textsOf(whole[member])] as const);
  const above = `ou=${kind.ou},${realm.suffix}`;
  const fields = Object.fromEntries(
    Object.entries<string>(kind.attributes).map(([member, attribute]) => [attribute.toLowerCase(), member]),
  );
  const changes = rows.map(([description, values]) => ({
    operation: 'replace' as const,
    attribute: { description, values: values.map(utf8) },
  }));
  await inFields(fields, async () => {
    if (call.ifMatch !== noEntry && (await isThere(() => actor.modify(`cn=default,${above}`, changes, unchanged(call))))) return;
    if (call.ifMatch !== undefined && (call.ifMatch !== noEntry || (await tagRead(call, kind)) !== noEntry))
      throw refuse(errors.changedMeanwhile);
    if ((await actor.read(above, ['1.1'])) === undefined)
      await actor.add(above, attributesOf({ objectClass: 'organizationalUnit', ou: kind.ou }));
    const held = Object.fromEntries(rows.filter(([, values]) => values.length > 0));
    await actor.add(`cn=default,${above}`, attributesOf({ objectClass: kind.objectClass, cn: 'default', ...held }));
  });
}

async function reset<T>(call: Call, { ou }: Kind<T>): Promise<boolean> {
  return await isThere(() => call.actor.delete(`cn=default,ou=${ou},${call.realm.suffix}`, unchanged(call)));
}

/** @returns false when there was no such entry */
async function isThere(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return false;
    throw error;
  }
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return [typeof value === 'boolean' ? (value ? 'TRUE' : 'FALSE') : String(value)];
}
