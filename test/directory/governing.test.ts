import test from 'ava';
import { furnishedHouse, person, suffix } from './driver.ts';

test('the governing number moves with policies and groups, by whichever operation, and not with people', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const moves = async (act: () => Promise<{ readonly code: number }>) => {
    const before = house.engine.store.snapshot().governing;
    t.is((await act()).code, 0);
    return house.engine.store.snapshot().governing !== before;
  };
  const group = `cn=few,ou=groups,${suffix}`;
  const policy = `cn=mail,ou=policies,${suffix}`;
  const remove = (entry: string) => operator.ask({ kind: 'delRequest', entry });

  t.false(await moves(() => operator.modify(person('alan'), ['replace', 'description', 'a machine'])));
  t.false(await moves(() => operator.add(`ou=policies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'policies' })));
  t.true(await moves(() => operator.add(policy, { objectClass: 'stsUniquenessPolicy', cn: 'mail', stsUniqueAttribute: 'mail' })));
  t.true(await moves(() => operator.modify(policy, ['add', 'description', 'one address, one person'])));
  t.true(await moves(() => operator.add(group, { objectClass: 'groupOfNames', cn: 'few', member: person('ada') })));
  t.true(await moves(() => operator.modify(group, ['add', 'member', person('alan')])));
  const many = Array.from({ length: 300 }, (_, at) => person(`p${at}`));
  t.true(await moves(() => operator.modify(group, ['add', 'member', ...many])), 'now its members lie outside of it');
  t.true(await moves(() => operator.modify(group, ['delete', 'member', person('p7')])));
  t.true(await moves(() => remove(person('alan'))), 'whom groups named');
  t.true(await moves(() => remove(group)));
  t.true(await moves(() => remove(policy)));
  t.false(await moves(() => operator.add(person('grace'), { objectClass: 'inetOrgPerson', uid: 'grace', cn: 'Grace', sn: 'Hopper' })));
  t.false(await moves(() => operator.modify(person('grace'), ['replace', 'stsMfaRequired', 'TRUE'])));
  t.true(await moves(() => operator.modify(person('grace'), ['add', 'pwdAccountLockedTime', '000001010000Z'])));
  t.true(await moves(() => operator.modify(person('grace'), ['delete', 'pwdAccountLockedTime'])));
  t.true(await moves(() => remove(person('grace'))), 'as whom somebody may have come in');
});
