import test from 'ava';
import { withPrograms } from '../support/programs.ts';
import { type Beside, startBeside, suffix } from './beside-slapd.ts';

const slapdTest = withPrograms(test, 'ldapsearch', 'slapd');

/** Beside it a new Atrium has entries of its own. */
const s = `ou=tree,${suffix}`;
const there = `ou=Elsewhere,${s}`;

const person = (dn: string) => `dn: ${dn}\nobjectClass: inetOrgPerson\nuid: ${/^uid=([^,]+)/.exec(dn)?.[1]}\ncn: Somebody\nsn: Body\n\n`;
const referral = (dn: string, ...refs: readonly string[]) =>
  `dn: ${dn}\nobjectClass: referral\nobjectClass: extensibleObject\nou: ${/^ou=([^,]+)/.exec(dn)?.[1]}\n${refs.map((ref) => `ref: ${ref}\n`).join('')}\n`;
const subentry = (dn: string, specification: string) =>
  `dn: ${dn}\nobjectClass: subentry\nobjectClass: extensibleObject\ncn: ${/^cn=([^,]+)/.exec(dn)?.[1]}\nsubtreeSpecification: ${specification}\n\n`;

/** Where one test makes what others shall not see. */
const apart = `ou=apart,${suffix}`;

const content = [
  `dn: ${s}\nobjectClass: organizationalUnit\nou: tree\n\n`,
  `dn: ${apart}\nobjectClass: organizationalUnit\nou: apart\n\n`,
  person(`uid=ada,${s}`),
  person(`uid=alan,${s}`),
  `dn: ou=deeper,${s}\nobjectClass: organizationalUnit\nou: deeper\n\n`,
  // Of one with the same DN, another DN, none, a label behind it, and no LDAP URL.
  referral(
    there,
    `ldap://same.example/ou=elsewhere,${s}`,
    'ldap://other.example/ou=there,dc=other',
    'ldap://none.example',
    'ldaps://label.example:1636/ou=%C3%A4,dc=x and a label',
    'http://web.example/x',
  ),
  referral(`ou=again,ou=deeper,${s}`, 'ldap://again.example/ou=again,dc=x'),
  subentry(`cn=about,${s}`, '{ }'),
  subentry(`cn=further,ou=deeper,${s}`, '{ base "ou=x", minimum 1 }'),
].join('');

/** On another thread: what is here is all read there. */
let started: Promise<Beside> | undefined;
const serve = () => {
  started ??= startBeside(content, { STS_LDAP_WORKERS: '1' });
  return started;
};
test.after.always(async () => (await started)?.[Symbol.asyncDispose]());

const scopes = ['base', 'one', 'sub', 'children'];

for (const scope of scopes) {
  slapdTest(`RFC 3296 §5.3: a base at or below a referral is referred with -s ${scope}, as slapd does it`, async (t) => {
    const { both } = await serve();
    for (const base of [there, `cn=x,OU=ELSEWHERE,${s}`, `cn=a \\2b b\\, c+sn=ä,cn=x,ou=elsewhere,${s}`, `cn=x,ou=Again,ou=deeper,${s}`]) {
      const { atrium, slapd } = await both('ldapsearch', ['-b', base, '-s', scope]);
      t.is(atrium.status, 10);
      t.deepEqual(atrium.referral.map(alike), slapd.referral.map(alike), base);
      t.is(atrium.matched, slapd.matched);
    }
  });

  slapdTest(`RFC 3296 §5.4: a search with -s ${scope} tells where else to look, whatever its filter, as slapd does it`, async (t) => {
    const { both } = await serve();
    for (const args of [[], ['-M'], ['-MM'], ['-a', 'always'], ['-E', 'subentries=true'], ['-E', '!subentries=false']]) {
      for (const filter of ['(objectClass=*)', '(uid=ada)']) {
        for (const base of [s, `ou=deeper,${s}`]) {
          const { atrium, slapd } = await both('ldapsearch', [...args, '-b', base, '-s', scope, filter, '1.1']);
          const what = `${args.join(' ')} ${filter} ${base}`;
          t.deepEqual([...atrium.dns].sort(), [...slapd.dns].sort(), what);
          if (args[1] !== 'subentries=true') t.deepEqual(atrium.references, slapd.references, what);
          t.is(atrium.status, slapd.status, what);
        }
      }
    }
  });
}

/** Names are equal in any case, and whether a character is escaped as itself or by its number. */
const alike = (uri: string) => uri.toLowerCase().replaceAll('%5c+', '%5c2b').replaceAll('%5c,', '%5c2c');

slapdTest('RFC 3672 §3: a search for subentries finds just these, and a base search finds one without asking', async (t) => {
  const { both } = await serve();
  const one = `cn=about,${s}`;
  for (const args of [[], ['-E', 'subentries=true'], ['-E', '!subentries=false']]) {
    for (const base of [one, `uid=ada,${s}`]) {
      const { atrium, slapd } = await both('ldapsearch', [...args, '-b', base, '-s', 'base', '1.1']);
      t.deepEqual(atrium, slapd, `${args.join(' ')} ${base}`);
    }
  }
  const { atrium } = await both('ldapsearch', ['-E', 'subentries=true', '-b', s, '(cn=further)', '1.1']);
  t.deepEqual(atrium.dns, [`cn=further,ou=deeper,${s}`]);
});

const modification = (dn: string) => `dn: ${dn}\nchangetype: modify\nreplace: description\ndescription: x\n`;
const role = (dn: string) => `dn: ${dn}\nobjectClass: organizationalRole\ncn: ${/^cn=([^,]+)/.exec(dn)?.[1]}\n`;

type Tool = 'ldapadd' | 'ldapmodrdn' | 'ldapmodify' | 'ldapdelete' | 'ldapcompare';

const targets: readonly [title: string, tool: Tool, args: readonly string[], input?: string][] = [
  ['modify of a referral', 'ldapmodify', [], modification(there)],
  ['modify below one', 'ldapmodify', [], modification(`cn=x,${there}`)],
  ['delete of a referral', 'ldapdelete', [there]],
  ['delete below one', 'ldapdelete', [`cn=y,cn=x,${there}`]],
  ['compare of a referral', 'ldapcompare', [there, 'ou:elsewhere']],
  ['compare below one', 'ldapcompare', [`cn=x,${there}`, 'ou:elsewhere']],
  ['rename of a referral', 'ldapmodrdn', [there, 'ou=else']],
  ['rename below one', 'ldapmodrdn', [`cn=x,${there}`, 'cn=y']],
  ['add below one', 'ldapadd', [], role(`cn=x,${there}`)],
  ['add far below one', 'ldapadd', [], role(`cn=y,cn=x,${there}`)],
];

for (const [title, tool, args, input] of targets) {
  slapdTest(`RFC 3296 §5.2: ${title} is referred, as slapd does it`, async (t) => {
    const { both } = await serve();
    const { atrium, slapd } = await both(tool, args, input);
    t.is(atrium.status, 10);
    t.is(slapd.status, 10);
    // A name that a URI lacks is put in, also where it is that of the referral itself; slapd leaves such a one as it is.
    const named = slapd.referral.map((uri) => (uri === 'ldap://none.example' ? `${uri}/${there}` : uri));
    t.deepEqual(atrium.referral.map(alike), named.map(alike));
    t.is(atrium.matched, slapd.matched);
  });
}

slapdTest('RFC 3296 §5.2: only a search is given the scope, filter and attributes of a URI; critical extensions stay', async (t) => {
  const { alone } = await serve();
  const dn = `ou=asked,${apart}`;
  t.is((await alone('ldapadd', ['-M'], referral(dn, 'ldap://a.example/ou=b,dc=c?cn?one?(cn=a*)?!e-x=1'))).status, 0);
  t.deepEqual((await alone('ldapcompare', [`cn=x,${dn}`, 'cn:x'])).referral, ['ldap://a.example/cn=x,ou=b,dc=c????!e-x=1']);
  t.deepEqual((await alone('ldapsearch', ['-b', dn])).referral, ['ldap://a.example/ou=b,dc=c?cn?one?(cn=a*)?!e-x=1']);
  t.is((await alone('ldapdelete', ['-M', dn])).status, 0);
});

slapdTest('RFC 3296 §3: with ManageDsaIT a referral is an entry like any other, and so is what is below it', async (t) => {
  const { alone } = await serve();
  const dn = `ou=managed,${apart}`;
  t.is((await alone('ldapadd', [], referral(dn, 'ldap://a.example'))).status, 0);
  t.is((await alone('ldapadd', [], referral(dn, 'ldap://a.example'))).status, 10);
  t.is((await alone('ldapadd', ['-M'], referral(dn, 'ldap://a.example'))).status, 68);
  t.is((await alone('ldapmodify', ['-M'], modification(dn))).status, 0);
  t.is((await alone('ldapcompare', ['-MM', dn, 'description:x'])).status, 6);
  t.is((await alone('ldapmodify', ['-M'], modification(`cn=x,${dn}`))).status, 32);
  t.is((await alone('ldapsearch', ['-M', '-b', `cn=x,${dn}`])).matched, dn);
  t.deepEqual((await alone('ldapsearch', ['-M', '-b', dn, 'ref=ldap://a.example', '1.1'])).dns, [dn]);
  t.is((await alone('ldapmodrdn', ['-M', '-r', dn, 'ou=renamed'])).status, 0);
  t.is((await alone('ldapdelete', ['-M', `ou=renamed,${apart}`])).status, 0);
});

slapdTest('RFC 3296 §5.6.2: what would be moved to another server affects several, and nothing is moved below a subentry', async (t) => {
  const { alone } = await serve();
  const alan = `uid=alan,${s}`;
  t.is((await alone('ldapmodrdn', ['-s', there, alan, 'uid=alan'])).status, 71);
  t.is((await alone('ldapmodrdn', ['-s', `cn=x,${there}`, alan, 'uid=alan'])).status, 71);
  t.is((await alone('ldapmodrdn', ['-s', 'dc=elsewhere', alan, 'uid=alan'])).status, 71);
  t.is((await alone('ldapmodrdn', [alan, 'ou=elsewhere'])).status, 71);
  t.is((await alone('ldapmodrdn', ['-s', `cn=about,${s}`, alan, 'uid=alan'])).status, 65);
  t.is((await alone('ldapmodrdn', ['-M', alan, 'ou=elsewhere'])).status, 68);
});

slapdTest('nothing is added below a subentry, and a subtree specification is one, as with slapd', async (t) => {
  const { both, alone } = await serve();
  const { atrium, slapd } = await both('ldapadd', [], role(`cn=x,cn=about,${s}`));
  t.deepEqual([atrium.status, atrium.words], [slapd.status, slapd.words]);
  t.is(atrium.status, 65);
  t.is((await both('ldapadd', [], `dn: cn=no,${s}\nobjectClass: subentry\ncn: no\n`)).atrium.status, 65);
  // slapd takes any octets for one.
  t.is((await alone('ldapadd', [], subentry(`cn=bad,${s}`, '{ base ou=x }'))).status, 21);
});

const outside = ['dc=org', 'o=x,dc=org', 'cn=x,cn=subschema', 'dc=com'];

slapdTest('a name outside of the suffix is unknown, and to change it refused, as with slapd', async (t) => {
  const { both } = await serve();
  for (const dn of outside) {
    for (const [tool, args, input] of [
      ['ldapsearch', ['-b', dn, '-s', 'base']],
      ['ldapcompare', [dn, 'cn:x']],
      ['ldapdelete', [dn]],
      ['ldapmodify', [], modification(dn)],
      ['ldapadd', [], `dn: ${dn}\nobjectClass: organization\no: x\n`],
      ['ldapmodrdn', [dn, 'cn=y']],
      ['ldapmodrdn', ['-s', dn, `uid=ada,${s}`, 'uid=ada']],
    ] as const) {
      const { atrium, slapd } = await both(tool, args, input);
      t.deepEqual([atrium.status, atrium.matched, atrium.words], [slapd.status, slapd.matched, slapd.words], `${tool} ${dn}`);
    }
  }
});

slapdTest('RFC 4511 §4.1.9: the nearest superior is named where slapd names it', async (t) => {
  const { both } = await serve();
  for (const dn of [`uid=nobody,cn=z,ou=deeper,${s}`, `ou=nowhere,${suffix}`, `cn=x,uid=ada,${s}`]) {
    for (const [tool, args, input] of [
      ['ldapsearch', ['-b', dn]],
      ['ldapcompare', [dn, 'cn:x']],
      ['ldapdelete', [dn]],
      ['ldapmodify', [], modification(dn)],
    ] as const) {
      const { atrium, slapd } = await both(tool, args, input);
      t.deepEqual([atrium.status, atrium.matched], [slapd.status, slapd.matched], `${tool} ${dn}`);
      t.is(atrium.status, 32);
    }
  }
});
