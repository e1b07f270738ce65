import test from 'ava';
import { withPrograms } from '../support/programs.ts';
import { type Beside, startBeside, suffix } from './beside-slapd.ts';

const slapdTest = withPrograms(test, 'ldapsearch', 'slapd');

const unit = (dn: string) => `dn: ${dn}\nobjectClass: organizationalUnit\nou: ${/^ou=([^,]+)/.exec(dn)?.[1]}\n\n`;
const person = (dn: string) => `dn: ${dn}\nobjectClass: inetOrgPerson\nuid: ${/^uid=([^,]+)/.exec(dn)?.[1]}\ncn: Somebody\nsn: Body\n\n`;
const alias = (dn: string, target: string) =>
  `dn: ${dn}\nobjectClass: alias\nobjectClass: extensibleObject\ncn: ${/^cn=([^,]+)/.exec(dn)?.[1]}\naliasedObjectName: ${target}\n\n`;

/** Beside it a new Atrium has entries of its own. */
const s = `ou=tree,${suffix}`;
const a = `ou=aliases,${s}`;
const chain = Array.from({ length: 17 }, (_, at) =>
  alias(`cn=chain${at},ou=chain,${s}`, at === 0 ? `uid=ada,ou=staff,${s}` : `cn=chain${at - 1},ou=chain,${s}`),
);

const content = [
  unit(s),
  unit(`ou=staff,${s}`),
  person(`uid=ada,ou=staff,${s}`),
  person(`uid=alan,ou=staff,${s}`),
  unit(`ou=more,ou=staff,${s}`),
  person(`uid=grace,ou=more,ou=staff,${s}`),
  unit(a),
  alias(`cn=toada,${a}`, `UID=Ada, ou=staff,${s}`),
  alias(`cn=toalias,${a}`, `cn=toada,${a}`),
  alias(`cn=toabsent,${a}`, `cn=nobody,${s}`),
  alias(`cn=outside,${a}`, 'dc=elsewhere,dc=org'),
  alias(`cn=loop1,${a}`, `cn=loop2,${a}`),
  alias(`cn=loop2,${a}`, `cn=loop1,${a}`),
  alias(`cn=self,${a}`, `cn=self,${a}`),
  alias(`cn=tostaff,${a}`, `ou=staff,${s}`),
  alias(`cn=tomore,${a}`, `ou=more,ou=staff,${s}`),
  unit(`ou=up,${s}`),
  alias(`cn=toup,ou=up,${s}`, s),
  unit(`ou=inside,${s}`),
  person(`uid=inner,ou=inside,${s}`),
  alias(`cn=toinner,ou=inside,${s}`, `uid=inner,ou=inside,${s}`),
  alias(`cn=tobase,ou=inside,${s}`, `ou=inside,${s}`),
  unit(`ou=chain,${s}`),
  ...chain,
  unit(`ou=further,${s}`),
  alias(`cn=further,ou=further,${s}`, `ou=inside,${s}`),
].join('');

let started: Promise<Beside> | undefined;
const serve = () => {
  started ??= startBeside(content);
  return started;
};
test.after.always(async () => (await started)?.[Symbol.asyncDispose]());

const bases = [
  `cn=toada,${a}`,
  `cn=toalias,${a}`,
  `cn=toabsent,${a}`,
  `cn=outside,${a}`,
  `cn=loop1,${a}`,
  `cn=self,${a}`,
  `uid=ada,cn=tostaff,${a}`,
  `uid=grace,ou=more,cn=tostaff,${a}`,
  `uid=nobody,cn=tostaff,${a}`,
  `cn=toup,ou=up,cn=toup,ou=up,${s}`,
  `ou=staff,cn=toup,ou=up,${s}`,
  `cn=chain14,ou=chain,${s}`,
  `cn=chain15,ou=chain,${s}`,
  `uid=x,cn=chain16,ou=chain,${s}`,
  `uid=ada,ou=staff,${s}`,
  `uid=nobody,ou=staff,${s}`,
];

for (const mode of ['never', 'find', 'search', 'always']) {
  slapdTest(`RFC 4511 §4.5.1.3: with -a ${mode} a base is found through aliases as slapd finds it`, async (t) => {
    const { both } = await serve();
    for (const base of bases) {
      const { atrium, slapd } = await both('ldapsearch', ['-a', mode, '-b', base, '-s', 'base', '1.1']);
      // slapd says so in words, and answers with success.
      const status = slapd.words === 'maximum deref depth exceeded' ? 36 : slapd.status;
      t.deepEqual(atrium, { ...slapd, status }, base);
    }
  });
}

const scopes = [a, `ou=up,${s}`, `ou=inside,${s}`, `ou=further,${s}`, `ou=chain,${s}`, `cn=tostaff,${a}`, `cn=toada,${a}`, `ou=staff,${s}`];

for (const mode of ['never', 'find', 'search', 'always']) {
  for (const scope of ['one', 'sub']) {
    slapdTest(`RFC 4511 §4.5.1.3: -a ${mode} -s ${scope} finds what slapd finds, and nothing twice`, async (t) => {
      const { both } = await serve();
      for (const base of scopes) {
        for (const filter of ['(objectClass=*)', '(uid=ada)', '(!(|(uid=ada)(cn=to*)))']) {
          const { atrium, slapd } = await both('ldapsearch', ['-a', mode, '-b', base, '-s', scope, filter, '1.1']);
          t.is(atrium.status, 0);
          t.is(slapd.status, 0);
          t.is(new Set(atrium.dns).size, atrium.dns.length, `${base} ${filter}`);
          // slapd gives what several aliases lead to several times, where the RFC asks for once.
          t.deepEqual([...atrium.dns].sort(), [...new Set(slapd.dns)].sort(), `${base} ${filter}`);
        }
      }
    });
  }
}

slapdTest('RFC 4511 §4.5.1.3: below the base alone (children), too, what an alias leads to is in scope', async (t) => {
  const { alone } = await serve();
  const found = async (base: string) => [...(await alone('ldapsearch', ['-a', 'search', '-b', base, '-s', 'children', '1.1'])).dns].sort();
  t.deepEqual(await found(a), [
    `ou=more,ou=staff,${s}`,
    `ou=staff,${s}`,
    `uid=ada,ou=staff,${s}`,
    `uid=alan,ou=staff,${s}`,
    `uid=grace,ou=more,ou=staff,${s}`,
  ]);
  t.deepEqual(await found(`ou=inside,${s}`), [`ou=inside,${s}`, `uid=inner,ou=inside,${s}`]);
});

const refused: readonly [
  title: string,
  tool: 'ldapadd' | 'ldapmodrdn' | 'ldapmodify' | 'ldapdelete' | 'ldapcompare',
  args: readonly string[],
  input?: string,
][] = [
  ['nothing is added below an alias', 'ldapadd', [], person(`uid=x,cn=tostaff,${a}`)],
  ['nothing is added below what an alias would lead to', 'ldapadd', [], person(`uid=x,ou=more,cn=tostaff,${a}`)],
  ['nothing is moved below an alias', 'ldapmodrdn', ['-s', `cn=tostaff,${a}`, `uid=alan,ou=staff,${s}`, 'uid=alan']],
  ['an alias is of one target alone', 'ldapadd', [], `${alias(`cn=two,${a}`, s).trim()}\naliasedObjectName: ${a}\n`],
  ['an alias has a target', 'ldapadd', [], `dn: cn=none,${a}\nobjectClass: alias\nobjectClass: extensibleObject\ncn: none\n`],
  ['a target is a name', 'ldapadd', [], alias(`cn=bad,${a}`, 'no name')],
  [
    'a change does not follow an alias in its name',
    'ldapmodify',
    [],
    `dn: uid=ada,cn=tostaff,${a}\nchangetype: modify\nreplace: title\ntitle: x\n`,
  ],
  ['a delete does not follow an alias in its name', 'ldapdelete', [`uid=ada,cn=tostaff,${a}`]],
  ['a compare does not follow an alias in its name', 'ldapcompare', [`uid=ada,cn=tostaff,${a}`, 'uid:ada']],
  ['a compare is of the alias itself', 'ldapcompare', [`cn=toada,${a}`, 'uid:ada']],
  ['an alias is compared', 'ldapcompare', [`cn=toada,${a}`, `aliasedObjectName:uid=ada,ou=Staff,${s}`]],
];

for (const [title, tool, args, input] of refused) {
  slapdTest(`aliases: ${title}, as with slapd`, async (t) => {
    const { both } = await serve();
    const { atrium, slapd } = await both(tool, args, input);
    t.is(atrium.status, slapd.status, atrium.words);
    t.is(atrium.matched, slapd.matched);
    t.not(atrium.status, 0);
    if (slapd.status === 33) t.is(atrium.words, slapd.words);
  });
}
