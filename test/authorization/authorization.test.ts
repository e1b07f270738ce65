import test from 'ava';
import { matching } from '../directory/control-values.ts';
import { furnishedHouse, person, suffix } from '../directory/driver.ts';
import { dropFolder, makeFolder } from '../torture/round.ts';
import { controlsOf, type Search } from './asks.ts';
import { catchMutant, copyForMutants, mutantNames, mutants, plant, restore } from './mutants.ts';
import { proveAuthorization } from './prove.ts';

// The short form of `npm run authorization`, which draws 200,000 and other ones each time. A gate draws the same of every commit.
const asked = { cases: 5000, seed: 90_117 };
/** Each of the mistakes is seen by then. */
const mutantCases = 2000;

let folder = '';
/** The code, for one mistake after the other. */
let copy = '';

test.before(() => {
  folder = makeFolder();
  copy = copyForMutants(folder);
});

test.after.always(() => dropFolder(folder));

test('generated requests by everybody, however they came in, come out as a plain second evaluation of the rules says, and leave behind what it says', async (t) => {
  t.timeout(300_000);
  const proved = await proveAuthorization({ ...asked, differencesMax: 1, progress: () => undefined });
  const again = `npm run authorization -- --cases ${asked.cases} --seed ${asked.seed}`;
  t.deepEqual(
    proved.differences.map(({ text }) => text),
    [],
    again,
  );
  t.is(proved.cases, asked.cases);
  // A proof of refusals alone, or of consents, proves nothing; nor does one of which a part is left out.
  t.true(proved.unseen > asked.cases / 20, again);
  for (const [outcome, least] of leasts)
    t.true((proved.seen.get(outcome) ?? 0) >= least, `${outcome}: ${proved.seen.get(outcome)}; ${again}`);
});

const leasts: readonly (readonly [outcome: string, least: number])[] = [
  ...(['search 0', 'search 32', 'modify 0', 'modify 32', 'modify 50'] as const).map((outcome) => [outcome, 100] as const),
  ...(['search 122', 'compare 32', 'compare 50', 'add 0', 'add 32', 'add 50', 'delete 50', 'rename 50'] as const).map(
    (outcome) => [outcome, 20] as const,
  ),
  ...(
    [
      'compare 5',
      'compare 6',
      'delete 0',
      'rename 0',
      'bind 0',
      'bind 49',
      'password 0',
      'password 50',
      'transaction 0',
      'transaction 50',
    ] as const
  ).map((outcome) => [outcome, 3] as const),
];

test('what the directory keeps about an entry is written by those who manage it, however wide the right to write is', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const rule = (cn: string, stsRuleRight: readonly string[]) =>
    operator.add(`cn=${cn},ou=accessRules,${suffix}`, {
      objectClass: 'stsAccessRule',
      cn,
      stsRuleOrder: '1',
      stsRuleWho: `dn:${person('ada')}`,
      stsRuleTarget: `children:ou=people,${suffix}`,
      stsRuleRight,
    });
  await operator.add(`ou=accessRules,${suffix}`, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  t.is((await rule('writes', ['read', 'write', 'add'])).code, 0);
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const becomes = () => ada.modify(person('alan'), ['replace', 'authzTo', `dn:${person('admin')}`]);
  const made = { objectClass: 'inetOrgPerson', cn: 'x', sn: 'x' };
  t.is((await ada.modify(person('alan'), ['replace', 'title', 'x'])).code, 0);
  t.is((await becomes()).code, 50);
  t.is((await ada.modify(person('alan'), ['replace', 'pwdReset', 'TRUE'])).code, 50);
  t.is((await ada.add(person('eve'), { ...made, authzTo: `dn:${person('alan')}` })).code, 50);
  t.is((await ada.add(person('eve'), made)).code, 0);
  t.is((await rule('manages', ['manage'])).code, 0);
  t.is((await becomes()).code, 0);
});

test('with an entry goes what is below it only where all of it may be deleted, and moves only where all of it may go', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const place = (ou: string) => operator.add(`ou=${ou},ou=people,${suffix}`, { objectClass: 'organizationalUnit', ou });
  const rule = (cn: string, stsRuleOrder: string, more: Readonly<Record<string, string | readonly string[]>>) =>
    operator.add(`cn=${cn},ou=accessRules,${suffix}`, {
      objectClass: 'stsAccessRule',
      cn,
      stsRuleOrder,
      stsRuleWho: 'authenticated',
      ...more,
    });
  await operator.add(`ou=accessRules,${suffix}`, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  for (const ou of ['sales', 'support']) await place(ou);
  for (const uid of ['sam', 'sue'])
    await operator.add(`uid=${uid},ou=sales,ou=people,${suffix}`, { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid });
  await rule('all', '2', { stsRuleRight: ['read', 'write', 'add', 'delete'] });
  await rule('but one', '1', {
    stsRuleEffect: 'deny',
    stsRuleTarget: `entry:uid=sue,ou=sales,ou=people,${suffix}`,
    stsRuleRight: 'delete',
  });
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const sales = `ou=sales,ou=people,${suffix}`;
  const gone = () => ada.ask({ kind: 'delRequest', entry: sales }, [{ oid: '1.2.840.113556.1.4.805', critical: true }]);
  const moved = (newSuperior: string) =>
    ada.ask({ kind: 'modifyDNRequest', entry: sales, newRdn: 'ou=sales', deleteOldRdn: true, newSuperior });
  t.deepEqual([(await moved(`ou=support,ou=people,${suffix}`)).code, (await gone()).code], [50, 50]);
  t.is((await operator.search(sales, '(objectClass=*)')).entries.length, 3);
  await operator.ask({ kind: 'delRequest', entry: `cn=but one,ou=accessRules,${suffix}` });
  t.is((await gone()).code, 0);
});

for (const follow of ['sync', 'persistent'] as const) {
  test(`RFC 4528: a search that goes on (${follow}) is refused where its assertion does not hold, and what one may not search is Undefined in it`, async (t) => {
    const house = await furnishedHouse(t);
    const ada = house.connect('ldaps');
    await ada.bind(person('ada'), 'lovelace');
    await house.operator().modify(person('alan'), ['add', 'employeeNumber', '1912']);
    const ask = (assertion: string) => {
      const search: Search = { op: 'search', base: person('alan'), scope: 'base', filter: '(uid=*)', attributes: [], assertion, follow };
      return ada.search(search.base, search.filter, { scope: 'base' }, controlsOf(search));
    };
    for (const assertion of ['(uid=ada)', '(employeeNumber=1912)', '(!(employeeNumber=1))']) t.is((await ask(assertion)).code, 122);
  });
}

test('RFC 3876: no item finds a value that one may not search, be it about its supertype or about any attribute', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const asked = async () => {
    const controls = [matching('(name=alan turing)', '(:caseIgnoreMatch:=alan turing)', '(cn=*)')];
    const { entries } = await ada.search(person('alan'), '(uid=*)', { attributes: ['cn'] }, controls);
    return entries.map((entry) => entry.all('cn'));
  };
  t.deepEqual(await asked(), [['Alan Turing']]);
  await operator.add(`ou=accessRules,${suffix}`, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  const rule = { objectClass: 'stsAccessRule', cn: 'no cn', stsRuleOrder: '1', stsRuleEffect: 'deny', stsRuleWho: 'anyone' };
  await operator.add(`cn=no cn,ou=accessRules,${suffix}`, { ...rule, stsRuleAttribute: 'cn', stsRuleRight: 'search' });
  t.deepEqual(await asked(), [[]]);
});

// `npm run authorization -- --mutants` plants all of them, one after the other.
for (const name of ['dropped-deny', 'read-for-search', 'add-without-write'] as const) {
  test.serial(`the proof can fail: ${mutants[name].means}`, async (t) => {
    t.timeout(300_000);
    plant(name, copy);
    t.not(await catchMutant(copy, mutantCases, asked.seed), undefined);
    restore(name, copy);
  });
}

test.serial('the mistakes that the proof must see still fit the code', (t) => {
  for (const name of mutantNames) t.notThrows(() => plant(name, copy));
});
