import test from 'ava';
import { furnishedHouse, person, suffix } from './driver.ts';

const kept = {
  description: 'plain',
  'description;lang-en': 'Hello',
  'description;lang-de': 'Hallo',
  'description;lang-de-AT': 'Servus',
  'description;lang-de-at;x-old': 'Habe die Ehre',
} as const;

/** RFC 3866 §2.1, §2.2: what an attribute description asks for, among those above. */
const cases: readonly [asked: string, values: readonly string[]][] = [
  ['description', ['Habe die Ehre', 'Hallo', 'Hello', 'Servus', 'plain']],
  ['description;lang-de', ['Hallo']],
  ['description;LANG-DE-at', ['Habe die Ehre', 'Servus']],
  ['description;lang-de-', ['Habe die Ehre', 'Hallo', 'Servus']],
  ['description;lang-', ['Habe die Ehre', 'Hallo', 'Hello', 'Servus']],
  ['description;lang-de-;x-old', ['Habe die Ehre']],
  ['description;lang-d-', []],
  ['description;lang-fr-', []],
];

for (const [asked, values] of cases) {
  test(`RFC 3866: ${asked} asks for ${values.length} of five attributes, in a selection, a filter and a comparison`, async (t) => {
    const operator = (await furnishedHouse(t)).operator();
    t.is((await operator.add(person('eva'), { objectClass: 'inetOrgPerson', uid: 'eva', cn: 'Eva', sn: 'E', ...kept })).code, 0);
    const { entries } = await operator.search(person('eva'), '(uid=eva)', { attributes: [asked] });
    const shown = entries[0]?.attributes.flatMap(({ values: each }) => each.map((value) => Buffer.from(value).toString())) ?? [];
    t.deepEqual(shown.sort(), [...values]);
    for (const value of Object.values(kept)) {
      const isAsked = values.includes(value);
      t.is((await operator.search(suffix, `(${asked}=${value})`)).dns.length, isAsked ? 1 : 0);
      const compared = await operator.ask({ kind: 'compareRequest', entry: person('eva'), description: asked, value: Buffer.from(value) });
      t.is(compared.code, isAsked ? 6 : values.length > 0 ? 5 : 16);
    }
  });
}

test('RFC 3866 §2.2: nothing is stored under a range: undefinedAttributeType', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const added = await operator.add(person('eva'), {
    objectClass: 'inetOrgPerson',
    uid: 'eva',
    cn: 'Eva',
    sn: 'E',
    'description;lang-': 'x',
  });
  t.is(added.code, 17);
  for (const operation of ['add', 'replace', 'delete'] as const) {
    t.is((await operator.modify(person('ada'), [operation, 'cn;lang-fr-', 'x'])).code, 17);
  }
});

test('RFC 3866: the root DSE lists tags and ranges', async (t) => {
  const { entries } = await (await furnishedHouse(t)).connect().search('', '(objectClass=*)', { scope: 'base', attributes: ['+'] });
  const listed = entries[0]?.all('supportedFeatures') ?? [];
  t.true(['1.3.6.1.4.1.4203.1.5.4', '1.3.6.1.4.1.4203.1.5.5'].every((oid) => listed.includes(oid)));
});
