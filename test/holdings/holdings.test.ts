import test from 'ava';
import { utf8 } from '#base';
import {
  emailFactorOf,
  holdingsOf,
  parseAuthenticatorApp,
  parseSecurityKey,
  printAuthenticatorApp,
  printSecurityKey,
  type SecurityKey,
} from '#holdings';

const key: SecurityKey = {
  attestation: { proved: 'untrusted', format: 'none' },
  id: Buffer.from([0xff, 0, 1]).toString('base64url'),
  role: 'mfa',
  name: 'Blue key “Zoë”',
  publicKey: 'pQECAyYgASFY',
  algorithm: -7,
  counter: 0,
  aaguid: '00000000-0000-0000-0000-000000000000',
  transports: ['usb'],
  backupEligible: false,
  backedUp: false,
  addedMs: 7,
};

function entry(values: Readonly<Record<string, readonly (string | Uint8Array)[]>>) {
  const octets = (name: string) => (values[name] ?? []).map((value) => (typeof value === 'string' ? utf8(value) : value));
  return { octets, all: (name: string) => octets(name).map((value) => Buffer.from(value).toString('utf8')) };
}

test('a security key has one text, whatever order its members have', (t) => {
  const text = printSecurityKey(key);
  t.true(text.startsWith('{"id":"_wAB","role":"mfa",'));
  const read = parseSecurityKey(text);
  t.deepEqual(read, key);
  t.is(printSecurityKey(read ?? key), text);
  const used = { ...key, lastUsedMs: 9, lastUsedFrom: '::1', attachment: 'platform', discoverable: true } as const;
  t.deepEqual(parseSecurityKey(printSecurityKey(used)), used);
});

test('what is not of the form of a security key is held by nobody', (t) => {
  for (const wrong of [
    { id: '' },
    { id: '_wAB=' },
    { id: Buffer.alloc(1024).toString('base64url') },
    { role: 'other' },
    { publicKey: 'not base64!' },
    { counter: -1 },
    { counter: 1.5 },
    { algorithm: '−7' },
    { transports: [1] },
    { transports: 'usb' },
    { name: 'x'.repeat(2000) },
    { backupEligible: 'no' },
    { attachment: 'near' },
    { discoverable: 1 },
    { lastUsedMs: 'now' },
    { attestation: {} },
    { attestation: { format: 'none', proved: 'believed' } },
  ])
    t.is(parseSecurityKey(printSecurityKey({ ...key, ...wrong } as SecurityKey)), undefined, JSON.stringify(wrong));
  // The same key, and not as it is written here.
  t.is(parseSecurityKey(JSON.stringify(key)), undefined);
  t.is(parseSecurityKey(`${printSecurityKey(key)} `), undefined);
  t.is(parseSecurityKey(printSecurityKey(key).replace('{', '{"more":1,')), undefined);
  for (const text of ['', '{', 'null', '[]', '"key"', '1']) t.is(parseSecurityKey(text), undefined);
});

test('a key counts only while its id stands in stsCredentialId', (t) => {
  const stored = { stsWebauthnCredential: [printSecurityKey(key), 'nonsense'] };
  t.deepEqual(holdingsOf(entry({ ...stored, stsCredentialId: [new Uint8Array([0xff, 0, 1])] })).keys, [key]);
  t.deepEqual(holdingsOf(entry({ ...stored, stsCredentialId: [new Uint8Array([0xff, 0, 2])] })).keys, []);
  t.deepEqual(holdingsOf(entry(stored)).keys, []);
});

test('what stsAuthenticatorApp says of an app is read back as it was written', (t) => {
  const app = { algorithm: 'SHA256', digits: 8, period: 60, addedMs: 1_790_000_000_000 } as const;
  for (const each of [app, { ...app, lastStep: 59_666_666 }]) t.deepEqual(parseAuthenticatorApp(printAuthenticatorApp(each)), each);
  for (const text of ['', 'algorithm=MD5 digits=6 period=30 added=1', `${printAuthenticatorApp(app)} secret=x`])
    t.is(parseAuthenticatorApp(text), undefined, text);
});

test('an address counts as verified only while it is an address of the entry', (t) => {
  const of = (values: Readonly<Record<string, readonly string[]>>) => emailFactorOf(entry(values).all);
  t.is(of({ stsVerifiedMail: ['old@example.com'] }), undefined);
  t.deepEqual(of({ mail: ['a@example.com'], stsVerifiedMail: ['old@example.com'] }), {
    address: 'a@example.com',
    verified: false,
    optedIn: false,
    failures: 0,
    firstFailures: 0,
  });
  t.deepEqual(
    of({
      mail: ['a@example.com', 'b@example.com'],
      stsVerifiedMail: ['B@example.com'],
      stsEmailFactor: ['TRUE'],
      stsEmailFailures: ['3'],
      stsEmailFirstFailures: ['4'],
    }),
    { address: 'b@example.com', verified: true, optedIn: true, failures: 3, firstFailures: 4 },
  );
});

test('a set of recovery codes that is used up is not the same as none', (t) => {
  t.is(holdingsOf(entry({ stsRecoveryCodesLeft: ['0'] })).recoveryCodesLeft, 0);
  t.is(holdingsOf(entry({})).recoveryCodesLeft, undefined);
  t.true(holdingsOf(entry({ stsMfaRequired: ['TRUE'] })).mfaRequired);
  t.false(holdingsOf(entry({ stsMfaRequired: ['FALSE'] })).mfaRequired);
});
