import test, { type ExecutionContext } from 'ava';
import { explainSignIn } from '#client';
import { addApplication } from '../oauth/house.ts';
import { setAttribute, setPolicy } from './mailed.ts';
import { asAdministrator } from './people.ts';
import {
  type Became,
  type By,
  elsewhere,
  type House,
  home,
  noSuchWay,
  openHouse,
  personOf,
  signIn,
  uids,
  type Where,
} from './why-house.ts';

/** The page that is asked for next, by the words that say so. */
const pages: readonly (readonly [words: RegExp, page: string])[] = [
  [/changed first/, 'password-change'],
  [/in development mode who comes first/, 'webauthn'],
  [/asked for and none is held|asked for: a security key/, 'webauthn'],
  [/set up|offered/, 'mfa-setup'],
  [/asked for: a code of an authenticator app/, 'totp'],
  [/asked for: a code by mail/, 'email-code'],
];

interface Explained {
  /** By what one begins with. */
  readonly by: Readonly<Record<By, Became>>;
  readonly whole: Became;
  /** With what the page has one begin, the first that it asks for first. */
  readonly begins: readonly By[];
}

/** What `why` says becomes of it. */
async function explain(house: House, uid: string, { application, from = home }: Where = {}): Promise<Explained> {
  const { dn } = personOf(house, uid);
  const rows = (await explainSignIn(house.operators.actor, { dn, door: 'browser', from, application })) ?? [];
  const of = (rule: string) => rows.filter((row) => row.rule === rule);
  const through = (...rules: readonly string[]): Became => {
    const passed = [...['realm', 'attempts', 'application', 'grant', 'first-factor'], ...rules].flatMap(of);
    for (const { code, words } of passed) {
      if (code !== '') return code;
      const asked = pages.find(([form]) => form.test(words))?.[1];
      if (asked !== undefined) return `asks ${asked}`;
    }
    return of('group').find(({ code }) => code !== '')?.code ?? 'in';
  };
  const spoken = of('first-factor')[0]?.words ?? '';
  const named: readonly (readonly [By, string])[] = [
    ['password', 'the password'],
    ['key', 'a security key'],
    ['mail', 'by mail'],
  ];
  const begins = named.flatMap(([by, words]) => (spoken.includes(words) ? [by] : []));
  const [all] = of('sign-in');
  return {
    by: {
      password:
        begins.length === 0
          ? through()
          : begins.includes('password')
            ? through('access', 'account', 'password', 'hash', 'must-change', 'second-factor')
            : noSuchWay,
      key:
        begins.includes('key') || (of('key-alone').length > 0 && begins.includes('password'))
          ? through('key-alone')
          : begins.length === 0
            ? through()
            : noSuchWay,
      mail: begins.includes('mail') ? through('email-code') : begins.length === 0 ? through() : noSuchWay,
    },
    whole: all?.verdict === 'passes' ? 'in' : (all?.code ?? ''),
    begins,
  };
}

/** What may be said of all ways together: of what was asked for next, and not given, it is not known here what comes behind it. */
function wholeOf(ways: readonly Became[], first: Became): readonly Became[] {
  if (ways.includes('in')) return ['in'];
  if (ways.some((each) => each.startsWith('asks'))) return ['in', ...inTheEnd];
  return [ways.find((each) => each === notInGroup) ?? ways[0] ?? first];
}

const notInGroup = 'STS-OAUTH-9017';
const inTheEnd = [notInGroup, 'STS-AUTHN-0172'];

interface Scenario {
  readonly title: string;
  readonly policy?: Readonly<Record<string, readonly string[]>>;
  readonly settings?: readonly string[];
  readonly application?: string;
  readonly from?: string;
  readonly whose?: readonly string[];
}

const cleared = [
  'stsFirstFactor',
  'stsSecondFactor',
  'stsRequireSecondFactor',
  'stsRequireSecondFactorForAdministrators',
  'stsTotpEnrolment',
];

/** Brings a policy and settings into force, and nothing that another scenario has left. */
async function bring({ atrium }: House, { policy = {}, settings = [] }: Scenario): Promise<void> {
  // What is required goes first: a policy by which nobody could sign in is refused.
  await setPolicy(atrium, { stsRequireSecondFactor: [] });
  await setPolicy(atrium, { ...Object.fromEntries(cleared.map((each) => [each, []])), ...policy });
  const dn = `cn=settings,${atrium.suffix}`;
  await asAdministrator(atrium, async (client) => {
    await client.del(dn).catch(() => undefined);
    if (settings.length > 0) await client.add(dn, { objectClass: 'stsServiceSettings', cn: 'settings', stsSetting: [...settings] });
  });
}

/** Holds what `why` says against what the sign-in does, for everybody by every way that the page has. @returns the differences */
async function differences(t: ExecutionContext, house: House, scenario: Scenario): Promise<readonly string[]> {
  await bring(house, scenario);
  const { title, whose = uids, application, from } = scenario;
  const where = { ...(application === undefined ? {} : { application }), ...(from === undefined ? {} : { from }) };
  const found: string[] = [];
  const seen = new Set<string>();
  for (const uid of whose) {
    const said = await explain(house, uid, where);
    const became = new Map<By, Became>();
    for (const by of ['password', 'key', 'mail'] as const) {
      const real = await signIn(house, uid, by, where);
      became.set(by, real);
      seen.add(real);
      if (real !== said.by[by]) found.push(`${title}, ${uid} by ${by}: ${real}, and why says ${said.by[by]}`);
    }
    const whole = wholeOf(
      said.begins.map((by) => became.get(by) ?? ''),
      became.get('password') ?? '',
    );
    if (!whole.includes(said.whole)) found.push(`${title}, ${uid}: ${whole.join(' or ')}, and why says ${said.whole}`);
  }
  t.log(`${title}: ${[...seen].toSorted().join(', ')}`);
  return found;
}

const scenarios: readonly Scenario[] = [
  { title: 'as it comes' },
  { title: 'keys alone', policy: { stsFirstFactor: ['security-key'] } },
  { title: 'keys and mail', policy: { stsFirstFactor: ['security-key', 'email-code'] } },
  { title: 'password alone', policy: { stsFirstFactor: ['password'] } },
  { title: 'mail as a second factor', policy: { stsSecondFactor: ['security-key', 'authenticator-app', 'email-code'] } },
  { title: 'mail first, always two', policy: { stsFirstFactor: ['email-code'], stsRequireSecondFactor: ['always'] } },
  { title: 'always two', policy: { stsRequireSecondFactor: ['always'] } },
  { title: 'administrators always', policy: { stsRequireSecondFactorForAdministrators: ['always'] } },
  { title: 'administrators if held', policy: { stsRequireSecondFactorForAdministrators: ['if-held'] } },
  { title: 'no app as a second factor', policy: { stsSecondFactor: ['security-key'] } },
  { title: 'apps off', settings: ['totp.enabled=false'] },
  { title: 'keys off', settings: ['webauthn.enabled=false'] },
  { title: 'keys alone, and off', policy: { stsFirstFactor: ['security-key'] }, settings: ['webauthn.primaryAllowed=false'] },
  {
    title: 'nothing to enrol',
    policy: { stsRequireSecondFactor: ['always'], stsTotpEnrolment: ['FALSE'] },
    settings: ['webauthn.mfaAllowed=false'],
  },
];

test('what why says of a person at the sign-in page is what the page does, by every policy and switch, with the same code', async (t) => {
  const house = await openHouse(t);
  const found: string[] = [];
  for (const scenario of scenarios) found.push(...(await differences(t, house, scenario)));
  t.deepEqual(found, []);
});

test('the same where an application demands something', async (t) => {
  const house = await openHouse(t);
  const group = `cn=Admin Read,ou=groups,${house.atrium.suffix}`;
  const entries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    two: { stsRequiredAcr: 'mfa' },
    hardware: { stsRequiredAcr: 'hwk' },
    unmailed: { stsRefuseEmailFactor: 'TRUE' },
    few: { stsAllowedGroup: group },
    machine: { stsGrantType: 'client_credentials' },
    closed: {},
  };
  for (const [id, more] of Object.entries(entries)) await addApplication(house, id, more);
  await setAttribute(house.atrium, `cn=closed,ou=applications,${house.atrium.suffix}`, 'pwdAccountLockedTime', ['000001010000Z']);
  const policy = {
    stsFirstFactor: ['password', 'security-key', 'email-code'],
    stsSecondFactor: ['security-key', 'authenticator-app', 'email-code'],
  };
  const found: string[] = [];
  for (const application of [...Object.keys(entries), 'nobody']) {
    const whose = ['machine', 'closed', 'nobody'].includes(application) ? ['plain'] : uids;
    found.push(...(await differences(t, house, { title: application, policy, application, whose })));
  }
  t.deepEqual(found, []);
});

test('the same at a risk: from a network from which somebody has not signed in before', async (t) => {
  for (const risk of ['elevated', 'step-up']) {
    const house = await openHouse(t, { STS_AUTHN_RISK_OF_NEW_NETWORK: risk });
    const policy = {
      stsSecondFactor: ['security-key', 'authenticator-app', 'email-code'],
      stsRequireSecondFactorForAdministrators: ['if-held'],
    };
    const found = [
      ...(await differences(t, house, { title: `${risk}, at home`, policy })),
      ...(await differences(t, house, { title: risk, policy, from: elsewhere })),
    ];
    t.deepEqual(found, []);
  }
});

test('the same in development mode, where passwords are not checked and who comes first sets a key up', async (t) => {
  const house = await openHouse(t, { STS_GLOBAL_MODE: 'development' });
  const whose = ['plain', 'app', 'mfa', 'primary', 'disabled', 'late', 'reset', 'required'];
  t.deepEqual(await differences(t, house, { title: 'development', whose }), []);
});

test('the same where rules of access let nobody sign in as somebody, from anywhere or from somewhere', async (t) => {
  const house = await openHouse(t);
  const { atrium } = house;
  const rule = {
    objectClass: 'stsAccessRule',
    cn: 'not from elsewhere',
    stsRuleOrder: '100',
    stsRuleEffect: 'deny',
    stsRuleWho: 'anyone',
    stsRuleFrom: '127.9.0.0/16',
    stsRuleTarget: `subtree:ou=people,${atrium.suffix}`,
    stsRuleRight: 'auth',
  };
  await asAdministrator(atrium, (client) => client.add(`cn=not from elsewhere,ou=accessRules,${atrium.suffix}`, rule));
  const policy = { stsFirstFactor: ['password', 'security-key', 'email-code'] };
  const whose = ['plain', 'app', 'primary', 'mailed', 'disabled'];
  const found = [
    ...(await differences(t, house, { title: 'at home', policy, whose })),
    ...(await differences(t, house, { title: 'elsewhere', policy, whose, from: elsewhere })),
  ];
  t.deepEqual(found, []);
});
