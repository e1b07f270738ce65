import test, { type ExecutionContext } from 'ava';
import type { Request } from '#ldap';
import { type Attributes, type Client, furnishedHouse, person, suffix } from '../directory/driver.ts';
import { add, modify, rename } from './table.ts';
import { begun, end, part } from './transacting.ts';

const rules = `ou=accessRules,${suffix}`;
const writers = `cn=writers,ou=groups,${suffix}`;
const acme = 'uid=admin,ou=people,o=acme';
const joins = modify(writers, ['add', 'member', person('ada')]);

const rule = (cn: string, more: Attributes): [string, Attributes] => [
  `cn=${cn},${rules}`,
  { objectClass: 'stsAccessRule', cn, stsRuleOrder: '1', stsRuleWho: `dn:${person('ada')}`, ...more },
];

/** Ada may say who has the role that gives everything everywhere, and write rules; she is nobody else. */
async function houseOfAda(t: ExecutionContext, ...more: readonly (readonly [string, Attributes])[]) {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const registry = `ou=realms,${suffix}`;
  const given: readonly (readonly [string, Attributes])[] = [
    [registry, { objectClass: 'organizationalUnit', ou: 'realms' }],
    [`cn=acme,${registry}`, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme' }],
    [rules, { objectClass: 'organizationalUnit', ou: 'accessRules' }],
    [writers, { objectClass: ['groupOfNames', 'stsRoleGroup'], cn: 'writers', member: person('admin'), stsRole: 'Admin Write' }],
    rule('says who writes', { stsRuleTarget: `entry:${writers}`, stsRuleRight: ['read', 'write'] }),
    rule('writes rules', { stsRuleTarget: `subtree:${rules}`, stsRuleRight: ['read', 'write', 'add'] }),
    ...more,
  ];
  for (const [dn, attributes] of given) {
    const { code, result } = await operator.add(dn, attributes);
    t.true(code === 0 || code === 68, `${dn}: ${code} ${JSON.stringify(result)}`);
  }
  const ada = house.connect();
  t.is((await ada.bind(person('ada'), 'lovelace')).code, 0);
  return { house, operator, ada };
}

async function together(client: Client, ...updates: readonly Request[]): Promise<number> {
  const id = await begun(client);
  for (const op of updates) await client.ask(op, [part(id)]);
  return (await client.ask(end(id))).code;
}

test('rights inside a transaction are those before it: a role that one update gives counts for none behind it, in no realm', async (t) => {
  for (const name of [person('alan'), acme]) {
    const { house, ada } = await houseOfAda(t);
    const { number } = house.engine.store.snapshot();
    const writes = modify(name, ['replace', 'description', 'by a writer']);
    const refused = name === acme ? 32 : 50;
    t.is(await together(ada, joins, writes), refused, name);
    t.is(house.engine.store.snapshot().number, number, 'none of it is done');
    t.is((await ada.ask(writes)).code, refused, 'and nothing of it is left on the connection');
    t.deepEqual([(await ada.ask(joins)).code, (await ada.ask(writes)).code], [0, 0], 'as two requests it is allowed');
  }
});

test('rights inside a transaction are those before it: a role that one update takes away counts for those behind it, in every realm', async (t) => {
  const { ada } = await houseOfAda(t);
  t.is((await ada.ask(joins)).code, 0);
  const leaves = modify(writers, ['delete', 'member', person('ada')]);
  const writes = (name: string) => modify(name, ['replace', 'description', 'by a writer']);
  t.is(await together(ada, leaves, writes(person('alan')), writes(acme)), 0);
  t.is((await ada.ask(writes(person('alan')))).code, 50);
  t.is((await ada.ask(writes(acme))).code, 32);
});

test('rights inside a transaction are those before it: rules that it makes are in force behind it', async (t) => {
  const { ada } = await houseOfAda(t);
  const [dn, attributes] = rule('writes people', { stsRuleTarget: `children:ou=people,${suffix}`, stsRuleRight: 'write' });
  const writes = modify(person('alan'), ['replace', 'description', 'by a rule']);
  t.is(await together(ada, add(dn, attributes), writes), 50);
  t.is(await together(ada, add(dn, attributes)), 0);
  t.is(await together(ada, writes), 0);
});

test('rights inside a transaction are about entries as those before it left them: where they stand, and what they hold', async (t) => {
  const sales = `ou=sales,ou=people,${suffix}`;
  const { ada, operator } = await houseOfAda(
    t,
    [sales, { objectClass: 'organizationalUnit', ou: 'sales' }],
    rule('open ones', { stsRuleFilter: '(employeeType=open)', stsRuleRight: 'write' }),
    rule('open and close', { stsRuleAttribute: 'employeeType', stsRuleRight: ['read', 'write'] }),
    rule('moves', {
      stsRuleOrder: '2',
      stsRuleTarget: `subtree:ou=people,${suffix}`,
      stsRuleAttribute: ['uid', 'ou'],
      stsRuleRight: ['read', 'add', 'delete', 'write'],
    }),
    rule('in sales', { stsRuleOrder: '2', stsRuleTarget: `children:${sales}`, stsRuleAttribute: 'title', stsRuleRight: 'write' }),
  );
  const opens = modify(person('alan'), ['replace', 'employeeType', 'open']);
  const closes = modify(person('alan'), ['replace', 'employeeType', 'closed']);
  const says = modify(person('alan'), ['replace', 'description', 'while open']);
  t.is(await together(ada, says), 50);
  t.is(await together(ada, opens, closes, says), 50, 'what an update gave its entry another one has taken again');
  t.is(await together(ada, opens, says, closes), 0, 'as three requests would be');
  t.is(await together(ada, says), 50);
  const titled = modify(`uid=alan,${sales}`, ['replace', 'title', 'seller']);
  t.is(await together(ada, rename(person('alan'), 'uid=alan', true, sales), titled), 0);
  t.is((await operator.search(sales, '(title=seller)')).entries.length, 1);
});
