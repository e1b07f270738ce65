import test from 'ava';
import fc from 'fast-check';
import { formatLdifRecord, type PartialAttribute } from '#ldap';
import { startTestAtrium } from '../support/atrium.ts';
import { runLdapTool, searchWithLdapsearch, withLdapUtils } from '../support/ldap-utils.ts';

const ldapTest = withLdapUtils(test);
const octets = (text: string) => new Uint8Array(Buffer.from(text));
/** What every JPEG begins with; the rest may be any octets. */
const jpegStart = [0xff, 0xd8, 0xff];

/** What LDIF must not show as it is (RFC 2849, SAFE-STRING), and what DNs and filters give a meaning to. */
const oddPiece = fc.constantFrom(
  ' ',
  '  ',
  ':',
  '<',
  '#',
  '-',
  '\n',
  '\r\n',
  '\n ',
  '\t',
  '=',
  ',',
  '+',
  '"',
  '\\',
  '*',
  '(',
  'é',
  'ß',
  '漢字',
  '🙂',
  'a',
  'dn: x',
  'x'.repeat(90),
);
/** Texts that differ for every matching rule: each ends with its number. */
const oddTexts = fc
  .array(fc.array(oddPiece, { maxLength: 6 }), { minLength: 1, maxLength: 5 })
  .map((texts) => texts.map((pieces, i) => `${pieces.join('')}.${i}`));
const anyOctets = fc.uniqueArray(fc.uint8Array({ minLength: 1, maxLength: 300 }), {
  maxLength: 2,
  selector: (bytes) => Buffer.from(bytes).toString('hex'),
});

/** Values without their order, which LDAP does not keep. */
function sorted(attributes: readonly PartialAttribute[]) {
  return attributes
    .map(({ description, values }) => [description, values.map((value) => Buffer.from(value).toString('base64')).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

ldapTest(
  'entries with odd values go in by ldapadd and come out by ldapsearch as they were, LDIF read and written by either side',
  async (t) => {
    const atrium = await startTestAtrium();
    t.teardown(() => atrium[Symbol.asyncDispose]());
    const target = { url: atrium.addresses.operators ?? '', external: true } as const;
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(oddTexts, oddTexts, anyOctets, async (descriptions, cn, photos) => {
        const uid = `odd${++serial}`;
        const dn = `uid=${uid},ou=people,${atrium.suffix}`;
        const attributes: PartialAttribute[] = [
          { description: 'objectClass', values: [octets('inetOrgPerson')] },
          { description: 'uid', values: [octets(uid)] },
          { description: 'cn', values: cn.map(octets) },
          { description: 'sn', values: [octets('Odd')] },
          { description: 'description', values: descriptions.map(octets) },
          ...(photos.length > 0 ? [{ description: 'jpegPhoto', values: photos.map((rest) => Uint8Array.of(...jpegStart, ...rest)) }] : []),
        ];
        const added = await runLdapTool('ldapadd', target, [], formatLdifRecord({ kind: 'content', line: 0, dn, attributes }));
        t.is(added.status, 0, added.stderr);
        const [entry] = await searchWithLdapsearch(target, ['-b', dn, '-s', 'base', '(objectClass=*)']);
        t.is(entry?.dn, dn);
        t.deepEqual(sorted(entry?.attributes ?? []), sorted(attributes));
      }),
      { numRuns: 40 },
    );
  },
);

ldapTest('a photo of 300 kB goes in and comes out octet by octet', async (t) => {
  const atrium = await startTestAtrium();
  t.teardown(() => atrium[Symbol.asyncDispose]());
  const target = { url: atrium.addresses.ldap ?? '', dn: atrium.adminDn, password: atrium.adminPassword };
  const photo = Uint8Array.from({ length: 300_000 }, (_, i) => jpegStart[i] ?? (i * 31 + (i >> 8)) & 0xff);
  const dn = `uid=photo,ou=people,${atrium.suffix}`;
  const attributes: PartialAttribute[] = [
    { description: 'objectClass', values: [octets('inetOrgPerson')] },
    { description: 'uid', values: [octets('photo')] },
    { description: 'cn', values: [octets('Photo')] },
    { description: 'sn', values: [octets('Photo')] },
    { description: 'jpegPhoto', values: [photo] },
  ];
  const added = await runLdapTool('ldapadd', target, [], formatLdifRecord({ kind: 'content', line: 0, dn, attributes }));
  t.is(added.status, 0, added.stderr);
  const [entry] = await searchWithLdapsearch(target, ['-b', dn, '-s', 'base', '(objectClass=*)', 'jpegPhoto']);
  t.deepEqual(sorted(entry?.attributes ?? []), sorted([{ description: 'jpegPhoto', values: [photo] }]));
});

ldapTest('names with every kind of odd character are added, found under any spelling, renamed and deleted', async (t) => {
  const atrium = await startTestAtrium();
  t.teardown(() => atrium[Symbol.asyncDispose]());
  const target = { url: atrium.addresses.operators ?? '', external: true } as const;
  const people = `ou=people,${atrium.suffix}`;
  // RFC 4514 §4: the same names in other spellings.
  const names: readonly [value: string, asWritten: string, asAsked: string][] = [
    ['Lučić', 'Lučić', 'Lu\\C4\\8Di\\C4\\87'],
    ['James "Jim" Smith, III', 'James \\"Jim\\" Smith\\, III', 'james \\22jim\\22 smith\\2C iii'],
    ['# 1 + 1 = 2', '\\# 1 \\+ 1 = 2', '\\23 1 \\2b 1 \\3d 2'],
    ['back\\slash;<>', 'back\\\\slash\\;\\<\\>', 'BACK\\5Cslash\\3B\\3C\\3E'],
  ];
  for (const [value, written, asked] of names) {
    const dn = `uid=${written},${people}`;
    const attributes: PartialAttribute[] = [
      { description: 'objectClass', values: [octets('inetOrgPerson')] },
      { description: 'uid', values: [octets(value)] },
      { description: 'cn', values: [octets(value)] },
      { description: 'sn', values: [octets(value)] },
    ];
    const added = await runLdapTool('ldapadd', target, [], formatLdifRecord({ kind: 'content', line: 0, dn, attributes }));
    t.is(added.status, 0, added.stderr);
    const [entry] = await searchWithLdapsearch(target, ['-b', `UID=${asked} , ${people}`, '-s', 'base', '(objectClass=*)', 'uid']);
    t.is(Buffer.from(entry?.attributes[0]?.values[0] ?? []).toString(), value);
    t.is((await runLdapTool('ldapmodrdn', target, [`uid=${asked},${people}`, 'uid=plain'])).status, 0);
    t.is((await runLdapTool('ldapdelete', target, [`uid=plain,${people}`])).status, 0);
  }
});
