import { protocols, surfaces } from './cards.ts';

/** One use of cryptography, as this very server is set. */
export interface CryptoUse {
  readonly purpose: 'sign' | 'verify' | 'encrypt' | 'decrypt' | 'hash' | 'authenticate' | 'derive' | 'establish keys';
  readonly what: string;
  readonly algorithms: readonly string[];
  /** Whose key, and where it lies; never the key. */
  readonly key?: string;
  /** In which form it is written. */
  readonly envelope?: string;
  /** The setting that changes it. */
  readonly setting?: string;
}

export interface CryptoFamily {
  /** Of the card on the page of endpoints; `storage` and `tls` are under all of them. */
  readonly family: string;
  readonly title: string;
  readonly uses: readonly CryptoUse[];
}

/** What behaviour goes by, from the rooms' own tables. */
export interface CryptoFacts {
  readonly signing: readonly string[];
  /** What of these signs where nothing is said. */
  readonly signingStanding: string;
  /** By which a client may prove that it holds a key (DPoP); none where tokens are not issued. */
  readonly dpop: readonly string[];
  /** By which clients sign what they send: assertions and requests. */
  readonly clients: readonly string[];
  readonly sealing: { readonly cipher: string; readonly nonce: string; readonly derivation: string; readonly mark: string };
  readonly scram: readonly string[];
  readonly scrypt: { readonly logN: number; readonly r: number; readonly p: number };
  readonly scramIterations: number;
  readonly webauthn: readonly string[];
  readonly totp: { readonly algorithm: string; readonly digits: number; readonly period: number };
  readonly tls: { readonly certificate: string; readonly versions: string; readonly groups: string } | undefined;
  readonly protects: 'product' | 'development';
  /** Ids of the cards that are built. */
  readonly built: ReadonlySet<string>;
}

export interface CryptoMetadata {
  readonly families: readonly CryptoFamily[];
  readonly postQuantum: { readonly signatures: readonly string[]; readonly dpop: readonly string[]; readonly keyEstablishment: string };
  /** Built, and its cryptography is not described. */
  readonly undescribedFamilies: readonly string[];
  /** Described, and on no card that is built. */
  readonly unknownFamilies: readonly string[];
}

const isPostQuantum = (algorithm: string) => /^(?:ML-DSA|SLH-DSA)-/.test(algorithm);
const beneath = ['tls', 'storage'];

/**
 * What this server uses per family of protocols: from what is in force, and without any key.
 *
 * @see specification document 2: the crypto page's list of families is checked both ways against that of the endpoint page
 */
export function describeCrypto(facts: CryptoFacts): CryptoMetadata {
  const titles = new Map([...protocols, ...surfaces].map(({ id, title }) => [id, title]));
  const families = familiesOf(facts)
    .filter(({ family }) => beneath.includes(family) || facts.built.has(family))
    .map(({ family, uses }) => ({ family, title: titles.get(family) ?? (family === 'tls' ? 'TLS' : 'What is kept'), uses }));
  const described = new Set(familiesOf(facts).map(({ family }) => family));
  return {
    families,
    postQuantum: {
      signatures: facts.signing.filter(isPostQuantum),
      dpop: facts.dpop.filter(isPostQuantum),
      keyEstablishment: `Tokens and what is kept are encrypted with symmetric keys only, and no ML-KEM is used for them. TLS: ${facts.tls?.groups ?? 'switched off'}.`,
    },
    undescribedFamilies: [...facts.built].filter((id) => !described.has(id)).sort(),
    unknownFamilies: [...described].filter((id) => !beneath.includes(id) && !titles.has(id)).sort(),
  };
}

type Uses = readonly { readonly family: string; readonly uses: readonly CryptoUse[] }[];

function familiesOf(facts: CryptoFacts): Uses {
  return [...below(facts), ...ofOauth(facts), ...ofPeople(facts)];
}

function below({ tls, sealing, scrypt, scram, scramIterations, protects }: CryptoFacts): Uses {
  const hashed: CryptoUse = {
    purpose: 'hash',
    what: 'passwords, app passwords, recovery codes and what is mailed',
    algorithms: [`scrypt, N = 2^${scrypt.logN}, r = ${scrypt.r}, p = ${scrypt.p}`],
    envelope: '{SCRYPT}',
    setting: 'security.passwordHashLogN',
  };
  const verifiers: CryptoUse = {
    purpose: 'authenticate',
    what: 'SASL, for passwords of which a verifier is kept',
    algorithms: [...scram].map((name) => `${name}, ${scramIterations} iterations`),
    setting: 'security.scramIterations',
  };
  const sealed: CryptoUse = {
    purpose: 'encrypt',
    what: 'secrets that must be read again: of authenticator apps, private keys, mails that wait',
    algorithms: [`${sealing.cipher}, nonce by ${sealing.nonce}`],
    key:
      protects === 'product'
        ? `made of keys.kek by ${sealing.derivation}`
        : 'made of keys.kek where there is one; development mode keeps some values as they are',
    envelope: `${sealing.mark}, bound to its entry and attribute`,
    setting: 'keys.kek',
  };
  const listeners: readonly CryptoUse[] =
    tls === undefined
      ? []
      : [
          {
            purpose: 'sign',
            what: 'the certificate of HTTPS, LDAPS and StartTLS',
            algorithms: [tls.certificate],
            key: 'tls.keyFile, or tls/server.key of the data folder',
          },
          { purpose: 'establish keys', what: 'connections', algorithms: [tls.groups], envelope: tls.versions },
        ];
  return [
    { family: 'tls', uses: listeners },
    {
      family: 'storage',
      uses: [hashed, sealed, { ...sealed, purpose: 'decrypt', key: 'keys.kek, and keys.previousKek for what is not sealed anew yet' }],
    },
    { family: 'ldap', uses: [verifiers] },
  ];
}

function ofOauth({ signing, signingStanding, dpop, clients }: CryptoFacts): Uses {
  const own = 'ou=signingKeys of the realm, sealed';
  const of = (purpose: 'sign' | 'verify', what: string, algorithms: readonly string[], key: string): CryptoUse => ({
    ...{ purpose, what, algorithms, key, envelope: 'JWS (RFC 7515)' },
  });
  return [
    {
      family: 'oauth',
      uses: [
        of('sign', `tokens; ${signingStanding} where nothing else is said`, signing, own),
        of('verify', 'tokens of this server', signing, 'the same, while tokens live'),
        of('verify', 'assertions and requests of clients', clients, 'stsJwks of the application’s entry, or what stsJwksUri leads to'),
        of('verify', 'proofs of possession (DPoP)', dpop, 'the client’s'),
      ],
    },
  ];
}

function ofPeople({ webauthn, totp }: CryptoFacts): Uses {
  const forms: CryptoUse = {
    purpose: 'authenticate',
    what: 'forms: a token for each session',
    algorithms: ['HMAC-SHA-256'],
    key: 'made of keys.kek, or of this start',
  };
  const handles: CryptoUse = { purpose: 'hash', what: 'handles of sessions and links, as they are kept', algorithms: ['SHA-256'] };
  return [
    {
      family: 'signin',
      uses: [
        {
          purpose: 'verify',
          what: 'security keys and passkeys',
          algorithms: webauthn,
          key: 'public keys on the person’s entry',
          envelope: 'COSE',
          setting: 'webauthn.algorithms',
        },
        {
          purpose: 'authenticate',
          what: `codes of authenticator apps: ${totp.digits} digits, ${totp.period} s`,
          algorithms: [`HMAC-${totp.algorithm}`],
          key: 'sealed on the person’s entry',
          setting: 'totp.algorithm',
        },
        forms,
        handles,
      ],
    },
    { family: 'portal', uses: [forms, handles] },
    { family: 'admin', uses: [forms, handles] },
    { family: 'web', uses: [{ purpose: 'hash', what: 'names of style sheets', algorithms: ['SHA-256'] }] },
  ];
}
