import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import { formatLdifRecord, type LdifContent, readLdif } from '#ldap';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { brought, folderFor, limits, suffix } from './support.ts';

const old = 'dc=old,dc=example';
const seed = Number(process.env['ELSEWHERE_SEED'] ?? 5);
const rounds = Number(process.env['ELSEWHERE_ROUNDS'] ?? 3);

const octets = (...values: (string | Uint8Array)[]) => values.map((value) => (typeof value === 'string' ? utf8(value) : value));
const word = fc.stringMatching(/^[A-Za-zäöü]{1,8}$/);
const name = fc.nat({ max: 60 }).map((number) => `n${number}`);
const nameBelow = fc
  .tuple(name, fc.constantFrom(`ou=people,${old}`, `ou=groups,${old}`, 'dc=other', `ou=gone,${old}`))
  .map(([uid, above]) => `uid=${uid},${above}`);
const ssha = `{SSHA}${Buffer.alloc(24, 7).toString('base64')}`;
const crypt = `{CRYPT}$6$salt$${'a'.repeat(86)}`;

/** Attributes of every fate: known, unknown, unfit, not allowed, repeated, worked out, hashed in all ways. */
const attribute: fc.Arbitrary<readonly [string, readonly Uint8Array[]]> = fc.oneof(
  fc.tuple(
    fc.constantFrom('description', 'title', 'CN', 'givenName', 'commonName', 'mail', 'street'),
    fc.array(word.map(utf8), { minLength: 1, maxLength: 3 }),
  ),
  fc.tuple(fc.constantFrom('cn;lang-de', 'description;x-odd', 'sn;lang-en-'), fc.array(word.map(utf8), { minLength: 1, maxLength: 2 })),
  fc.tuple(
    fc.constantFrom('manager', 'seeAlso', 'secretary', 'member', 'uniqueMember', 'memberOf', 'owner'),
    fc.array(nameBelow.map(utf8), { minLength: 1, maxLength: 3 }),
  ),
  fc.tuple(fc.constantFrom('nobodysAttribute', 'olcThing', 'x-own', 'nsThing'), fc.array(word.map(utf8), { minLength: 1, maxLength: 2 })),
  fc.tuple(
    fc.constantFrom('manager', 'uidNumber', 'preferredLanguage', 'createTimestamp', 'telephoneNumber'),
    fc.array(fc.uint8Array({ maxLength: 6 }), { minLength: 1, maxLength: 2 }),
  ),
  fc.tuple(
    fc.constant('userPassword'),
    fc.array(
      fc
        .constantFrom(
          ssha,
          crypt,
          '{SMD5}xyz',
          '{CRYPT}$y$j9T$x$y',
          '{SASL}a@b',
          'in clear',
          '{CLEARTEXT}hidden',
          '{SSHA}short',
          `{CRYPT}$6$rounds=99999999$salt$${'a'.repeat(86)}`,
        )
        .map(utf8),
      { minLength: 1, maxLength: 2 },
    ),
  ),
  fc.constantFrom<readonly [string, readonly Uint8Array[]]>(
    ['pwdAccountLockedTime', octets('20260101000000Z')],
    ['pwdAccountLockedTime', octets('000001010000Z')],
    ['pwdHistory', octets(`20260101000000Z#1.3.6.1.4.1.1466.115.121.1.40#6#{SSHA}`)],
    ['pwdFailureTime', octets('20260101000000.123456Z', '20260101000001.123456Z')],
    ['structuralObjectClass', octets('inetOrgPerson')],
    ['entryDN', octets('uid=x')],
    ['contextCSN', octets('20260101000000.000000Z#000000#000#000000')],
    ['jpegPhoto', octets(new Uint8Array([0xff, 0xd8, 0, 1]), new Uint8Array([0xff, 0xd8, 0, 2]))],
    ['entryCSN', octets('20260101000000.000000Z#000000#000#000000')],
    ['modifyTimestamp', octets('20260101000000Z')],
    ['authTimestamp', octets('20260101000000Z')],
  ),
);
const classes = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<readonly string[]>(
      ['inetOrgPerson'],
      ['top', 'person', 'organizationalPerson', 'inetOrgPerson', 'nobodysClass'],
      ['account', 'posixAccount'],
      ['inetOrgPerson', 'inetorgperson', 'extensibleObject'],
      ['groupOfNames', 'groupOfUniqueNames', 'extensibleObject'],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly string[]>(['groupOfNames'], ['nobodysClass'], ['posixGroup'], ['organizationalUnit'], ['top'], []),
  },
);

const entry = fc.tuple(
  name,
  fc.constantFrom('ou=people', 'ou=groups', 'ou=gone', 'uid=n1,ou=people', 'uid=n2,uid=n1,ou=people'),
  classes,
  fc.array(attribute, { maxLength: 7 }),
  fc.boolean(),
);

function treeOf(drawn: readonly (typeof entry extends fc.Arbitrary<infer T> ? T : never)[]): LdifContent[] {
  const records: LdifContent[] = [];
  const seen = new Set<string>();
  const add = (dn: string, attributes: readonly (readonly [string, readonly Uint8Array[]])[]) => {
    if (seen.has(dn)) return;
    seen.add(dn);
    const together = new Map<string, Uint8Array[]>();
    for (const [description, values] of attributes) together.set(description, [...(together.get(description) ?? []), ...values]);
    records.push({ kind: 'content', line: 0, dn, attributes: [...together].map(([description, values]) => ({ description, values })) });
  };
  for (const [uid, above, own, more, isNamed] of drawn)
    add(
      `uid=${uid},${above},${old}`,
      [
        ['objectClass', octets(...own)],
        ...(isNamed ? [['uid', octets(uid)] as const, ['cn', octets(uid)] as const] : [['uid', octets(uid)] as const]),
        ...more,
      ].filter(([, values]) => values.length > 0) as never,
    );
  // Those above stand anywhere: an entry that was moved comes before them.
  const middle = Math.floor(records.length / 2);
  records.splice(middle, 0, {
    kind: 'content',
    line: 0,
    dn: `ou=people,${old}`,
    attributes: [
      { description: 'objectClass', values: octets('organizationalUnit') },
      { description: 'ou', values: octets('people') },
      { description: 'l', values: octets('here') },
    ],
  });
  records.unshift({
    kind: 'content',
    line: 0,
    dn: old,
    attributes: [
      { description: 'objectClass', values: octets('domain', 'nobodysClass') },
      { description: 'dc', values: octets('old') },
    ],
  });
  return records;
}

/** Each value with its entry and attribute, and how often it is there. */
function counted(records: Iterable<LdifContent>, here: (dn: string) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { dn, attributes } of records)
    for (const { description, values } of attributes)
      for (const value of values) {
        const key = `${here(dn)} ${nameOf(description)} ${Buffer.from(value).toString('latin1')}`.toLowerCase();
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
  return counts;
}

/** Other names of the same attributes, as the directory writes them. */
const nameOf = (description: string) => description.replace(/^commonName/i, 'cn');
/** What the directory works out again, and so is there though it was left. */
const computed = /^(structuralObjectClass|memberOf|entryDN|hasSubordinates|numSubordinates|subschemaSubentry)$/i;

for (let round = 0; round < rounds; round++) {
  test(`every value of a tree is in Atrium afterwards or counted in the report: tree ${round} of seed ${seed}`, async (t) => {
    const [drawn = []] = fc.sample(fc.array(entry, { minLength: 150, maxLength: 300, size: 'max' }), { seed: seed + round, numRuns: 1 });
    const source = treeOf(drawn);
    const dataDir = join(folderFor(t), 'data');
    const { summary } = await brought(t, dataDir, { from: 'slapcat', ldif: source.map(formatLdifRecord).join('\n') });

    const { stdout, stderr, status } = await runCli(['export', '--operational', '--secrets'], testEnvironment(dataDir));
    t.is(status, 0, stderr);
    const after: LdifContent[] = [];
    for await (const record of readLdif([utf8(stdout)], limits)) if (record.kind === 'content') after.push(record);
    const now = counted(after, (dn) => dn);
    const relevant = source.map((record) => ({
      ...record,
      attributes: record.attributes.filter(({ description }) => !computed.test(description)),
    }));
    let missing = 0;
    for (const [key, count] of counted(relevant, (dn) => dn.replace(old, suffix))) missing += Math.max(0, count - (now.get(key) ?? 0));

    const noted = (test: (note: (typeof summary.notes)[number]) => boolean) =>
      summary.notes.filter(test).reduce((sum, { values }) => sum + values, 0);
    const given = source.flatMap(({ attributes }) => attributes).reduce((sum, { values }) => sum + values.length, 0);
    const all = relevant.flatMap(({ attributes }) => attributes).reduce((sum, { values }) => sum + values.length, 0);
    t.is(summary.entries.read, source.length);
    t.is(summary.values.read, given);
    // A lock means more here than there, but is the same value.
    const same = noted(({ kind }) => kind === 'locked');
    const leftOfComputed = noted(({ kind, what }) => kind === 'computed' && computed.test(what));
    const leftWhole = given - all - leftOfComputed;
    t.is(missing, summary.values.left + summary.values.otherwise - same - leftOfComputed - leftWhole);
    t.true(missing > 100 && summary.values.kept > 100, `${missing} missing, ${summary.values.kept} kept`);
  });
}
