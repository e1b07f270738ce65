import test from 'ava';
import { systemChance, utf8 } from '#base';
import { createHasher, type Hasher, keysErrors } from '#keys';
import { encodeAttributes } from '#ldap';
import { admin, adminPassword, furnishedHouse, type House, person } from '../directory/driver.ts';

const codesOf = (house: House) => house.audited.map((event) => event.error?.code);

/** Puts a hash on an entry past all that looks at what is written, as a folder of another program or a damaged one has it. */
async function store({ engine }: House, hash: string): Promise<void> {
  const ids = engine.store.snapshot().idsEqual('uid', utf8('ada'), 2);
  const entry = engine.store.snapshot().byId(ids[0] ?? 0);
  if (entry === undefined) throw new Error('ada is not there');
  const secret = encodeAttributes([{ description: 'userPassword', values: [utf8(hash)] }]);
  const done = await engine.store.commit([], [{ kind: 'put', entry: { ...entry, secret } }]);
  if (done.kind !== 'committed') throw new Error(done.kind);
}

const absurd = '{SCRYPT}ln=30,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';

test('STS-KEYS-0005: an absurdly expensive hash is no match, and the audit trail says why; an administrator brings none', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect();
  t.is((await client.bind(admin, adminPassword)).code, 0);
  t.is((await client.modify(person('ada'), ['replace', 'userPassword', absurd])).code, 19);
  await store(house, absurd);
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 49);
  t.true(codesOf(house).includes(keysErrors.hashUncomputable.code));
});

test('STS-KEYS-0004: a hash that a damaged store gives back is no match, and the audit trail says why', async (t) => {
  const house = await furnishedHouse(t);
  await store(house, '{SCRYPT}damaged');
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 49);
  t.true(codesOf(house).includes(keysErrors.hashUndecodable.code));
});

test('STS-KEYS-9001: a bind that finds the queue of hashes full is told that the server is busy (51)', async (t) => {
  // Furnished with room enough, then asked for more than there is.
  const queueMax = 1;
  const wide = createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });
  const narrow = createHasher({ cores: 1, queueMax, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });
  let current: Hasher = wide;
  const hasher: Hasher = {
    hash: (...given) => current.hash(...given),
    verify: (...given) => current.verify(...given),
    hashSet: (...given) => current.hashSet(...given),
    hashInto: (...given) => current.hashInto(...given),
    findInSet: (...given) => current.findInSet(...given),
    pbkdf2: (...given) => current.pbkdf2(...given),
    bounds: wide.bounds,
    get load() {
      return current.load;
    },
  };
  const house = await furnishedHouse(t, { hasher });
  current = narrow;
  const binds = await Promise.all(Array.from({ length: 5 }, () => house.connect().bind(person('ada'), 'lovelace')));
  t.deepEqual(
    binds.map(({ code }) => code),
    [0, 0, 51, 51, 51],
  );
  t.true(codesOf(house).includes(keysErrors.hashQueueFull.code));
});
