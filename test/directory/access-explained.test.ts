import test, { type ExecutionContext } from 'ava';
import { decodeBer, encodeBer } from '#ldap';
import { type Client, furnishedHouse, type House, person, suffix } from './driver.ts';

const oid = '2.25.83716444157178576224225129172109131643.6.20';
const rules = `ou=accessRules,${suffix}`;
const tags = { as: 0x80, entry: 0x81, strength: 0x82, from: 0x83, attribute: 0x84, right: 0x85, suffix: 0x86 } as const;
type Asked = Partial<Record<keyof typeof tags, string>>;

async function ruledHouse(t: ExecutionContext): Promise<House> {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.add(rules, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  await operator.add(`cn=no mail,${rules}`, {
    objectClass: 'stsAccessRule',
    cn: 'no mail',
    stsRuleOrder: '7',
    stsRuleEffect: 'deny',
    stsRuleWho: 'authenticated',
    stsRuleAttribute: 'mail',
    stsRuleRight: 'read',
  });
  return house;
}

function requestOf(asked: Asked): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      for (const [name, value] of Object.entries(asked)) ber.string(value, tags[name as keyof typeof tags]);
    }),
  );
}

async function explain(client: Client, asked: Asked) {
  const { code, last, result } = await client.ask({ kind: 'extendedRequest', oid, value: requestOf(asked) });
  const value = last.kind === 'extendedResponse' ? last.value : undefined;
  const read =
    value &&
    decodeBer(value, (ber) =>
      ber.sequence(() => ({
        visible: ber.boolean(),
        rows: ber.list(() => ber.sequence(() => [ber.string(), ber.string(), ber.boolean(), ber.string(), ber.string()] as const)),
      })),
    );
  return { code, diagnostic: result.diagnostic, visible: read?.visible, rows: read?.rows ?? [] };
}

test('explain access: which rule decides, by the rules of the realm, the built-in set, protections or nothing', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  const about = async (attribute: string, right: string, more: Asked = {}) =>
    (await explain(operator, { as: 'u:ada', entry: person('alan'), ...more, attribute, right })).rows;
  t.deepEqual(await about('mail', 'read'), [['read', 'mail', false, 'rule', `cn=no mail,${rules}`]]);
  t.deepEqual(await about('mail', 'search'), [['search', 'mail', true, 'built-in', 'a person reads what is public of people']]);
  t.deepEqual(await about('userPassword', 'read'), [
    ['read', 'userPassword', false, 'protection', 'secrets are never read, searched or compared'],
  ]);
  t.deepEqual(await about('mail', 'write'), [['write', 'mail', false, 'nothing', 'no rule allows it']]);
});

test('explain access: with which strength and from where', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  const own = { as: person('ada'), entry: person('ada') };
  const mayWrite = async (strength: string) =>
    (await explain(operator, { ...own, strength, attribute: 'mail', right: 'write' })).rows[0]?.[2];
  t.deepEqual(
    [await mayWrite('own-password'), await mayWrite('session'), await mayWrite('fresh:60'), await mayWrite('fresh:301')],
    [false, false, true, false],
  );
  t.false(await mayWrite('app-password+fresh:60'));
  await operator.modify(`cn=no mail,${rules}`, ['add', 'stsRuleFrom', '192.0.2.0/24']);
  const mayRead = async (from: string) =>
    (await explain(operator, { as: 'u:ada', entry: person('alan'), from, attribute: 'mail', right: 'read' })).rows[0]?.[2];
  t.deepEqual([await mayRead('192.0.2.7+protected'), await mayRead('this-machine'), await mayRead('2001:db8::1')], [false, true, true]);
});

test('explain access: of what it tells the service does the same', async (t) => {
  const house = await ruledHouse(t);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const { rows, visible } = await explain(house.operator(), { as: 'u:ada', entry: person('alan') });
  t.true(visible);
  const told = rows.filter(([right, , allowed]) => right === 'read' && allowed).map(([, name]) => name);
  const { entries } = await client.search(person('alan'), '(objectClass=*)', { scope: 'base', attributes: told });
  t.deepEqual(entries[0]?.names.toSorted(), told);
  const hidden = await explain(house.operator(), { as: '', entry: person('alan') });
  t.false(hidden.visible);
});

test('explain access is for those who manage the realm', async (t) => {
  const house = await ruledHouse(t);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  for (const entry of [person('alan'), person('nobody'), 'dc=elsewhere']) t.is((await explain(client, { as: 'u:ada', entry })).code, 50);
  t.is((await explain(client, { suffix })).code, 50);
  t.is((await explain(house.connect(), { as: 'u:ada', entry: suffix })).code, 50);
});

test('explain access: what cannot be read, and who is not there', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  t.is((await operator.ask({ kind: 'extendedRequest', oid })).code, 2);
  t.is((await operator.ask({ kind: 'extendedRequest', oid, value: new Uint8Array([0x30, 0x05, 1]) })).code, 2);
  const { code, diagnostic } = await explain(operator, { as: 'u:nobody', entry: suffix });
  t.deepEqual([code, diagnostic], [32, 'nobody has the name nobody']);
  t.is((await explain(operator, { as: '', entry: suffix, right: 'own' })).code, 2);
  t.is((await explain(operator, { as: '', entry: suffix, strength: 'strong' })).code, 2);
  for (const from of ['somewhere', '192.0.2.300', '+protected', '192.0.2.7+tls+protected', ''])
    t.is((await explain(operator, { as: '', entry: suffix, from })).code, 2, from);
  for (const from of ['192.0.2.7', '2001:db8::7+protected', 'this-machine', 'this-machine+protected'])
    t.is((await explain(operator, { as: '', entry: suffix, from })).code, 0, from);
  t.is((await explain(operator, { as: '', entry: suffix, attribute: 'noSuchThing' })).code, 17);
  t.is((await explain(operator, { as: '', entry: 'dc=elsewhere' })).code, 32);
});
