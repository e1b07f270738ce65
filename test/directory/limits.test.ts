import test from 'ava';
import { type Client, furnishedHouse, type House, person, suffix } from './driver.ts';

const people = `ou=people,${suffix}`;
const total = 600;

/** A house of six hundred people, in which each look at the clock is some time later than the one before. */
async function slowHouse(t: Parameters<typeof furnishedHouse>[0], settings: Parameters<typeof furnishedHouse>[1], stepMs: number) {
  const house = await furnishedHouse(t, settings);
  const operator = house.operator();
  for (let at = 0; at < total; at++) {
    await operator.add(person(`m${at}`), { objectClass: 'inetOrgPerson', uid: `m${at}`, cn: 'M', sn: 'M' });
  }
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const now = house.clock.nowMs;
  let asked = 0;
  Object.assign(house.clock, { nowMs: () => now() + stepMs * asked++ });
  return { house, ada };
}

/** More than one turn has to be looked at, and nothing of it is in an index. */
const filter = '(&(objectClass=person)(!(uid=none))(cn=m))';

const cases: readonly [
  title: string,
  settings: Parameters<typeof furnishedHouse>[1],
  limits: Parameters<Client['search']>[2],
  person: number,
  administrator: number,
][] = [
  ['the time limit of the service is that of persons', { 'ldap.searchTimeLimitS': 1 }, {}, 3, 0],
  ['nobody asks for more time than they are allowed', { 'ldap.searchTimeLimitS': 1 }, { timeLimitS: 60 }, 3, 0],
  ['a shorter time limit of the request holds for all', { 'ldap.searchTimeLimitS': 60 }, { timeLimitS: 1 }, 3, 3],
  ['the size limit of the service is that of persons', { 'ldap.searchSizeLimit': 300 }, {}, 4, 0],
  ['nobody asks for more entries than they are allowed', { 'ldap.searchSizeLimit': 300 }, { sizeLimit: 500 }, 4, 4],
  ['a smaller size limit of the request holds for all', { 'ldap.searchSizeLimit': 500 }, { sizeLimit: 300 }, 4, 4],
  ['limits that are not reached', { 'ldap.searchSizeLimit': 1000, 'ldap.searchTimeLimitS': 60 }, { sizeLimit: 600, timeLimitS: 60 }, 0, 0],
];

for (const [title, settings, limits, ofPerson, ofAdministrator] of cases) {
  test(`RFC 4511 §4.5.2: what was found so far comes, then 3 or 4: ${title}`, async (t) => {
    const { house, ada } = await slowHouse(t, settings, 700);
    const outcome = async (who: Client) => {
      const { code, dns } = await who.search(people, filter, { attributes: ['1.1'], ...limits });
      // Part of the answer where a limit ended it, and all of it where none did.
      t.true(code === 0 ? dns.length === total : dns.length > 0 && dns.length < total, `${code} with ${dns.length} entries`);
      if (code === 4)
        t.is(dns.length, Math.min(limits?.sizeLimit ?? total, who === ada ? (settings?.['ldap.searchSizeLimit'] ?? total) : total));
      return code;
    };
    t.deepEqual([await outcome(ada), await outcome(house.operator())], [ofPerson, ofAdministrator]);
  });
}

test('anonymous searches have the limits of persons', async (t) => {
  const house: House = await furnishedHouse(t, { 'ldap.searchSizeLimit': 1, 'ldap.anonymousRead': 'public' });
  const { code, dns } = await house.connect().search(people, '(objectClass=person)', { sizeLimit: 100 });
  t.deepEqual([code, dns.length], [4, 1]);
});

test('a limit that is just reached is none', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.searchSizeLimit': 3 });
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  t.is((await ada.search(people, '(objectClass=person)')).code, 0);
});

test('the right to enumerate where a search begins lifts the limits of the service, shows nothing more, and gives nothing else', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.searchSizeLimit': 3 });
  const operator = house.operator();
  for (let at = 0; at < 5; at++)
    await operator.add(person(`m${at}`), { objectClass: 'inetOrgPerson', uid: `m${at}`, cn: 'M', sn: 'M', employeeNumber: `${at}` });
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const found = async (base = people, limits: Parameters<Client['search']>[2] = {}) => {
    const { code, dns, entries } = await ada.search(base, '(cn=M)', { attributes: ['cn', 'employeeNumber'], ...limits });
    return { code, count: dns.length, numbers: entries.flatMap((entry) => entry.all('employeeNumber')).length };
  };
  t.deepEqual(await found(), { code: 4, count: 3, numbers: 0 });
  await operator.add(`ou=accessRules,${suffix}`, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  const rule = async (cn: string, order: number, more: Readonly<Record<string, string>>) =>
    t.is(
      (
        await operator.add(`cn=${cn},ou=accessRules,${suffix}`, {
          ...{ objectClass: 'stsAccessRule', cn, stsRuleOrder: `${order}`, stsRuleWho: `dn:${person('ada')}` },
          ...more,
        })
      ).code,
      0,
    );
  await rule('lists', 2, { stsRuleTarget: `entry:${people}`, stsRuleRight: 'enumerate' });
  t.deepEqual(await found(), { code: 0, count: 5, numbers: 0 }, 'what is hidden stays so');
  t.deepEqual(await found(suffix), { code: 4, count: 3, numbers: 0 }, 'a search that begins elsewhere');
  t.deepEqual(await found(people, { sizeLimit: 2 }), { code: 4, count: 2, numbers: 0 }, 'the client’s own limit holds');
  t.is((await ada.modify(person('m1'), ['replace', 'cn', 'X'])).code, 50);
  t.is((await ada.add(person('new'), { objectClass: 'inetOrgPerson', uid: 'new', cn: 'n', sn: 'n' })).code, 50);
  await rule('not', 1, { stsRuleEffect: 'deny', stsRuleRight: 'enumerate' });
  t.deepEqual(await found(), { code: 4, count: 3, numbers: 0 }, 'a rule that is asked before denies it');
});
