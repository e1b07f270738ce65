import test from 'ava';
import { text, utf8 } from '#base';
import { createMapping, namedEntry } from '#transfer';
import { readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();
const [from, to] = ['dc=old,dc=example', 'o=new'];

function mapped(attribute: string, value: string): string | undefined {
  const mapping = createMapping(schema, from, to);
  const record = { kind: 'content', line: 1, dn: `cn=x,${from}`, attributes: [{ description: attribute, values: [utf8(value)] }] } as const;
  const entry = mapping.entry(namedEntry(schema, record));
  t0 = entry.dn;
  return text(entry.attributes[0]?.values[0] ?? new Uint8Array(0));
}
let t0 = '';

const rule: readonly [title: string, attribute: string, value: string, becomes: string][] = [
  ['a value of the syntax DN', 'member', 'uid=ann,ou=people,dc=old,dc=example', 'uid=ann,ou=people,o=new'],
  ['however it is spelled', 'member', 'UID=Ann, OU=People,DC=OLD, dc=Example', 'UID=Ann,OU=People,o=new'],
  ['of another tree stays', 'member', 'uid=ann,dc=other,dc=example', 'uid=ann,dc=other,dc=example'],
  ['whose end only looks alike stays', 'member', 'uid=ann,dc=very-old,dc=example', 'uid=ann,dc=very-old,dc=example'],
  ['where names are unique', 'stsUniqueBase', 'ou=people,dc=old,dc=example', 'ou=people,o=new'],
  ['with a unique identifier behind it', 'uniqueMember', "uid=ann,dc=old,dc=example#'01'B", "uid=ann,o=new#'01'B"],
  ['who may act as whom', 'authzTo', 'dn:uid=ann,dc=old,dc=example', 'dn:uid=ann,o=new'],
  ['with the style of the name', 'authzTo', 'dn.subtree:ou=people,dc=old,dc=example', 'dn.subtree:ou=people,o=new'],
  ['as a group', 'authzFrom', 'group/groupOfNames/member:cn=a,dc=old,dc=example', 'group/groupOfNames/member:cn=a,o=new'],
  ['as a URL', 'authzTo', 'ldap:///ou=people,dc=old,dc=example??sub?(uid=a)', 'ldap:///ou=people,o=new??sub?(uid=a)'],
  ['a user name stays', 'authzTo', 'u:ann', 'u:ann'],
  [
    'the base of a URL of a dynamic group',
    'memberURL',
    'ldap:///ou=people,dc=old,dc=example??one?(l=Berlin)',
    'ldap:///ou=people,o=new??one?(l=Berlin)',
  ],
  [
    'a name in the filter of one',
    'memberURL',
    'ldap:///dc=old,dc=example??sub?(manager=uid=ann,dc=old,dc=example)',
    'ldap:///o=new??sub?(manager=uid=ann,o=new)',
  ],
  ['a rule of access: who', 'stsRuleWho', 'nested:cn=helpers,ou=groups,dc=old,dc=example', 'nested:cn=helpers,ou=groups,o=new'],
  ['a rule of access: what', 'stsRuleTarget', 'children:ou=people,dc=old,dc=example', 'children:ou=people,o=new'],
  ['a rule of access: a role has no name of an entry', 'stsRuleWho', 'role:Admin Read', 'role:Admin Read'],
  ['a rule of access: its filter', 'stsRuleFilter', '(manager=uid=ann,dc=old,dc=example)', '(manager=uid=ann,o=new)'],
  ['a name in a filter', 'stsUniqueFilter', '(&(l=x)(manager=uid=ann,dc=old,dc=example))', '(&(l=x)(manager=uid=ann,o=new))'],
  ['a text that has one in it stays', 'description', 'see uid=ann,dc=old,dc=example', 'see uid=ann,dc=old,dc=example'],
];

for (const [title, attribute, value, becomes] of rule) {
  test(`maps suffixes in all DNs and DN-valued attributes: ${attribute}, ${title}`, (t) => {
    t.is(mapped(attribute, value), becomes);
    t.is(t0, 'cn=x,o=new');
  });
}

test('lists what was mapped', (t) => {
  const mapping = createMapping(schema, from, to);
  const values = ['uid=a', 'uid=b', 'uid=c,dc=elsewhere'].map((each, at) => utf8(at < 2 ? `${each},${from}` : each));
  const attributes = [
    { description: 'member', values },
    { description: 'owner', values: [utf8(from)] },
  ];
  mapping.entry(namedEntry(schema, { kind: 'content', line: 1, dn: `cn=x,${from}`, attributes }));
  t.deepEqual(
    [...mapping.mapped],
    [
      ['member', 2],
      ['owner', 1],
    ],
  );
});

test('the entry of the suffix has the values of its new name, and a class that allows them', (t) => {
  const attributes = Object.entries({ objectClass: ['top', 'domain'], dc: ['old'] }).map(([description, values]) => ({
    description,
    values: values.map(utf8),
  }));
  const suffixOf = (dn: string) =>
    createMapping(schema, from, dn)
      .entry(namedEntry(schema, { kind: 'content', line: 1, dn: from, attributes }))
      .attributes.map(({ description, values }) => `${description}: ${values.map((each) => text(each)).join(', ')}`);
  t.deepEqual(suffixOf('o=new'), ['objectClass: top, domain', 'dc: old', 'o: new']);
  t.deepEqual(suffixOf('dc=new,dc=example'), ['objectClass: top, domain', 'dc: new']);
});
