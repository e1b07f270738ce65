import test from 'ava';
import { rightsOf } from '../../src/directory/access/rights.ts';
import { type BuiltInRow, builtInSet } from '../../src/directory/access/table.ts';
import { type Client, furnishedHouse, type House, person, schema, suffix } from './driver.ts';

type Who = 'anonymous' | 'person' | 'administrator' | 'webLayer';
type Place = 'own' | 'person' | 'group' | 'frame' | 'elsewhere';

/** An entry of each place, seen by ada. */
const entries: Readonly<Record<Place, string>> = {
  own: person('ada'),
  person: person('alan'),
  group: `cn=pioneers,ou=groups,${suffix}`,
  frame: `ou=people,${suffix}`,
  elsewhere: `ou=applications,${suffix}`,
};

const secret = new Uint8Array(32).fill(7);

async function as(house: House, who: Who): Promise<Client> {
  switch (who) {
    case 'anonymous':
      return house.connect();
    case 'person': {
      const client = house.connect();
      await client.bind(person('ada'), 'lovelace');
      return client;
    }
    case 'administrator':
      return house.operator();
    case 'webLayer': {
      const client = house.connect('web');
      await client.ask({ kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.1', value: secret });
      return client;
    }
  }
}

/** Which rows of the built-in set speak of who asks and where. */
function rowsFor(who: Who, where: Place, isPublic: boolean): readonly BuiltInRow[] {
  const targets: Readonly<Record<Place, string>> = {
    own: 'children:{people}',
    person: 'children:{people}',
    group: 'children:{groups}',
    frame: 'entry:{people}',
    elsewhere: 'nowhere',
  };
  const words = who === 'anonymous' ? ['anyone', 'anonymous'] : ['anyone', 'authenticated', ...(where === 'own' ? ['self'] : [])];
  return builtInSet.filter(
    (row) =>
      (row.when === undefined || isPublic) &&
      row.strength === undefined &&
      row.who.some((each) => words.includes(each)) &&
      (row.target === undefined || row.target.includes(targets[where])),
  );
}

const settled: readonly [who: Who, more: { readonly isPublic?: true; readonly isDevelopment?: true }][] = [
  ['anonymous', {}],
  ['anonymous', { isPublic: true }],
  ['person', {}],
  ['administrator', {}],
  ['webLayer', {}],
  ['webLayer', { isDevelopment: true }],
];

for (const [who, { isPublic = false, isDevelopment = false }] of settled) {
  const when = isPublic ? ', where anonymous reads what is public' : isDevelopment ? ', in development mode' : '';
  test(`the built-in set and what stands above all rules: what ${who} reads and writes${when}`, async (t) => {
    const house = await furnishedHouse(t, {
      webSecret: secret,
      ...(isPublic ? { 'ldap.anonymousRead': 'public' as const } : {}),
      ...(isDevelopment ? { 'global.mode': 'development' as const } : {}),
    });
    const client = await as(house, who);
    for (const where of ['own', 'person', 'group', 'frame', 'elsewhere'] as const) {
      const rows = rowsFor(who, where, isPublic);
      const given = (right: string) =>
        rows.filter(({ rights }) => rights.includes(right)).flatMap(({ attributes = ['*', '+'] }) => attributes);
      const reads = who === 'administrator' || who === 'webLayer' ? ['*', '+'] : given('read');
      const writes = who === 'administrator' ? ['*', '+'] : who === 'webLayer' ? [] : given('write');
      await looksAsGranted(where, reads);
      await writesAsGranted(where, writes);
    }
    async function looksAsGranted(where: Place, reads: readonly string[]) {
      // Seen by somebody else than ada, her entry is a person's like any other.
      const { entries: found } = await client.search(entries[where], '(objectClass=*)', {
        scope: 'base',
        attributes: ['*', '+', 'userPassword'],
      });
      const granted = new Set(reads.flatMap((name) => schema.attributeType(name)?.family.map((type) => type.key) ?? []));
      for (const name of found[0]?.names ?? []) {
        const type = schema.attributeType(name.split(';')[0] ?? '');
        const byKind = reads.includes(type?.usage === 'userApplications' ? '*' : '+');
        t.true(byKind || granted.has(type?.key ?? ''), `${who} reads ${name} of ${where}`);
        t.not(type?.secret, true);
      }
      t.is((found[0]?.names.length ?? 0) > 1, reads.length > 0, `${who} reads something of ${where}`);
    }
    async function writesAsGranted(where: Place, writes: readonly string[]) {
      const may = (name: string) => writes.includes('*') || writes.includes(name);
      for (const name of ['description', 'mail', 'displayName', 'mobile', 'preferredLanguage', 'userPassword', 'objectClass', 'pwdReset']) {
        const { code } = await client.modify(entries[where], ['replace', name, 'TRUE']);
        t.is(code !== 50 && code !== 32, may(name), `${who} writes ${name} of ${where}: ${code}`);
      }
      if (where !== 'person') return;
      const uid = `made-${who}`.toLowerCase();
      const adds = who === 'administrator' || (who === 'webLayer' && isDevelopment);
      const { code } = await client.add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid });
      t.is(code === 0, adds, `${who} adds a person: ${code}`);
      const renaming = { kind: 'modifyDNRequest', entry: person('alan'), newRdn: 'uid=turing', deleteOldRdn: true } as const;
      const { code: renamed } = await client.ask(renaming);
      t.is(renamed === 0, who === 'administrator', `${who} renames a person: ${renamed}`);
      if (renamed === 0)
        await house.operator().ask({ kind: 'modifyDNRequest', entry: person('turing'), newRdn: 'uid=alan', deleteOldRdn: true });
      const { code: deleted } = await client.ask({ kind: 'delRequest', entry: adds ? person(uid) : person('alan') });
      t.is(deleted === 0, who === 'administrator', `${who} deletes a person: ${deleted}`);
    }
  });
}

test('the built-in set names only attributes that the schema has', (t) => {
  for (const name of builtInSet.flatMap(({ attributes = [] }) => attributes).filter((each) => each !== '*'))
    t.truthy(schema.attributeType(name), name);
});

test('what no rule gives is refused: without rules there is nothing', (t) => {
  const rights = rightsOf(schema, { byAppPassword: false, power: 'none' }, []);
  t.deepEqual([rights.visible, rights.mayAuth, rights.mayAdd, rights.mayDelete, rights.mayManage], [false, false, false, false, false]);
});

test('anonymous sees root DSE and subschema only', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  t.is((await client.search('', '(objectClass=*)', { scope: 'base' })).entries.length, 1);
  t.is((await client.search('cn=subschema', '(objectClass=subschema)', { scope: 'base' })).entries.length, 1);
  for (const base of [suffix, person('ada'), person('nobody'), 'dc=elsewhere', `ou=people,${suffix}`]) {
    const { result, entries: found } = await client.search(base, '(objectClass=*)');
    t.deepEqual([result.code, result.matchedDN, found.length], [32, '', 0], base);
  }
});

test('an entry one may not see answers as one that is not there, at every operation', async (t) => {
  const house = await furnishedHouse(t);
  const client = await as(house, 'person');
  const hidden = `ou=applications,${suffix}`;
  const absent = `ou=nothing,${suffix}`;
  const answers = async (dn: string) => {
    const given = [
      await client.search(dn, '(objectClass=*)'),
      await client.ask({ kind: 'compareRequest', entry: dn, description: 'ou', value: new Uint8Array([1]) }),
      await client.modify(dn, ['replace', 'description', 'x']),
      await client.ask({ kind: 'delRequest', entry: dn }),
      await client.ask({ kind: 'modifyDNRequest', entry: dn, newRdn: 'ou=other', deleteOldRdn: true }),
      await client.add(`cn=x,${dn}`, { objectClass: 'organizationalRole', cn: 'x' }),
    ];
    return given.map(({ result }) => result);
  };
  t.deepEqual(await answers(hidden), await answers(absent));
  t.is((await client.search(suffix, '(ou=applications)')).entries.length, 0);
});

const oracles: readonly [title: string, filter: string, found: boolean][] = [
  ['a filter on an attribute one may not read is Undefined', '(employeeNumber=1912)', false],
  ['and so is its negation', '(!(employeeNumber=1815))', false],
  ['and its presence', '(employeeNumber=*)', false],
  ['and it spoils an and', '(&(uid=alan)(!(employeeNumber=1)))', false],
  ['but an or is found by its other side', '(|(uid=alan)(employeeNumber=1))', true],
  ['a matching rule on no attribute in particular sees only what may be read', '(:caseIgnoreMatch:=1912)', false],
  ['and finds what may be read', '(:caseIgnoreMatch:=turing)', true],
];

for (const [title, filter, found] of oracles) {
  test(`no oracle: ${title}`, async (t) => {
    const house = await furnishedHouse(t);
    await house.operator().modify(person('alan'), ['add', 'employeeNumber', '1912']);
    const client = await as(house, 'person');
    t.is((await client.search(person('alan'), filter)).entries.length, found ? 1 : 0);
  });
}

const judged = ['(userPassword=*)', '(userPassword={SCRYPT}*)', '(!(userPassword=x))', '(userPassword:octetStringMatch:=lovelace)'];

test('secrets are in no answer, no filter finds by them, and no comparison is made, whoever asks', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  for (const who of ['person', 'administrator', 'webLayer'] as const) {
    const client = await as(house, who);
    for (const filter of judged) t.is((await client.search(person('ada'), filter)).entries.length, 0, `${who} ${filter}`);
    const { entries: found } = await client.search(person('ada'), '(objectClass=*)', { attributes: ['userPassword', '*', '+'] });
    t.false(found[0]?.names.some((name) => name.toLowerCase() === 'userpassword'));
    const { code } = await client.ask({
      kind: 'compareRequest',
      entry: person('ada'),
      description: 'userPassword',
      value: new Uint8Array([1]),
    });
    t.is(code, 50);
  }
});
