import test from 'ava';
import { Refusal, readSettings } from '#catalogue';
import { factorsSettings } from '#factors';
import type { SecurityKey } from '#holdings';
import { algorithmNames, coseNumbers } from '../../src/factors/webauthn/algorithms.ts';
import { readAnswer } from '../../src/factors/webauthn/answer.ts';
import { verifyAssertion } from '../../src/factors/webauthn/assertion.ts';
import { creationOptions, requestOptions, userHandleOf } from '../../src/factors/webauthn/options.ts';
import { verifyRegistration } from '../../src/factors/webauthn/registration.ts';
import { relyingPartyOf, type WebauthnSettings } from '../../src/factors/webauthn/relying-party.ts';
import { type Asked, type Authenticator, type Bent, type Cbor, flag, makeAuthenticator } from '../support/soft-key.ts';

const standing: WebauthnSettings = readSettings(factorsSettings, { environment: {} }).values;
const origin = 'https://id.example.com';
const party = { id: 'id.example.com', origins: [origin] };
const asked: Asked = { challenge: Buffer.alloc(32, 7).toString('base64url'), origin, rpId: party.id };
const entryUuid = '6f1c4a52-9a3f-4c11-8d2e-0123456789ab';

function register(authenticator: Authenticator, bent: Bent = {}, settings: Partial<WebauthnSettings> = {}, to: Asked = asked) {
  return attempt(() =>
    verifyRegistration(
      {
        answer: readAnswer(authenticator.create(to, bent)),
        settings: { ...standing, ...settings },
        party,
        challenge: asked.challenge,
        role: 'mfa',
        name: 'Blue',
        nowMs: 5,
      },
      (object) => object,
      async () => ({ format: 'none', proved: 'untrusted' }),
    ),
  );
}

function present(
  authenticator: Authenticator,
  key: SecurityKey,
  bent: Bent = {},
  settings: Partial<WebauthnSettings> = {},
  to: Asked = asked,
) {
  return attempt(() =>
    verifyAssertion({
      answer: readAnswer(authenticator.get(to, bent)),
      settings: { ...standing, ...settings },
      party,
      challenge: asked.challenge,
      key,
      entryUuid,
      nowMs: 9,
      address: '::1',
    }),
  );
}

/** What is refused is told by its code and what stands in the audit row. */
async function attempt<T>(act: () => Promise<T>): Promise<T | string> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof Refusal) return `${thrown.row.code}: ${thrown.tells}`;
    throw thrown;
  }
}

async function enrolled(authenticator: Authenticator, bent: Bent = {}): Promise<SecurityKey> {
  const key = await register(authenticator, bent);
  if (typeof key === 'string') throw new Error(key);
  return key;
}

for (const [at, name] of algorithmNames.entries())
  test(`${name}: a key of it is enrolled and signs in, and another key’s signature does not`, async (t) => {
    const authenticator = makeAuthenticator(name);
    const key = await enrolled(authenticator);
    t.like(key, { algorithm: coseNumbers(algorithmNames)[at], counter: 1, role: 'mfa', name: 'Blue', addedMs: 5, transports: ['usb'] });
    const used = await present(authenticator, key);
    t.like(used, { key: { ...key, counter: 2, lastUsedMs: 9, lastUsedFrom: '::1' }, userVerified: true });
    const other = await present(makeAuthenticator(name), key, { id: authenticator.id, counter: 9 });
    t.regex(String(other), /^STS-AUTHN-9353/);
    const bent = await present(authenticator, key, {
      signature: (signature) => signature.map((octet, i) => (i === 20 ? octet ^ 1 : octet)),
    });
    t.regex(String(bent), /^STS-AUTHN-9353/);
  });

test('webauthn.algorithms is the list of thirteen, ML-DSA first, and options ask for them in the order that is set', (t) => {
  t.deepEqual(standing['webauthn.algorithms'], algorithmNames);
  t.is(algorithmNames.length, 13);
  const settings = { ...standing, 'webauthn.algorithms': ['RS256', 'ML-DSA-87', 'ES256'] };
  const { pubKeyCredParams } = creationOptions(settings, party, 'c', { entryUuid, name: 'ada' }, []);
  t.deepEqual(
    pubKeyCredParams,
    [-257, -50, -7].map((alg) => ({ type: 'public-key', alg })),
  );
});

test('registration checks that the algorithm was one offered', async (t) => {
  const settings = { 'webauthn.algorithms': ['ES256'] };
  t.regex(String(await register(makeAuthenticator('EdDSA'), {}, settings)), /^STS-AUTHN-9352.*alg/);
  t.is(typeof (await register(makeAuthenticator('ES256'), {}, settings)), 'object');
});

test('a key whose type or curve is not that of its algorithm is not enrolled', async (t) => {
  const [x, y] = [new Uint8Array(48), new Uint8Array(48)];
  const wrong: readonly (readonly [Cbor, Cbor][])[] = [
    [
      [1, 2],
      [3, -7],
      [-1, 2],
      [-2, x],
      [-3, y],
    ],
    [
      [1, 3],
      [3, -7],
      [-1, x],
      [-2, y],
    ],
    [
      [1, 1],
      [3, -8],
      [-1, 4],
      [-2, x],
    ],
  ];
  for (const pairs of wrong)
    t.regex(String(await register(makeAuthenticator('ES256'), { publicKey: new Map(pairs) })), /not of its algorithm/);
});

test('registration and assertion check challenge, origin, relying party and kind of ceremony', async (t) => {
  const authenticator = makeAuthenticator('ES256');
  const key = await enrolled(authenticator);
  const wrong: readonly [Partial<Asked>, Bent][] = [
    [{ challenge: Buffer.alloc(32, 8).toString('base64url') }, {}],
    [{ origin: 'https://id.example.com.evil.example' }, {}],
    [{ origin: 'http://id.example.com' }, {}],
    [{ rpId: 'example.com' }, {}],
    [{}, { type: 'payment.get' }],
    [{}, { clientData: { crossOrigin: true } }],
    [{}, { clientData: { topOrigin: 'https://evil.example' } }],
  ];
  for (const [to, bent] of wrong) {
    t.regex(String(await register(makeAuthenticator('ES256'), bent, {}, { ...asked, ...to })), /^STS-AUTHN-935[02]/);
    t.regex(String(await present(authenticator, key, bent, {}, { ...asked, ...to })), /^STS-AUTHN-935[03]/);
  }
  // One ceremony's answer is none to the other.
  t.regex(String(await register(makeAuthenticator('ES256'), { type: 'webauthn.get' })), /^STS-AUTHN-9352/);
  t.regex(String(await present(authenticator, key, { type: 'webauthn.create' })), /^STS-AUTHN-9353/);
});

test('user presence is always asked for; user verification is enforced where webauthn.userVerification is required', async (t) => {
  const authenticator = makeAuthenticator('ES256');
  const key = await enrolled(authenticator);
  const required = { 'webauthn.userVerification': 'required' } as const;
  for (const flags of [0, flag.uv]) {
    t.regex(String(await register(makeAuthenticator('ES256'), { flags })), /^STS-AUTHN-9352/);
    t.regex(String(await present(authenticator, key, { flags })), /^STS-AUTHN-9353/);
  }
  t.regex(String(await register(makeAuthenticator('ES256'), { flags: flag.up }, required)), /^STS-AUTHN-9352.*verif/);
  t.regex(String(await present(authenticator, key, { flags: flag.up }, required)), /^STS-AUTHN-9353.*verif/);
  for (const userVerification of ['preferred', 'discouraged'] as const)
    t.is(typeof (await present(authenticator, key, { flags: flag.up }, { 'webauthn.userVerification': userVerification })), 'object');
});

test('the signature counter must strictly increase, except for an authenticator that reports zero and always will', async (t) => {
  const authenticator = makeAuthenticator('ES256');
  const key = { ...(await enrolled(authenticator)), counter: 7 };
  for (const counter of [0, 6, 7])
    t.is(
      await present(authenticator, key, { counter }),
      `STS-AUTHN-9354: a security key was not accepted: its counter is ${counter} after 7; there may be a copy of it`,
    );
  t.like(await present(authenticator, key, { counter: 8 }), { key: { counter: 8 } });
  const zero = { ...key, counter: 0 };
  t.like(await present(authenticator, zero, { counter: 0 }), { key: { counter: 0 } });
  t.like(await present(authenticator, zero, { counter: 1 }), { key: { counter: 1 } });
  // Whoever has not the key learns nothing of its counter.
  t.regex(String(await present(makeAuthenticator('ES256'), key, { id: authenticator.id, counter: 3 })), /^STS-AUTHN-9353/);
});

test('the backup state may be set only where the credential is backup eligible; a changed eligibility is refused', async (t) => {
  const up = flag.up | flag.uv;
  t.regex(String(await register(makeAuthenticator('ES256'), { flags: up | flag.bs })), /^STS-AUTHN-9352/);
  const authenticator = makeAuthenticator('ES256', { standing: up | flag.be });
  const key = await enrolled(authenticator);
  t.like(key, { backupEligible: true, backedUp: false });
  t.like(await present(authenticator, key, { flags: up | flag.be | flag.bs }), { key: { backupEligible: true, backedUp: true } });
  t.regex(String(await present(authenticator, key, { flags: up })), /^STS-AUTHN-9355/);
  t.regex(String(await present(authenticator, key, { flags: up | flag.bs })), /^STS-AUTHN-9353/);
  t.regex(String(await present(authenticator, { ...key, backupEligible: false }, {})), /^STS-AUTHN-9355/);
});

test('a credential id has at most 1023 octets, and is the one that was signed', async (t) => {
  t.is(typeof (await register(makeAuthenticator('ES256', { idOctets: 1023 }))), 'object');
  t.regex(String(await register(makeAuthenticator('ES256', { idOctets: 1024 }))), /longer than 1023/);
  t.regex(String(await register(makeAuthenticator('ES256'), { attestedId: new Uint8Array(16) })), /another id/);
});

test('a credential that says it was made for somebody else signs nobody in', async (t) => {
  const authenticator = makeAuthenticator('ES256');
  const key = await enrolled(authenticator);
  t.is(typeof (await present(authenticator, key, { userHandle: userHandleOf(entryUuid) })), 'object');
  t.regex(String(await present(authenticator, key, { userHandle: 'AAAA' })), /^STS-AUTHN-9353.*somebody else/);
});

test('what the browser reports is recorded: attachment, transports, discoverability', async (t) => {
  const transports = ['usb', 'usb', 'nfc', 'X', 7, 'a'.repeat(99)] as readonly string[];
  const key = await enrolled(makeAuthenticator('ES256'), { attachment: 'platform', rk: true, transports });
  t.like(key, { attachment: 'platform', discoverable: true, transports: ['nfc', 'usb'] });
  const none = await enrolled(makeAuthenticator('ES256'), { attachment: 'near' });
  t.false('attachment' in none);
  t.false('discoverable' in none);
});

test('what is no answer is refused before anything looks at it', (t) => {
  const good = JSON.parse(makeAuthenticator('ES256').get(asked)) as Record<string, Record<string, unknown>>;
  const bent = (more: object) => JSON.stringify({ ...good, ...more });
  const answers = [
    ...['', 'null', '[]', '7', '{', '{}', '"x"', 'x'.repeat(200_000), '['.repeat(100_000)],
    bent({ type: 'password' }),
    bent({ id: '' }),
    bent({ id: 'AB==' }),
    bent({ id: 'AB' }),
    bent({ response: [] }),
    bent({ response: { ...good['response'], signature: undefined } }),
    bent({ response: { ...good['response'], signature: { length: 1 } } }),
    bent({ response: { ...good['response'], clientDataJSON: Buffer.from('[]').toString('base64url') } }),
    bent({ response: { ...good['response'], clientDataJSON: Buffer.from('{"challenge":7}').toString('base64url') } }),
  ];
  for (const answer of answers) t.throws(() => readAnswer(answer), { instanceOf: Refusal, message: /9350/ }, answer.slice(0, 60));
});

test('an attestation object that is broken is refused, not a defect', async (t) => {
  const whole = JSON.parse(makeAuthenticator('ES256').create(asked)) as { readonly response: { readonly attestationObject: string } };
  const octets = Buffer.from(whole.response.attestationObject, 'base64url');
  for (const length of [1, 20, 60, 150, octets.length - 1]) {
    const response = { ...whole.response, attestationObject: octets.subarray(0, length).toString('base64url') };
    const broken = { ...makeAuthenticator('ES256'), create: () => JSON.stringify({ ...whole, response }) };
    t.regex(String(await register(broken)), /^STS-AUTHN-9352/, String(length));
  }
});

test('every ceremony option follows its setting', (t) => {
  const key = { id: 'AAAA', transports: ['usb'] } as unknown as SecurityKey;
  t.deepEqual(creationOptions(standing, party, 'c', { entryUuid, name: 'ada' }, [key]), {
    rp: { id: 'id.example.com', name: 'Atrium' },
    user: { id: 'bxxKUpo_TBGNLgEjRWeJqw', name: 'ada', displayName: 'ada' },
    challenge: 'c',
    pubKeyCredParams: coseNumbers(algorithmNames).map((alg) => ({ type: 'public-key', alg })),
    timeout: 60_000,
    excludeCredentials: [{ type: 'public-key', id: 'AAAA', transports: ['usb'] }],
    authenticatorSelection: { residentKey: 'discouraged', requireResidentKey: false, userVerification: 'preferred' },
    attestation: 'direct',
    extensions: { credProps: true },
  });
  const settings: WebauthnSettings = {
    ...standing,
    'webauthn.rpName': 'Acme',
    'webauthn.timeoutMs': 5,
    'webauthn.authenticatorAttachment': 'platform',
    'webauthn.residentKey': 'required',
    'webauthn.userVerification': 'required',
    'webauthn.attestation': 'none',
    'webauthn.credProps': false,
  };
  const options = creationOptions(settings, party, 'c', { entryUuid, name: 'ada' }, []);
  t.like(options, { rp: { name: 'Acme' }, timeout: 5, attestation: 'none' });
  t.deepEqual(options['authenticatorSelection'], {
    authenticatorAttachment: 'platform',
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  });
  t.false('extensions' in options);
  t.deepEqual(requestOptions(settings, party, 'c', [key]), {
    rpId: 'id.example.com',
    challenge: 'c',
    timeout: 5,
    allowCredentials: [{ type: 'public-key', id: 'AAAA', transports: ['usb'] }],
    userVerification: 'required',
  });
});

test('the RP ID is the host, unless webauthn.rpId widens it to a suffix; what does not fit gives way in development mode only', (t) => {
  const of = (at: string, id: string, mode: 'product' | 'development' = 'product', allowed: readonly string[] = []) =>
    relyingPartyOf(at, { 'webauthn.rpId': id, 'webauthn.allowedOrigins': allowed }, mode);
  t.deepEqual(of(origin, ''), party);
  t.deepEqual(of('https://id.example.com:8443', ''), { id: 'id.example.com', origins: ['https://id.example.com:8443'] });
  t.deepEqual(of('http://localhost:8080', ''), { id: 'localhost', origins: ['http://localhost:8080'] });
  t.deepEqual(of(origin, 'Example.com'), { id: 'example.com', origins: [origin] });
  t.deepEqual(of(origin, 'id.example.com'), party);
  for (const unfit of ['com', 'ample.com', 'other.example.com', 'example.org', 'id.example.com.evil.example']) {
    t.like(of(origin, unfit), {
      problem:
        unfit === 'com'
          ? 'webauthn.rpId com is no registrable domain'
          : `webauthn.rpId ${unfit} is not the host id.example.com or a suffix of it`,
    });
    t.like(of(origin, unfit, 'development'), { id: 'id.example.com', origins: [origin] });
    t.true('unfit' in of(origin, unfit, 'development'));
  }
  for (const address of ['http://127.0.0.1:8080', 'http://[::1]:8080', ''])
    for (const mode of ['product', 'development'] as const) t.true('problem' in of(address, '', mode));
  const allowed = ['https://ID.example.com:443/', 'android:apk-key-hash:abc'];
  t.deepEqual(of(origin, '', 'product', allowed), { id: 'id.example.com', origins: [origin, 'android:apk-key-hash:abc'] });
});
