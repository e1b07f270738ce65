import test, { type ExecutionContext } from 'ava';
import type { Request } from '#ldap';
import { furnishedHouse, person, suffix } from '../directory/driver.ts';
import { remove, rename } from './table.ts';
import { begun, end, part } from './transacting.ts';

const rules = `ou=accessRules,${suffix}`;
const [big, elsewhere] = [`ou=big,${suffix}`, `ou=groups,${suffix}`];
const treeDelete = { oid: '1.2.840.113556.1.4.805', critical: true };

/** Ada may do much with everything that fits none of very many assertions. */
async function houseOfManyParts(t: ExecutionContext, entries: number) {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  t.is((await operator.add(rules, { objectClass: 'organizationalUnit', ou: 'accessRules' })).code, 0);
  for (let at = 0; at < 20; at++) {
    const parts = Array.from({ length: 97 }, (_, part) => `(description=x${at} y${part})`).join('');
    const more = { stsRuleOrder: String(at), stsRuleWho: 'authenticated', stsRuleFilter: `(!(|${parts}))` };
    const right = ['read', 'search', 'write', 'add', 'delete'];
    t.is((await operator.add(`cn=r${at},${rules}`, { objectClass: 'stsAccessRule', cn: `r${at}`, ...more, stsRuleRight: right })).code, 0);
  }
  t.is((await operator.add(big, { objectClass: 'organizationalUnit', ou: 'big' })).code, 0);
  for (let at = 0; at < entries; at++) t.is((await operator.add(`cn=d${at},${big}`, { objectClass: 'device', cn: `d${at}` })).code, 0);
  const ada = house.connect();
  t.is((await ada.bind(person('ada'), 'lovelace')).code, 0);
  return { ada, operator };
}

/** In how many turns of the event loop something else was done meanwhile. */
async function turnsOf(act: () => Promise<{ readonly code: number }>): Promise<{ readonly code: number; readonly turns: number }> {
  let turns = 0;
  let going = true;
  const count = () => {
    turns++;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  const { code } = await act();
  going = false;
  return { code, turns };
}

test('where rules of access make much of each entry, others have the event loop after a few entries of a subtree', async (t) => {
  const { ada } = await houseOfManyParts(t, 40);
  const moved = await turnsOf(() => ada.ask(rename(big, 'ou=big', true, elsewhere)));
  t.is(moved.code, 0);
  t.true(moved.turns >= 40, `${moved.turns} turns: one entry in each, judged where it was and where it comes`);
  const deleted = await turnsOf(() => ada.ask(remove(`ou=big,${elsewhere}`), [treeDelete]));
  t.is(deleted.code, 0);
  t.true(deleted.turns >= 20, `${deleted.turns} turns: two entries in each`);
});

test('STS-LDAP-9050: in a transaction, which has no pauses, fewer entries are moved or deleted with one where rules make much of each', async (t) => {
  const { ada, operator } = await houseOfManyParts(t, 520);
  const together = async (op: Request, controls: Parameters<typeof ada.ask>[1] = []) => {
    const id = await begun(ada);
    await ada.ask(op, [...(controls ?? []), part(id)]);
    return (await ada.ask(end(id))).code;
  };
  t.is(await together(remove(big), [treeDelete]), 11);
  t.is(await together(rename(big, 'ou=big', true, elsewhere)), 11);
  t.is((await operator.search(big, '(objectClass=*)')).entries.length, 521);
  for (let at = 0; at < 30; at++) t.is((await operator.ask(remove(`cn=d${at},${big}`))).code, 0);
  t.is(await together(remove(big), [treeDelete]), 0);
});
