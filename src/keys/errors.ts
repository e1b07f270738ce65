import type { ErrorRow } from '#catalogue';

export const errors = {
  kekTooShort: {
    code: 'STS-KEYS-0002',
    means: 'The key-encryption key (keys.kek) is empty or shorter than 32 bytes',
    sees: {},
    state: 'live',
  },
  kekMissing: {
    code: 'STS-KEYS-9002',
    means: 'A value that is kept sealed was to be written, and there is no key-encryption key (keys.kek)',
    says: 'there is no key to seal this value with',
    sees: { ldap: 53, http: 503 },
    state: 'live',
  },
  hashUndecodable: {
    code: 'STS-KEYS-0004',
    means: 'A stored password hash cannot be decoded; it counts as no match',
    sees: {},
    state: 'live',
  },
  hashUncomputable: {
    code: 'STS-KEYS-0005',
    means: 'A stored password hash asks for scrypt parameters, or for rounds, that cannot be computed here; it counts as no match',
    sees: {},
    state: 'live',
  },
  hashQueueFull: {
    code: 'STS-KEYS-9001',
    means: 'More password hashes are waiting than keys.hashQueueMax allows',
    says: 'too many sign-ins at this moment',
    sees: { ldap: 51, http: 503 },
    state: 'live',
  },
  certificateUnusable: {
    code: 'STS-TLS-9001',
    means: 'The certificate of tls.certFile and tls.keyFile cannot be used: {why}',
    sees: {},
    state: 'live',
  },
  certificateNotTaken: {
    code: 'STS-TLS-9860',
    means:
      'What lies at tls.certFile and tls.keyFile now cannot be used, and the certificate from before is shown still: {why}; put a certificate there with those that lead to its authority, and its key: the next look (tls.checkS) takes them up',
    sees: {},
    state: 'live',
  },
  certificateNotMade: {
    code: 'STS-TLS-9861',
    means:
      'The certificate that Atrium makes for itself cannot be written to the folder tls of global.dataDir: {why}; let the service write there, or give it one by tls.certFile and tls.keyFile',
    sees: {},
    state: 'live',
  },
  certificateEnds: {
    code: 'STS-TLS-9862',
    means:
      'The certificate of tls.certFile is good until {until} only, and clients refuse it from then on; renew it: what is put in its place is shown at the next look (tls.checkS)',
    sees: {},
    state: 'live',
  },
  authoritiesUnusable: {
    code: 'STS-TLS-9002',
    means: 'The authorities of ldap.clientCaFile cannot be used: {why}',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
