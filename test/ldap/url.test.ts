import test from 'ava';
import fc from 'fast-check';
import { formatDn, formatFilter, formatLdapUrl, type LdapUrl, parseLdapUrl } from '#ldap';
import { holds } from '../support/holds.ts';
import { dn, filter } from './arbitraries.ts';

const limits = { depthMax: 20 };

interface Seen {
  host?: string;
  port?: number;
  dn?: string;
  attributes?: string[];
  scope?: string;
  filter?: string;
  extensions?: LdapUrl['extensions'];
}

function seen(text: string): Seen | string {
  const parsed = parseLdapUrl(text, limits);
  if (parsed.kind === 'bad') return parsed.why;
  const { url } = parsed;
  return {
    ...(url.host && { host: url.host }),
    ...(url.port !== undefined && { port: url.port }),
    ...(url.dn.length > 0 && { dn: formatDn(url.dn) }),
    ...(url.attributes.length > 0 && { attributes: [...url.attributes] }),
    ...(url.scope && { scope: url.scope }),
    ...(url.filter && { filter: formatFilter(url.filter) }),
    ...(url.extensions.length > 0 && { extensions: url.extensions }),
  };
}

/** RFC 4516 §4, in its order. */
const michigan = 'o=University of Michigan,c=US';
const examples: readonly [text: string, expected: Seen][] = [
  ['ldap:///o=University%20of%20Michigan,c=US', { dn: michigan }],
  ['ldap://ldap1.example.net/o=University%20of%20Michigan,c=US', { host: 'ldap1.example.net', dn: michigan }],
  [
    'ldap://ldap1.example.net/o=University%20of%20Michigan,c=US?postalAddress',
    { host: 'ldap1.example.net', dn: michigan, attributes: ['postalAddress'] },
  ],
  [
    'ldap://ldap1.example.net:6666/o=University%20of%20Michigan,c=US??sub?(cn=Babs%20Jensen)',
    { host: 'ldap1.example.net', port: 6666, dn: michigan, scope: 'sub', filter: '(cn=Babs Jensen)' },
  ],
  ['LDAP://ldap1.example.com/c=GB?objectClass?ONE', { host: 'ldap1.example.com', dn: 'c=GB', attributes: ['objectClass'], scope: 'one' }],
  ['ldap://ldap2.example.com/o=Question%3f,c=US?mail', { host: 'ldap2.example.com', dn: 'o=Question?,c=US', attributes: ['mail'] }],
  [
    'ldap://ldap3.example.com/o=Babsco,c=US???(four-octet=%5c00%5c00%5c00%5c04)',
    { host: 'ldap3.example.com', dn: 'o=Babsco,c=US', filter: '(four-octet=\\00\\00\\00\\04)' },
  ],
  ['ldap://ldap.example.com/o=An%20Example%5C2C%20Inc.,c=US', { host: 'ldap.example.com', dn: 'o=An Example\\, Inc.,c=US' }],
  ['ldap://ldap.example.net', { host: 'ldap.example.net' }],
  ['ldap://ldap.example.net/', { host: 'ldap.example.net' }],
  ['ldap://ldap.example.net/?', { host: 'ldap.example.net' }],
  [
    'ldap:///??sub??e-bindname=cn=Manager%2cdc=example%2cdc=com',
    { scope: 'sub', extensions: [{ type: 'e-bindname', critical: false, value: 'cn=Manager,dc=example,dc=com' }] },
  ],
  [
    'ldap:///??sub??!e-bindname=cn=Manager%2cdc=example%2cdc=com',
    { scope: 'sub', extensions: [{ type: 'e-bindname', critical: true, value: 'cn=Manager,dc=example,dc=com' }] },
  ],
];

for (const [text, expected] of examples) {
  test(`RFC 4516 §4: ${text}`, (t) => {
    t.deepEqual(seen(text), expected);
    const parsed = parseLdapUrl(text, limits);
    if (parsed.kind === 'url') t.deepEqual(seen(formatLdapUrl(parsed.url)), expected);
  });
}

test('RFC 4516 §2: hosts in brackets, ports and the other schemes in use are taken', (t) => {
  t.deepEqual(seen('ldap://[2001:db8::7]:389/c=GB'), { host: '2001:db8::7', port: 389, dn: 'c=GB' });
  t.deepEqual(seen('ldapi://%2Frun%2Fldap.sock'), { host: '/run/ldap.sock' });
  t.like(parseLdapUrl('ldaps://a', limits), { kind: 'url', url: { scheme: 'ldaps' } });
});

for (const text of [
  '',
  'http://a/',
  'ldap:a',
  'ldap://a:b',
  'ldap://a:65536',
  'ldap://a/x',
  'ldap://a/c=%zz',
  'ldap:////c=US',
  'ldap:///??all',
  'ldap:///???(a',
  'ldap:///????',
  'ldap:///????,',
  'ldap:///?????',
  'ldap:///c=a#b',
  'ldap:///?a,,b',
]) {
  const lenient = text === 'ldap:///????';
  test(`RFC 4516 §2: ${JSON.stringify(text)} is ${lenient ? 'a URL of empty parts' : 'no LDAP URL'}`, (t) =>
    t.is(parseLdapUrl(text, limits).kind, lenient ? 'url' : 'bad'));
}

test('every LDAP URL is parsed as it was printed', (t) => {
  const url = fc.record(
    {
      scheme: fc.constantFrom('ldap', 'ldaps', 'ldapi'),
      host: fc.constantFrom('', 'a.example', '::1', '/run/a b.sock'),
      port: fc.nat(65535),
      dn,
      attributes: fc.array(fc.constantFrom('cn', '*', '+', 'cn;lang-de', '1.1'), { maxLength: 3 }),
      scope: fc.constantFrom('base', 'one', 'sub'),
      filter,
      extensions: fc.array(
        fc.record(
          { type: fc.constantFrom('e-x', '1.2.3'), critical: fc.boolean(), value: fc.string() },
          { requiredKeys: ['type', 'critical'] },
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: ['scheme', 'host', 'dn', 'attributes', 'extensions'] },
  ) as fc.Arbitrary<LdapUrl>;
  holds(
    t,
    fc.property(url, (one) => t.deepEqual(parseLdapUrl(formatLdapUrl(one), limits), { kind: 'url', url: one })),
  );
});
