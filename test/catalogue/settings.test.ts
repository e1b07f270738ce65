import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { describeSettingProblem, readSettings, removedSettings, type SettingRows } from '#catalogue';

const restart = { applies: 'restart', scope: 'process', obeyed: true, means: 'for this test' } as const;
const rows = {
  'ldap.port': { env: 'STS_LDAP_PORT', kind: 'integer', default: 389, min: 0, max: 65535, mayBeEmpty: true, ...restart },
  'ldap.sizeLimit': { env: 'STS_LDAP_SIZE_LIMIT', kind: 'integer', default: 500, min: 1, ...restart },
  'ldap.host': { env: 'STS_LDAP_HOST', kind: 'text', default: '127.0.0.1', ...restart },
  'global.mode': { env: 'STS_GLOBAL_MODE', kind: 'choice', default: 'product', values: ['product', 'development'], ...restart },
  'test.lax': { env: 'STS_TEST_LAX', kind: 'boolean', default: false, developmentOnly: true, ...restart },
  'test.doors': { env: 'STS_TEST_DOORS', kind: 'list', default: [], values: ['ldap', 'scim'], ...restart },
  'tls.certFile': { env: 'STS_TLS_CERT_FILE', kind: 'text', default: '', ...restart },
  'tls.cert': { env: 'STS_TLS_CERT', kind: 'text', default: '', ...restart },
  'keys.kek': {
    env: 'STS_KEYS_KEK',
    kind: 'secret',
    default: '',
    check: (given) => (given.length < 32 ? 'is too short' : undefined),
    ...restart,
  },
  'test.later': { env: 'STS_TEST_LATER', kind: 'integer', default: 7, ...restart, obeyed: false },
} as const satisfies SettingRows;

const kek = 'k'.repeat(32);

function file(t: ExecutionContext, text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-settings-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'given');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function codes(read: { readonly problems: readonly { readonly code: string }[] }): string[] {
  return read.problems.map(({ code }) => code);
}

test('settings come from defaults, then the JSON file, then the environment', (t) => {
  const configFile = file(t, JSON.stringify({ 'ldap.port': 1389, ldap: { sizeLimit: 100, host: '::1' } }));
  const { values, problems, warnings } = readSettings(rows, { environment: { STS_CONFIG: configFile, STS_LDAP_HOST: 'localhost' } });
  t.deepEqual([...problems, ...warnings], []);
  t.is(values['ldap.port'], 1389);
  t.is(values['ldap.sizeLimit'], 100);
  t.is(values['ldap.host'], 'localhost');
  t.is(values['global.mode'], 'product');
});

test('an empty value switches a listener off', (t) => {
  t.is(readSettings(rows, { environment: { STS_LDAP_PORT: '' } }).values['ldap.port'], undefined);
  t.is(readSettings(rows, { environment: {}, configFile: file(t, '{"ldap.port": ""}') }).values['ldap.port'], undefined);
  t.is(readSettings(rows, { environment: { STS_LDAP_PORT: '0' } }).values['ldap.port'], 0);
});

const unfit: readonly [given: string, environment: Record<string, string>, code: string, said: RegExp][] = [
  ['a port that is no number', { STS_LDAP_PORT: '389a' }, 'STS-CORE-0108', /ldap\.port.*integer from 0 to 65535.*"389a"/],
  ['a port out of bounds', { STS_LDAP_PORT: '65536' }, 'STS-CORE-0108', /65535/],
  ['a size limit with a fraction', { STS_LDAP_SIZE_LIMIT: '1.5' }, 'STS-CORE-0108', /integer/],
  ['an empty value where one is needed', { STS_LDAP_SIZE_LIMIT: '' }, 'STS-CORE-0002', /ldap\.sizeLimit.*empty/],
  ['an unknown choice', { STS_GLOBAL_MODE: 'prod' }, 'STS-CORE-0108', /product, development/],
  ['a boolean in other words', { STS_TEST_LAX: 'yes' }, 'STS-CORE-0108', /true or false/],
  ['a list with a stranger in it', { STS_TEST_DOORS: 'ldap, ftp' }, 'STS-CORE-0108', /"ftp"/],
  ['a text with a line break', { STS_LDAP_HOST: 'a\nb' }, 'STS-CORE-0108', /control character/],
];
for (const [given, environment, code, said] of unfit) {
  test(`a value that fails its check stops the start with name and problem: ${given}`, (t) => {
    const { problems } = readSettings(rows, { environment });
    t.is(problems.length, 1);
    const [problem] = problems;
    if (problem === undefined) return;
    t.is(problem.code, code as typeof problem.code);
    t.regex(describeSettingProblem(problem), said);
  });
}

test('all problems are told at once', (t) => {
  const environment = { STS_LDAP_PORT: 'x', STS_LDAP_SIZE_LIMIT: '0', STS_GLOBAL_MODE: '', STS_GNAP_PUSH_ALLOW_INSECURE: 'false' };
  t.deepEqual(codes(readSettings(rows, { environment })), ['STS-CORE-0105', 'STS-CORE-0108', 'STS-CORE-0108', 'STS-CORE-0002']);
});

for (const [name, env] of Object.entries(removedSettings)) {
  test(`a setting that was removed on 2026-09-23 stops the start wherever it is named: ${name}`, (t) => {
    const [area = '', rest = ''] = name.split('.');
    t.deepEqual(codes(readSettings(rows, { environment: { [env]: '' } })), ['STS-CORE-0105']);
    t.deepEqual(codes(readSettings(rows, { environment: { [`${env}_FILE`]: '/nowhere' } })), ['STS-CORE-0105']);
    t.deepEqual(codes(readSettings(rows, { environment: {}, configFile: file(t, JSON.stringify({ [name]: true })) })), ['STS-CORE-0105']);
    t.deepEqual(codes(readSettings(rows, { environment: {}, configFile: file(t, JSON.stringify({ [area]: { [rest]: false } })) })), [
      'STS-CORE-0105',
    ]);
  });
}

test('an unknown STS_ name is reported with the nearest known one, and the service starts', (t) => {
  const { problems, warnings } = readSettings(rows, { environment: { STS_LDAP_PROT: '389', PATH: '/bin', STS_CONFIG: '' } });
  t.deepEqual(problems, []);
  t.is(warnings.length, 1);
  t.regex(warnings[0]?.problem ?? '', /nearest known name is STS_LDAP_PORT$/);
});

test('an unknown name in the file is reported with the nearest known one', (t) => {
  const { problems, warnings } = readSettings(rows, { environment: {}, configFile: file(t, '{"ldap": {"prot": 389}, "ldap.port": 636}') });
  t.deepEqual(problems, []);
  t.regex(warnings[0]?.problem ?? '', /nearest known name is ldap\.port$/);
});

test('a _FILE variant reads the value from a file and drops the line end behind it', (t) => {
  const { values, problems } = readSettings(rows, { environment: { STS_KEYS_KEK_FILE: file(t, `${kek}\n`) } });
  t.deepEqual(problems, []);
  t.is(values['keys.kek'], kek);
});

for (const mode of [0o640, 0o604, 0o660, 0o644]) {
  test(`a secret file that others than its owner may read is refused: ${mode.toString(8)}`, (t) => {
    t.deepEqual(codes(readSettings(rows, { environment: { STS_KEYS_KEK_FILE: file(t, kek, mode) } })), ['STS-KEYS-9045']);
  });
}

test('a secret file that is missing, empty or a folder is refused', (t) => {
  t.deepEqual(codes(readSettings(rows, { environment: { STS_KEYS_KEK_FILE: join(tmpdir(), 'atrium-nothing-here') } })), ['STS-KEYS-9043']);
  t.deepEqual(codes(readSettings(rows, { environment: { STS_KEYS_KEK_FILE: tmpdir() } })), ['STS-KEYS-9043']);
  t.deepEqual(codes(readSettings(rows, { environment: { STS_KEYS_KEK_FILE: file(t, '\n') } })), ['STS-KEYS-9044']);
});

test('a secret given both ways is refused: nobody could say which one counts', (t) => {
  t.deepEqual(codes(readSettings(rows, { environment: { STS_KEYS_KEK: kek, STS_KEYS_KEK_FILE: file(t, kek) } })), ['STS-CORE-0108']);
});

test('a setting whose own name ends with _FILE names a file and is not read here', (t) => {
  t.is(readSettings(rows, { environment: { STS_TLS_CERT_FILE: '/nowhere' } }).values['tls.certFile'], '/nowhere');
});

test('a configuration file that holds a secret and is open to others is refused', (t) => {
  const text = JSON.stringify({ 'keys.kek': kek });
  t.deepEqual(codes(readSettings(rows, { environment: {}, configFile: file(t, text, 0o644) })), ['STS-KEYS-9045']);
  t.deepEqual(codes(readSettings(rows, { environment: {}, configFile: file(t, text, 0o600) })), []);
  t.deepEqual(codes(readSettings(rows, { environment: {}, configFile: file(t, '{"ldap.port": 1}', 0o644) })), []);
});

const unloadable: readonly [given: string, text: string][] = [
  ['no JSON', '{"keys.kek": canary-of-this-test}'],
  ['cut off', '{"keys.kek": "canary-of-this-test'],
  ['no object', '["canary-of-this-test"]'],
  ['too large', `{"x": "${'canary-of-this-test'.repeat(60_000)}"}`],
];
for (const [given, text] of unloadable) {
  test(`a configuration file that cannot be loaded stops the start and is not quoted: ${given}`, (t) => {
    const read = readSettings(rows, { environment: {}, configFile: file(t, text) });
    t.deepEqual(codes(read), ['STS-CORE-0001']);
    t.notRegex(JSON.stringify(read), /canary/);
  });
}

test('a development-only setting may not differ from its default in product mode', (t) => {
  t.deepEqual(codes(readSettings(rows, { environment: { STS_TEST_LAX: 'true' } })), ['STS-CORE-0103']);
  t.deepEqual(codes(readSettings(rows, { environment: { STS_TEST_LAX: 'false' } })), []);
  t.deepEqual(codes(readSettings(rows, { environment: { STS_TEST_LAX: 'true', STS_GLOBAL_MODE: 'development' } })), []);
});

test('a setting given null has no value', (t) => {
  t.deepEqual(codes(readSettings(rows, { environment: {}, configFile: file(t, '{"ldap.host": null}') })), ['STS-CORE-0002']);
});

test('no problem ever repeats a secret, whatever is wrong with it', (t) => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: 'grapheme' }), (noise) => {
      const secret = `canary ${noise}`;
      const read = readSettings(rows, { environment: { STS_KEYS_KEK: secret } });
      t.false(JSON.stringify([read.problems, read.warnings]).includes('canary'));
    }),
  );
});

test('what an integer setting accepts is exactly the integers between its bounds', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: -70_000, max: 140_000 }), (given) => {
      const read = readSettings(rows, { environment: { STS_LDAP_PORT: String(given) } });
      t.is(read.problems.length === 0, given >= 0 && given <= 65535);
      if (read.problems.length === 0) t.is(read.values['ldap.port'], given);
    }),
  );
});
