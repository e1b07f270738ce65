import test from 'ava';
import { importLive } from '#directory';
import type { LdifContent } from '#ldap';
import { type Attributes, attributesOf, emptyHouse, type House, suffix } from './driver.ts';

const count = 1500;

/** A search is asked in several turns of the event loop; in each of them somebody else has written, so that each reads another state of the store. */
const filters: readonly [title: string, filter: string, found: number][] = [
  ['a column that must look at many entries anew, or a range', '(|(roomNumber=*7)(uid=p10*))', 150 + 111 - 11],
  ['a column, a value of an index, or a beginning', '(|(sn=new)(description<=a)(|(roomNumber=*7)(cn=q*)))', 150],
  ['members of a large group, or a range', `(|(memberOf=cn=all,${suffix})(uid=p10*))`, count],
  ['a part of a value, or a column', '(|(mail=*@example.org)(roomNumber=*7))', 150],
];

for (const [title, filter, found] of filters) {
  test(`a search goes on while others write: ${title}`, async (t) => {
    const house = await crowded(t);
    const operator = house.operator();
    await operator.search(suffix, filter, { scope: 'one', attributes: ['1.1'] });
    // More than a column looks at anew in one turn.
    for (let n = 0; n < 400; n++) await operator.modify(`uid=p${n},${suffix}`, ['replace', 'title', 'Dr.']);
    let turns = 0;
    let over = false;
    const searching = operator.search(suffix, filter, { scope: 'one', attributes: ['1.1'] }).finally(() => {
      over = true;
    });
    for (; !over; turns++) await operator.modify(`uid=p${turns % count},${suffix}`, ['replace', 'title', String(turns)]);
    const { code, entries } = await searching;
    t.deepEqual({ code, found: entries.length }, { code: 0, found });
    t.true(turns > 1, String(turns));
  });
}

async function crowded(t: Parameters<typeof emptyHouse>[0]): Promise<House> {
  const house = emptyHouse(t);
  const people = Array.from({ length: count }, (_, n) =>
    content(`uid=p${n},${suffix}`, { objectClass: 'inetOrgPerson', uid: `p${n}`, cn: `Person ${n}`, sn: 'Person', roomNumber: String(n) }),
  );
  const member = people.map(({ dn }) => dn);
  await importLive(house.engine, [
    content(suffix, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' }),
    ...people,
    content(`cn=all,${suffix}`, { objectClass: 'groupOfNames', cn: 'all', member }),
  ]);
  return house;
}

function content(dn: string, attributes: Attributes): LdifContent {
  return { kind: 'content', line: 0, dn, attributes: attributesOf(attributes) };
}
