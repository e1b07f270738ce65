import test from 'ava';
import { createJudge } from '#directory';
import { furnishedHouse, suffix } from './driver.ts';

const rules = `ou=accessRules,${suffix}`;
const badge = `( 1.3.6.1.4.1.32473.1.1 NAME 'badgeNumber' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )`;

test('a rule of access that speaks of what the schema has lost is told of by name when a folder is examined, and no other one', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  t.is((await operator.modify('cn=Subschema', ['add', 'attributeTypes', badge])).code, 0);
  t.is((await operator.add(rules, { objectClass: 'organizationalUnit', ou: 'accessRules' })).code, 0);
  for (const [cn, stsRuleAttribute] of [
    ['badges', 'badgeNumber'],
    ['mails', 'mail'],
  ] as const) {
    const more = { stsRuleOrder: '1', stsRuleWho: 'anyone', stsRuleAttribute, stsRuleRight: 'read' };
    t.is((await operator.add(`cn=${cn},${rules}`, { objectClass: 'stsAccessRule', cn, ...more })).code, 0);
  }
  const examined = () => {
    const { live, store, realms } = house.engine;
    const snapshot = store.snapshot();
    const judge = createJudge(live.current, realms.in(snapshot), house.engine.sealer);
    const superiorOf = (uuid: string | undefined) => (uuid === undefined ? undefined : (snapshot.byUuid(uuid) ?? 'absent'));
    return snapshot.subtree(new Uint8Array(0), undefined, 1000).flatMap((id) => {
      const entry = snapshot.byId(id);
      return entry === undefined ? [] : judge(entry, superiorOf(entry.parent), []);
    });
  };
  t.deepEqual(examined(), []);
  t.is((await operator.modify('cn=Subschema', ['delete', 'attributeTypes', badge])).code, 0);
  const [told, ...others] = examined();
  t.deepEqual(others, []);
  t.is(told?.kind, 'schema');
  t.regex(told?.what ?? '', /^cn=badges,ou=accessRules,.*as a rule of access it cannot be read.*badgeNumber/);
});
