/**
 * The areas of the service that have error codes, `STS-<area>-<number>`, and how many the specification counts in each.
 * The service's own codes begin at 9000 in each area and are not among them. The counts are those of the specification's table; they add up to 4101, while
 * its text says that there are 4074.
 *
 * @see specification document 2, "Subsystems"
 */
export const areas = {
  HTTP: { means: 'HTTP front door', codes: 18 },
  PROXY: { means: 'PROXY protocol', codes: 9 },
  CORE: { means: 'service core', codes: 81 },
  WORKER: { means: 'worker pools', codes: 48 },
  STORE: { means: 'persistence and coordination', codes: 74 },
  CLUSTER: { means: 'cluster membership and agreement', codes: 30 },
  CELL: { means: 'cells and residency', codes: 87 },
  SCHED: { means: 'scheduler', codes: 18 },
  KEYS: { means: 'cryptography, keys, secrets', codes: 95 },
  PKI: { means: 'certificate authority', codes: 205 },
  ENROLL: { means: 'certificate enrollment core', codes: 56 },
  ACME: { means: 'ACME (RFC 8555)', codes: 72 },
  EST: { means: 'EST (RFC 7030)', codes: 26 },
  SCEP: { means: 'SCEP (RFC 8894)', codes: 47 },
  AUTHN: { means: 'sign-in, second factors, sessions', codes: 255 },
  OAUTH: { means: 'OAuth 2.0 and OpenID Connect', codes: 692 },
  SAML: { means: 'SAML 2.0 and 1.1', codes: 97 },
  WSTRUST: { means: 'WS-Trust', codes: 25 },
  WSFED: { means: 'WS-Federation', codes: 16 },
  FED: { means: 'federation', codes: 141 },
  OIDFED: { means: 'OpenID Federation', codes: 67 },
  KRB: { means: 'Kerberos and SPNEGO', codes: 177 },
  LDAP: { means: 'LDAP directory', codes: 91 },
  ATTR: { means: 'attribute sources', codes: 15 },
  SCIM: { means: 'SCIM 2.0', codes: 77 },
  SPIFFE: { means: 'SPIFFE', codes: 144 },
  TLS: { means: 'TLS and client certificates', codes: 45 },
  VC: { means: 'OpenID4VCI, OpenID4VP, DID', codes: 112 },
  SSF: { means: 'Shared Signals, CAEP, RISC', codes: 118 },
  RISK: { means: 'risk scoring', codes: 44 },
  MAIL: { means: 'mail', codes: 40 },
  GNAP: { means: 'GNAP (RFC 9635, RFC 9767)', codes: 348 },
  DEVICE: { means: 'device register', codes: 46 },
  XACML: { means: 'XACML and access policy', codes: 88 },
  XPEP: { means: 'remote XACML PEP', codes: 34 },
  ADMIN: { means: 'admin console', codes: 220 },
  API: { means: 'management API', codes: 75 },
  PORTAL: { means: 'user portal', codes: 83 },
  LOGOUT: { means: 'sign-out', codes: 7 },
  REG: { means: 'registries', codes: 150 },
  DBG: { means: 'protocol debugger', codes: 28 },
} as const satisfies Record<string, { readonly means: string; readonly codes: number }>;

export type Area = keyof typeof areas;
