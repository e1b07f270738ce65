import test from 'ava';
import type { SettingRows } from '#catalogue';
import { modeOf, policySettings, readPasswordPolicy, readRealmSettings, settingInForce, settingsInForce } from '#policy';

const common = { applies: 'runtime', obeyed: true, means: 'a test' } as const;
const rows = {
  ...policySettings,
  'a.count': { ...common, env: 'A', kind: 'integer', default: 3, min: 1, max: 9, scope: 'realm' },
  'a.name': { ...common, env: 'B', kind: 'text', default: '', scope: 'realm' },
  'a.list': { ...common, env: 'C', kind: 'list', default: ['x'], values: ['x', 'y'], scope: 'realm' },
  'a.port': { ...common, env: 'D', kind: 'integer', default: 1, scope: 'process' },
  'a.secret': { ...common, env: 'E', kind: 'secret', default: '', scope: 'realm' },
  'a.trial': { ...common, env: 'F', kind: 'boolean', default: false, scope: 'realm', developmentOnly: true },
} as const satisfies SettingRows;
const service = {
  'global.mode': 'product',
  'a.count': 3,
  'a.name': 'of the service',
  'a.list': ['x'],
  'a.port': 1,
  'a.secret': '',
  'a.trial': false,
  'authn.riskOfNewNetwork': 'none',
  'realms.removalDeliveryTimeoutS': 300,
} as const;

type Fit = readonly [text: string, name: string, value: unknown];
const fits: readonly Fit[] = [
  ['a.count=9', 'a.count', 9],
  [' a.count = 9 ', 'a.count', 9],
  ['a.name=x=y', 'a.name', 'x=y'],
  ['a.name=', 'a.name', ''],
  ['a.list=x, y', 'a.list', ['x', 'y']],
];
for (const [text, name, value] of fits) {
  test(`a realm may set ${JSON.stringify(text)} of its own`, (t) => {
    const { values, faults } = readRealmSettings(rows, [text], 'product');
    t.deepEqual([[...values], faults], [[[name, value]], []] as never);
  });
}

type Unfit = readonly [texts: readonly string[], why: RegExp];
const unfit: readonly Unfit[] = [
  [['a.count'], /not written as name=value/],
  [[''], /not written as name=value/],
  [['=1'], /no setting/],
  [['a.unknown=1'], /no setting/],
  [['toString=1'], /no setting/],
  [['__proto__=1'], /no setting/],
  [['a.count=10'], /an integer from 1 to 9/],
  [['a.count='], /it is empty/],
  [['a.list=z'], /may hold x, y/],
  [['a.name=\u0001'], /control character/],
  [['a.port=2'], /of the whole service/],
  [['global.mode=development'], /stsRealmMode/],
  [['a.secret=x'], /secret/],
  [['a.trial=true'], /product mode/],
  [['a.count=1', 'a.count=2'], /twice/],
];
for (const [texts, why] of unfit) {
  test(`a realm may not set ${JSON.stringify(texts)}: the reason is told`, (t) => {
    const { faults } = readRealmSettings(rows, texts, 'product');
    t.is(faults.length, 1);
    t.regex(faults[0]?.why ?? '', why);
  });
}

test('a development-only setting counts in a realm in development mode (STS-CORE-0103)', (t) => {
  t.deepEqual(readRealmSettings(rows, ['a.trial=true'], 'development').faults, []);
});

test('what fits counts although its neighbour does not; a name from outside is told short and on one line', (t) => {
  const { values, faults } = readRealmSettings(rows, ['a.count=4', `a\n${'x'.repeat(500)}`], 'product');
  t.is(values.get('a.count'), 4);
  t.regex(faults[0]?.name ?? '', /^a\?x{78}…$/);
});

test("settings per realm: own, then the default realm's, which are the service's; nothing else changes", (t) => {
  const own = readRealmSettings(rows, ['a.count=4'], 'development').values;
  const inForce = settingsInForce<typeof rows>(service, own, 'development');
  for (const [name, value] of Object.entries({ ...service, 'global.mode': 'development', 'a.count': 4 }))
    t.deepEqual(inForce[name as keyof typeof rows], value, name);
  t.deepEqual(settingInForce('a.count', rows['a.count'], 3, own), { value: 4, from: 'own' });
  t.deepEqual(settingInForce('a.name', rows['a.name'], 'of the service', own), { value: 'of the service', from: 'default realm' });
  t.deepEqual(settingInForce('a.list', rows['a.list'], ['x'], own), { value: ['x'], from: 'built-in' });
});

test("the mode of a realm is its own, or else the service's", (t) => {
  t.is(modeOf('development', 'product'), 'development');
  t.is(modeOf('Product', 'development'), 'product');
  for (const given of [undefined, '', 'none']) t.is(modeOf(given, 'development'), 'development');
});

test('a password policy is read from its entry, each mechanism once and in upper case', (t) => {
  const entry = (attribute: string) => (attribute === 'stsscrammechanism' ? ['scram-sha-256', 'SCRAM-SHA-256'] : []);
  t.deepEqual(readPasswordPolicy(entry).scramMechanisms, ['SCRAM-SHA-256']);
  t.deepEqual(readPasswordPolicy(() => []).scramMechanisms, []);
});
