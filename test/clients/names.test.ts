import test from 'ava';
import fc from 'fast-check';
import { text, utf8 } from '#base';
import { type Dn, formatDn, formatLdifRecord } from '#ldap';
import { searchOf } from '../directory/driver.ts';
import { Client } from '../equality/client.ts';
import { withPrograms } from '../support/programs.ts';
import { type Beside, startBeside, suffix } from './beside-slapd.ts';

const slapdTest = withPrograms(test, 'ldapsearch', 'slapd');

const s = `ou=tree,${suffix}`;
const device = (rdn: string, ...values: readonly (readonly [type: string, value: string])[]) =>
  formatLdifRecord({
    kind: 'content',
    line: 0,
    dn: `${rdn},${s}`,
    attributes: [
      { description: 'objectClass', values: [utf8('device')] },
      ...values.map(([description, value]) => ({ description, values: [utf8(value)] })),
    ],
  });

const content = [
  `dn: ${s}\nobjectClass: organizationalUnit\nou: tree\n\n`,
  device('cn=a\\, b \\+ c \\" d', ['cn', 'a, b + c " d']),
  device('cn=two+serialNumber=7', ['cn', 'two'], ['serialNumber', '7']),
  device('cn=Straße Ä', ['cn', 'Straße Ä']),
  device('cn=\\20lead\\20', ['cn', ' lead ']),
  device('cn=in  side', ['cn', 'in  side']),
  device('cn=\\#hash', ['cn', '#hash']),
  device('cn=semi\\;colon', ['cn', 'semi;colon']),
].join('');

let started: Promise<Beside> | undefined;
const serve = () => {
  started ??= startBeside(content);
  return started;
};
test.after.always(async () => (await started)?.[Symbol.asyncDispose]());

/** Both answer alike: the same entry, or the same refusal. */
const spellings: readonly string[] = [
  ...[
    'cn=a\\, b \\+ c \\" d',
    'CN=A\\2c B \\2b C \\22 D',
    'cn="a, b + c \\" d"',
    'cn=a\\2C\\20b\\20\\2B\\20c\\20\\22\\20d',
    'cn=\\61\\2c b \\+ c \\" d',
  ],
  ...['2.5.4.3=a\\, b \\+ c \\" d', 'oid.2.5.4.3=two+serialNumber=7', 'OID.2.5.4.3=two+serialNumber=7', 'commonName=two+serialNumber=7'],
  ...[
    'serialNumber=7+cn=two',
    'cn=two + serialNumber=7',
    'cn = TWO+serialnumber = 7',
    '2.5.4.5=7+2.5.4.3=two',
    'cn="two" + serialNumber="7"',
  ],
  ...[
    'cn=two',
    'serialNumber=7',
    'cn=two+sn=7',
    'cn=two+cn=two',
    'cn=two+serialNumber=7+sn=x',
    '+cn=two',
    'cn=two+',
    'cn=two++serialNumber=7',
  ],
  ...[
    'cn=two\\+serialNumber=7',
    ' cn=two+serialNumber=7 ',
    'cn=two+serialNumber=7 ',
    'cn=two\t+serialNumber=7',
    'cn=\\EF\\BC\\B4wo+serialNumber=7',
  ],
  ...['cn=Straße A\\CC\\88', 'cn=straße ä', 'cn=STRAßE Ä', 'cn=Stra\\c3\\9fe \\C3\\84', 'cn=Straße A'],
  ...[
    'cn=\\20lead\\20',
    'cn=lead',
    'cn=\\ lead\\ ',
    'cn= lead ',
    'cn="  lead "',
    'cn=in side',
    'cn=in\\20\\20\\20side',
    'cn=in     side',
    'cn=inside',
  ],
  ...[
    'cn=\\#hash',
    'cn=\\23hash',
    'cn="#hash"',
    'cn=semi\\;colon',
    'cn=semi\\3Bcolon',
    'cn="semi;colon"',
    'cn=semi;cn=colon',
    'cn=semi;colon',
  ],
  ...['cn=', 'ou=', 'uid=x,ou=', 'dc=', 'mail=', 'userPassword=', 'uidNumber=', 'cn=""', 'cn=" "', 'cn=\\20', 'cn=;'],
  ...[
    'cn=a<b',
    'cn=a>b',
    'cn=a=b',
    'cn=a\\=b',
    'cn=a"b',
    'cn="a',
    'cn="a"b',
    'cn=\\zz',
    'cn=\\00',
    'cn=a\\0Ab',
    ',cn=x',
    'cn=x,',
    'cn=x,,ou=y',
  ],
  ...[
    'nope=x',
    '1.2.3.4.5=x',
    'cn',
    '=x',
    'cn=\\C3\\28',
    'cn=é',
    'cn=e\\CC\\81',
    'c=de',
    'c=germany',
    'serialNumber=ü',
    'telephoneNumber=1 2-3',
  ],
  ...[
    'uidNumber=7',
    'uidNumber=07',
    'uidNumber=x',
    'userPassword=x',
    'objectClass=device',
    'entryUUID=x',
    'member=cn\\=a\\,cn\\=b',
    'member=x',
    'mail=ü@x',
    'dc=ü',
  ],
].map((rdn) => `${rdn},${s}`);

const whole: readonly string[] = [
  `cn=two+serialNumber=7;${s.replaceAll(',', ';')}`,
  `cn=two+serialNumber=7 , ou = tree , dc = example , dc=com`,
  'cn=two+serialNumber=7,  OU=TREE,2.5.4.11=no,DC=EXAMPLE,  0.9.2342.19200300.100.1.25=Com',
  'cn=two+serialNumber=7,  2.5.4.11=TREE,DC=EXAMPLE,  0.9.2342.19200300.100.1.25=Com',
  `${s},`,
  `,${s}`,
  ' ',
  ',',
  'dc=example',
];

const asked = async (client: Client, base: string) => {
  const { result, entries } = await client.ask({ ...searchOf(base, '(objectClass=*)'), scope: 'base', attributes: ['cn'] });
  const cn = entries[0]?.attributes[0]?.values.map((value) => text(value));
  return { code: result.code, cn: cn ?? [] };
};

const portOf = (url: string) => Number(new URL(url.replace('ldap:', 'http:')).port);

async function clients() {
  const { atrium, slapdRoot } = await serve();
  const ours = await Client.open(portOf(atrium.addresses.ldap ?? ''), atrium.adminDn, atrium.adminPassword);
  const theirs = await Client.open(portOf(slapdRoot.url), slapdRoot.dn, slapdRoot.password);
  return { ours, theirs };
}

slapdTest('RFC 4514: however a name is written, it is taken or refused, and finds what it names, as with slapd', async (t) => {
  const { ours, theirs } = await clients();
  using _ours = ours;
  using _theirs = theirs;
  for (const base of [...spellings, ...whole]) t.deepEqual(await asked(ours, base), await asked(theirs, base), base);
});

/** What Atrium does otherwise, and slapd: each is a row of docs/slapd-differences.md. */
const differing: readonly [rdn: string, ours: number, theirs: number][] = [
  ['cn=#040374776f+serialNumber=#130137', 0, 34],
  ['cn=#04056861736821', 32, 34],
  ['cn;lang-de=x', 34, 32],
  ['cn=strasse ä', 0, 32],
  ['cn=\\e2\\80\\8btwo+serialNumber=7', 0, 32],
  ['cn=t\\c2\\adwo+serialNumber=7', 0, 32],
  ['jpegPhoto=x', 34, 32],
  ['cn="a\\zb"', 34, 32],
];

slapdTest('RFC 4514, RFC 4518: names that slapd takes otherwise are those that are written down', async (t) => {
  const { ours, theirs } = await clients();
  using _ours = ours;
  using _theirs = theirs;
  for (const [rdn, code, other] of differing) {
    t.is((await asked(ours, `${rdn},${s}`)).code, code, rdn);
    t.is((await asked(theirs, `${rdn},${s}`)).code, other, rdn);
  }
});

slapdTest('a name with an empty value is refused wherever it comes, as with slapd', async (t) => {
  const { both } = await serve();
  for (const [tool, args, input] of [
    ['ldapadd', [], `dn: uid=,${s}\nobjectClass: account\nuid: x\n`],
    ['ldapadd', [], `dn: uid=x,ou=,${s}\nobjectClass: account\nuid: x\n`],
    ['ldapmodrdn', [`cn=in side,${s}`, 'cn=']],
    ['ldapdelete', [`cn=,${s}`]],
    ['ldapadd', [], `dn: cn=seen,${s}\nobjectClass: device\ncn: seen\nseeAlso: cn=,${s}\n`],
  ] as const) {
    const { atrium, slapd } = await both(tool, args, input);
    t.is(atrium.status, slapd.status, `${tool} ${args.join(' ')} ${input}`);
    t.not(atrium.status, 0);
  }
});

/** A character of a value: letters, those that are special in a name, and some from further away. */
const character = fc.constantFrom(...'abcXYZ059 ,+";<>=#\\-_.*()', 'é', 'Ö', '名', '🜁', '\t');
const value = fc.array(character, { minLength: 1, maxLength: 8 }).map((each) => `v${each.join('')}`);

/** The same octets, each written by its number, in the case of letters that is given. */
const byNumbers = (given: string, upper: boolean) =>
  Array.from(
    utf8(given),
    (octet) => `\\${upper ? octet.toString(16).padStart(2, '0').toUpperCase() : octet.toString(16).padStart(2, '0')}`,
  ).join('');

const inQuotes = (given: string) => `"${given.replace(/["\\]/g, '\\$&')}"`;

slapdTest('any name that Atrium writes is found by ldapsearch under other spellings, and comes back as it was given', async (t) => {
  const { alone } = await serve();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(value, value, async (one, other) => {
      // No two runs make the same entry.
      const cn = `${count++} ${one}`;
      const rdn: Dn = [
        [
          { type: 'cn', value: utf8(cn) },
          { type: 'l', value: utf8(other) },
        ],
      ];
      const dn = `${formatDn(rdn)},${s}`;
      const ldif = formatLdifRecord({
        kind: 'content',
        line: 0,
        dn,
        attributes: [
          { description: 'objectClass', values: [utf8('device')] },
          { description: 'cn', values: [utf8(cn)] },
          { description: 'l', values: [utf8(other)] },
        ],
      });
      t.is((await alone('ldapadd', [], ldif)).status, 0, dn);
      for (const spelling of [
        `2.5.4.7=${byNumbers(other, true)} + CN=${byNumbers(cn, false)} , ${s}`,
        `localityName=${inQuotes(other)}+cn=${inQuotes(cn)};${s}`,
        `cn=${byNumbers(cn.replaceAll(' ', '   '), true)}+l=${byNumbers(other, false)},${s.toUpperCase()}`,
      ]) {
        t.deepEqual((await alone('ldapsearch', ['-b', spelling, '-s', 'base', '1.1'])).dns, [dn], spelling);
      }
    }),
    { numRuns: 8 },
  );
});
