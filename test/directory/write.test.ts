import test from 'ava';
import { utf8 } from '#base';
import { createDirectory } from '#directory';
import { type Attributes, ada, admin, attributesOf, emptyHouse, furnishedHouse, hasher, person, replySink, suffix } from './driver.ts';

const operational = [
  'entryUUID',
  'entryCSN',
  'createTimestamp',
  'modifyTimestamp',
  'creatorsName',
  'modifiersName',
  'structuralObjectClass',
];

type House = Awaited<ReturnType<typeof furnishedHouse>>;

async function read(house: House, dn: string, attributes: readonly string[] = ['*', '+']) {
  return (await house.operator().search(dn, '(objectClass=*)', { scope: 'base', attributes })).entries[0];
}

test('a new entry has its operational attributes', async (t) => {
  const house = await furnishedHouse(t);
  const entry = await read(house, person('ada'), operational);
  t.regex(entry?.all('entryUUID')[0] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.regex(entry?.all('entryCSN')[0] ?? '', /^20261121120000\.000000Z#[0-9a-f]{6}#000#000000$/);
  t.deepEqual(entry?.all('createTimestamp'), ['20261121120000Z']);
  t.deepEqual(entry?.all('creatorsName'), [admin]);
  t.deepEqual(entry?.all('structuralObjectClass'), ['inetOrgPerson']);
});

test('a change moves entryCSN, modifyTimestamp and modifiersName, and nothing else', async (t) => {
  const house = await furnishedHouse(t);
  const before = await read(house, person('ada'), operational);
  house.clock.moveMs(5000);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.modify(person('ada'), ['replace', 'mobile', '+44 7700 900001'])).code, 0);
  const after = await read(house, person('ada'), operational);
  for (const name of ['entryUUID', 'createTimestamp', 'creatorsName', 'structuralObjectClass'])
    t.deepEqual(after?.all(name), before?.all(name));
  t.deepEqual(after?.all('modifyTimestamp'), ['20261121120005Z']);
  t.deepEqual(after?.all('modifiersName'), [person('ada')]);
  t.true((after?.all('entryCSN')[0] ?? '') > (before?.all('entryCSN')[0] ?? ''));
});

test('entryCSN grows though the clock is set back', async (t) => {
  const house = await furnishedHouse(t);
  const csns: string[] = [];
  for (const by of [1000, -60_000, 0, 30_000]) {
    house.clock.moveMs(by);
    await house.operator().modify(person('ada'), ['replace', 'description', String(by)]);
    csns.push((await read(house, person('ada'), operational))?.all('entryCSN')[0] ?? '');
  }
  t.deepEqual([...csns].sort(), csns);
  t.is(new Set(csns).size, csns.length);
});

const adds: readonly [title: string, dn: string, attributes: Attributes, code: number][] = [
  ['a name that is no DN', 'nonsense', ada, 34],
  ['a name of an attribute that no schema defines', `nope=x,${suffix}`, ada, 34],
  ['no superior', `uid=ada,ou=nowhere,${suffix}`, ada, 32],
  ['outside every suffix', 'uid=ada,dc=elsewhere', ada, 53],
  ['a name that is taken, however it is written', 'UID=Ada, ou=PEOPLE, dc=example,dc=com', ada, 68],
  ['an attribute that no schema defines', person('new'), { ...ada, uid: 'new', nope: 'x' }, 17],
  ['a value that does not fit its syntax', person('new'), { ...ada, uid: 'new', manager: 'not a name' }, 21],
  ['a missing required attribute', person('new'), { objectClass: 'inetOrgPerson', uid: 'new', cn: 'x' }, 65],
  ['an attribute that no class allows', person('new'), { ...ada, uid: 'new', uidNumber: '1' }, 65],
  ['two values of a single-valued attribute', person('new'), { ...ada, uid: 'new', employeeNumber: ['1', '2'] }, 19],
  ['a value given twice', person('new'), { ...ada, uid: 'new', title: ['Miss', ' miss '] }, 20],
  ['no structural class', person('new'), { objectClass: 'top', uid: 'new' }, 65],
  ['another value of a single-valued naming attribute', `employeeNumber=7,ou=people,${suffix}`, ada, 64],
  ['an attribute that only the directory writes', person('new'), { ...ada, uid: 'new', entryUUID: 'x' }, 19],
  ['two passwords', person('new'), { ...ada, uid: 'new', userPassword: ['a', 'b'] }, 19],
  [
    'a hash that cannot be verified here',
    person('new'),
    { ...ada, uid: 'new', userPassword: '{CRYPT}$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/' },
    19,
  ],
  ['an authenticator app that no code could be judged by', person('new'), { ...ada, uid: 'new', stsTotpCredential: 'x' }, 19],
];

for (const [title, dn, attributes, code] of adds) {
  test(`add: ${title} is ${code}`, async (t) => {
    const house = await furnishedHouse(t);
    const { result } = await house.operator().add(dn, attributes);
    t.is(result.code, code, result.diagnostic);
    t.notRegex(result.diagnostic, /STS-/);
    t.is(house.audited.at(-1)?.outcome, 'refused');
  });
}

const changes: readonly [title: string, change: Parameters<ReturnType<House['operator']>['modify']>[1], code: number][] = [
  ['adding a value that is there', ['add', 'cn', 'ada lovelace'], 20],
  ['adding nothing', ['add', 'title'], 2],
  ['adding the first value of what has no equality rule', ['add', 'facsimileTelephoneNumber', '+1 3'], 0],
  ['deleting a value of what has no equality rule', ['delete', 'facsimileTelephoneNumber', '+1 3'], 18],
  ['deleting a value that is not there', ['delete', 'cn', 'Nobody'], 16],
  ['deleting an attribute that is not there', ['delete', 'title'], 16],
  ['replacing an attribute that is not there with nothing is no error', ['replace', 'title'], 0],
  ['an attribute that no schema defines', ['add', 'nope', 'x'], 17],
  ['a value that does not fit', ['replace', 'manager', 'x'], 21],
  ['a second value of a single-valued attribute', ['add', 'employeeNumber', '2'], 19],
  ['taking a required attribute away', ['delete', 'sn'], 65],
  ['taking the value of the name away', ['replace', 'uid', 'other'], 67],
  ['another structural class', ['replace', 'objectClass', 'organizationalUnit', 'uidObject'], 69],
  ['an attribute that no class allows', ['add', 'uidNumber', '1'], 65],
  ['what only the directory writes', ['replace', 'entryUUID', '597ae2f6-16a6-1027-98f4-d28b5365dc14'], 19],
  ['incrementing what is no integer', ['increment', 'cn', '1'], 19],
  ['a second password', ['add', 'userPassword', 'another'], 19],
  ['deleting a password that is another', ['delete', 'userPassword', 'wrong'], 16],
  ['deleting the password by its clear text', ['delete', 'userPassword', 'lovelace'], 0],
  ['deleting the password without knowing it', ['delete', 'userPassword'], 0],
];

for (const [title, change, code] of changes) {
  test(`modify: ${title} is ${code}`, async (t) => {
    const house = await furnishedHouse(t);
    const before = await read(house, person('ada'));
    const { result } = await house.operator().modify(person('ada'), ['add', 'description', 'first change'], change);
    t.is(result.code, code, result.diagnostic);
    // All or nothing: when one change is refused the others did not happen.
    const after = await read(house, person('ada'));
    if (code === 0) t.deepEqual(after?.all('description'), ['first change']);
    else t.deepEqual(after, { ...before, all: after?.all } as never);
  });
}

test('changing the structural class along its chain is objectClassModsProhibited', async (t) => {
  const house = await furnishedHouse(t);
  const { code } = await house
    .operator()
    .modify(`cn=pioneers,ou=groups,${suffix}`, ['replace', 'objectClass', 'organizationalRole'], ['delete', 'member']);
  t.is(code, 69);
});

test('modify: changes are made in their order', async (t) => {
  const house = await furnishedHouse(t);
  const { code } = await house
    .operator()
    .modify(
      person('ada'),
      ['delete', 'cn', 'Ada King'],
      ['add', 'cn', 'ada king'],
      ['add', 'title', 'x'],
      ['delete', 'title', 'X'],
      ['replace', 'cn;lang-fr'],
    );
  t.is(code, 0);
  const entry = await read(house, person('ada'));
  t.deepEqual(entry?.all('cn'), ['Ada Lovelace', 'ada king']);
  t.false(entry?.names.includes('title'));
  t.false(entry?.names.includes('cn;lang-fr'));
});

test('RFC 4525: increment adds to every value, and below zero', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.modify(
    person('ada'),
    ['add', 'objectClass', 'posixAccount'],
    ['add', 'uidNumber', '41'],
    ['add', 'gidNumber', '1'],
    ['add', 'homeDirectory', '/'],
  );
  t.is((await operator.modify(person('ada'), ['increment', 'uidNumber', '1'], ['increment', 'gidNumber', '-3'])).code, 0);
  const entry = await read(house, person('ada'));
  t.deepEqual([entry?.all('uidNumber'), entry?.all('gidNumber')], [['42'], ['-2']]);
  t.is((await operator.modify(person('ada'), ['increment', 'uidNumber', 'x'])).code, 21);
});

test('an index follows a change', async (t) => {
  const house = await furnishedHouse(t);
  await house.operator().modify(person('ada'), ['replace', 'mail', 'countess@example.com']);
  t.deepEqual((await house.operator().search(suffix, '(mail=ada@example.com)')).dns, []);
  t.deepEqual((await house.operator().search(suffix, '(mail=Countess@example.com)')).dns, [person('ada')]);
});

test('delete: a leaf goes, an entry with others below it stays', async (t) => {
  const house = await furnishedHouse(t);
  const remove = (entry: string) => house.operator().ask({ kind: 'delRequest', entry });
  t.is((await remove(`ou=people,${suffix}`)).code, 66);
  t.is((await remove(person('ada'))).code, 0);
  t.is((await remove(person('ada'))).code, 32);
  t.is((await house.operator().search(suffix, '(uid=ada)')).entries.length, 0);
});

const rename = (entry: string, newRdn: string, deleteOldRdn = true, newSuperior?: string) =>
  ({ kind: 'modifyDNRequest', entry, newRdn, deleteOldRdn, ...(newSuperior === undefined ? {} : { newSuperior }) }) as const;

test('modifyDN: a leaf gets another name, and loses the old value when it shall', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const uuid = (await read(house, person('ada')))?.all('entryUUID');
  t.is((await operator.ask(rename(person('ada'), 'uid=countess'))).code, 0);
  t.is(await read(house, person('ada')), undefined);
  t.deepEqual((await read(house, person('countess')))?.all('uid'), ['countess']);
  t.deepEqual((await read(house, person('countess')))?.all('entryUUID'), uuid);
  t.is((await operator.ask(rename(person('countess'), 'uid=Ada', false))).code, 0);
  const back = await read(house, person('ada'));
  t.is(back?.dn, person('Ada'));
  t.deepEqual(back?.all('uid'), ['countess', 'Ada']);
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 0);
});

test('modifyDN: a leaf moves below another superior', async (t) => {
  const house = await furnishedHouse(t);
  t.is((await house.operator().ask(rename(person('ada'), 'uid=ada', true, `ou=applications,${suffix}`))).code, 0);
  t.deepEqual((await house.operator().search(suffix, '(uid=ada)')).dns, [`uid=ada,ou=applications,${suffix}`]);
  t.deepEqual((await house.operator().search(`ou=applications,${suffix}`, '(uid=ada)', { scope: 'one' })).entries.length, 1);
});

test('modifyDN: changing only how a name is written is allowed', async (t) => {
  const house = await furnishedHouse(t);
  t.is((await house.operator().ask(rename(person('ada'), 'uid=ADA'))).code, 0);
  const entry = await read(house, person('ada'));
  t.is(entry?.dn, person('ADA'));
});

const renames: readonly [title: string, request: ReturnType<typeof rename>, code: number][] = [
  ['people and groups keep their names: 53', rename(`ou=people,${suffix}`, 'ou=persons'), 53],
  ['a name that is taken is 68', rename(person('ada'), 'uid=alan'), 68],
  ['a superior that is not there is 32', rename(person('ada'), 'uid=ada', true, `ou=nowhere,${suffix}`), 32],
  ['a move below itself is 53', rename(person('ada'), 'uid=ada', true, person('ada')), 53],
  ['RFC 3296 §5.6.2: a move out of the realm is 71', rename(person('ada'), 'uid=ada', true, 'dc=elsewhere'), 71],
  ['a name that is no RDN is 34', rename(person('ada'), 'uid=a,uid=b'), 34],
  ['the suffix keeps its name: 53', rename(suffix, 'dc=other'), 53],
  ['a name that is none is 34', rename(person('ada'), 'nonsense'), 34],
  ['a naming attribute that no class allows is 65', rename(person('ada'), 'dc=x'), 65],
  ['taking away what a class requires is 65', rename(`cn=pioneers,ou=groups,${suffix}`, 'o=pioneers'), 65],
];

for (const [title, request, code] of renames) {
  test(`modifyDN: ${title}`, async (t) => {
    const { result } = await (await furnishedHouse(t)).operator().ask(request);
    t.is(result.code, code, result.diagnostic);
  });
}

const compares: readonly [title: string, description: string, value: string, code: number][] = [
  ['a value by its rule is true', 'CN', '  ada   KING ', 6],
  ['another value is false', 'cn', 'Nobody', 5],
  ['a supertype looks at its subtypes', 'name', 'Lovelace', 6],
  ['an attribute that the entry lacks is 16', 'title', 'x', 16],
  ['an attribute that no schema defines is 17', 'nope', 'x', 17],
  ['a value that does not fit is 21', 'manager', 'not a name', 21],
  ['an attribute without a rule is 18', 'jpegPhoto', 'x', 18],
  ['a secret is 50', 'userPassword', 'lovelace', 50],
];

for (const [title, description, value, code] of compares) {
  test(`compare: ${title}`, async (t) => {
    const operator = (await furnishedHouse(t)).operator();
    t.is((await operator.ask({ kind: 'compareRequest', entry: person('ada'), description, value: utf8(value) })).code, code);
  });
}

test('a password in clear is stored as a scrypt hash with the configured cost, in the secret part only', async (t) => {
  const house = await furnishedHouse(t, { 'security.passwordHashLogN': 15, 'security.passwordHashR': 2 });
  const { store, realms } = house.engine;
  t.is((await house.operator().modify(admin, ['replace', 'userPassword', 'in clear'])).code, 0);
  const stored = store.snapshot().byId(store.snapshot().subtree(realms.default.administrator.key, undefined, 1)[0] ?? 0);
  const secret = Buffer.from(stored?.secret ?? []).toString('latin1');
  t.regex(secret, /\{SCRYPT\}ln=15,r=2,p=1\$/);
  for (const part of [stored?.user, stored?.operational])
    t.false(
      Buffer.from(part ?? [])
        .toString('latin1')
        .includes('SCRYPT'),
    );
});

test('clear passwords reach neither store, audit nor an answer', async (t) => {
  const house = await furnishedHouse(t);
  const canary = 'canary-Tr0ub4dor';
  const operator = house.operator();
  const answers = [
    await operator.add(person('new'), { ...ada, uid: 'new', userPassword: canary }),
    await operator.add(person('new'), { ...ada, uid: 'new', userPassword: canary }),
    await operator.modify(person('new'), ['replace', 'userPassword', canary], ['replace', 'nope', canary]),
    await operator.modify(person('new'), ['delete', 'userPassword', `${canary}x`]),
    await house.connect().bind(person('new'), canary),
    await house.connect().bind(person('new'), `${canary}x`),
    await house.connect('ldap', { loopback: false }).bind(person('new'), canary),
    await operator.ask({ kind: 'compareRequest', entry: person('new'), description: 'userPassword', value: utf8(canary) }),
  ];
  t.deepEqual(
    answers.map(({ code }) => code),
    [0, 68, 17, 16, 0, 49, 13, 50],
  );
  t.false(JSON.stringify([answers.map(({ result }) => result), house.audited]).includes('canary'));
  const changes = house.engine.store.changes(0, 1000);
  for (const { change } of changes) {
    if (change.kind === 'put')
      t.false(Buffer.concat([change.entry.user, change.entry.operational, change.entry.secret]).includes('canary'));
  }
});

test('who may not write makes no hash, whatever they send', async (t) => {
  let hashes = 0;
  const counting = {
    ...hasher,
    hash: (...given: Parameters<typeof hasher.hash>) => {
      hashes++;
      return hasher.hash(...given);
    },
  };
  const house = await furnishedHouse(t, { hasher: counting });
  hashes = 0;
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.modify(person('ada'), ['replace', 'userPassword', 'x'])).code, 50);
  t.is((await client.add(person('new'), { ...ada, uid: 'new', userPassword: 'x' })).code, 50);
  t.is(hashes, 0);
});

test('of two additions of one name, one wins', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const codes = await Promise.all([1, 2].map(() => operator.add(person('new'), { ...ada, uid: 'new' })));
  t.deepEqual(codes.map(({ code }) => code).sort(), [0, 68]);
});

for (const first of ['delete', 'add'] as const) {
  test(`an addition below an entry that is deleted at the same time leaves no orphan: the ${first} comes first`, async (t) => {
    const house = await furnishedHouse(t);
    const operator = house.operator();
    const parent = `ou=short,ou=people,${suffix}`;
    await operator.add(parent, { objectClass: 'organizationalUnit', ou: 'short' });
    const ask = {
      delete: () => operator.ask({ kind: 'delRequest', entry: parent }),
      add: () => operator.ask({ kind: 'addRequest', entry: `uid=new,${parent}`, attributes: attributesOf({ ...ada, uid: 'new' }) }),
    };
    const second = first === 'delete' ? 'add' : 'delete';
    const one = ask[first]();
    // Within the same turn, so that what the first has committed is not yet to be seen by the second.
    for (let task = 0; task < 20; task++) await Promise.resolve();
    const codes = await Promise.all([one, ask[second]()]);
    const left = (await operator.search(suffix, '(|(ou=short)(uid=new))')).entries.length;
    t.true((codes[0].code === 0) !== (codes[1].code === 0), String(codes.map(({ code }) => code)));
    t.true(left === 0 || left === 2, String(left));
  });
}

test('every write leaves an audit row that names what was changed, and no value', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  await client.modify(person('ada'), ['replace', 'displayName', 'Countess of Lovelace'], ['delete', 'telephoneNumber']);
  t.like(house.audited.at(-1), {
    subject: person('ada'),
    action: 'ldap.modify',
    outcome: 'success',
    summary: `modify ${person('ada')}: replace displayName, delete telephoneNumber`,
  });
});

test('a defect is answered with other and nothing of what happened; the audit row says where', async (t) => {
  const broken = { ...hasher, hash: () => Promise.reject(new RangeError('canary of the inside')) };
  const house = emptyHouse(t, { hasher: broken });
  const { result } = await house
    .operator()
    .add(suffix, { objectClass: ['organization', 'dcObject'], o: 'x', dc: 'example', userPassword: 'x' });
  t.deepEqual(result, { code: 80, matchedDN: '', diagnostic: 'internal error' });
  t.like(house.audited.at(-1), { outcome: 'failed' });
  t.regex(house.audited.at(-1)?.summary ?? '', /RangeError at /);
  t.false(house.audited.at(-1)?.summary.includes('canary'));
});

test('a write whose client has gone leaves its row in the audit trail all the same', async (t) => {
  const house = await furnishedHouse(t);
  const controller = new AbortController();
  const sink = replySink(undefined, controller.signal);
  const perform = (messageId: number, description: string) =>
    createDirectory(house.engine).perform(
      house.operator().connection,
      {
        messageId,
        op: {
          kind: 'modifyRequest',
          object: person('ada'),
          changes: [{ operation: 'replace', attribute: { description, values: [utf8('unseen')] } }],
        },
        controls: [],
      },
      sink.reply,
    );
  const [going, refused] = [perform(1, 'title'), perform(2, 'nonsense')];
  controller.abort();
  await going;
  await refused;
  t.is((await house.operator().search(suffix, '(title=unseen)')).entries.length, 1);
  t.deepEqual(sink.sent, []);
  t.deepEqual(
    house.audited.map(({ outcome }) => outcome),
    ['refused', 'success'],
  );
});

test('a thousand changes of one entry at the same time all happen, each behind the other', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.modify(
    person('ada'),
    ['add', 'objectClass', 'posixAccount'],
    ['add', 'uidNumber', '0'],
    ['add', 'gidNumber', '1'],
    ['add', 'homeDirectory', '/'],
  );
  const answers = await Promise.all(Array.from({ length: 1000 }, () => operator.modify(person('ada'), ['increment', 'uidNumber', '1'])));
  t.deepEqual(
    answers.filter(({ code }) => code !== 0),
    [],
  );
  t.deepEqual((await operator.search(person('ada'), '(uid=ada)')).entries[0]?.all('uidNumber'), ['1000']);
});

test('STS-LDAP-9030: a write that others outrun each time is answered with busy (51) in the end', async (t) => {
  const { engine, operator, audited } = await furnishedHouse(t);
  const failed = { kind: 'absent', dnKey: new Uint8Array(1) } as const;
  const store = { ...engine.store, commit: async () => ({ kind: 'conflict', failed }) as const };
  const sink = replySink();
  const op = { kind: 'delRequest', entry: person('ada') } as const;
  await createDirectory({ ...engine, store }).perform(operator().connection, { messageId: 1, op, controls: [] }, sink.reply);
  t.is(sink.answers().code, 51);
  t.is(audited.at(-1)?.error?.code, 'STS-LDAP-9030');
});

test('STS-LDAP-9034: an entry grows no larger than ldap.entryOctetsMax, step by step neither', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.entryOctetsMax': 65_536 });
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const codes: number[] = [];
  for (const letter of 'abc') codes.push((await client.modify(person('ada'), ['add', 'description', letter.repeat(30_000)])).code);
  t.deepEqual(codes, [0, 0, 11]);
  t.is((await house.operator().search(suffix, '(uid=ada)', { attributes: ['description'] })).entries[0]?.all('description').length, 2);
  t.is((await house.operator().add(person('new'), { ...ada, uid: 'new', description: 'x'.repeat(70_000) })).code, 11);
  t.is(house.audited.at(-1)?.error?.code, 'STS-LDAP-9034');
});
