import { type Chance, text } from '#base';
import { createDirectory, type Identity, type Strength } from '#directory';
import { formatHash, type Hasher, sha256 } from '#keys';
import { type Control, decodeAttributes, encodeBer, parseDn, type Request } from '#ldap';
import { normalizeDn } from '#schema';
import { type Answers, type Client, emptyHouse, type House, replySink, schema } from '../directory/driver.ts';
import { oids } from './asks.ts';
import { type Asking, performWith, proxied, refill, type Service } from './perform.ts';
import type { Asker, PlainEntry, PlainWorld } from './plain.ts';

/** The engine itself in this process, with nothing in front of it. */
export interface Engine extends Service, Disposable {
  stored(): ReadonlyMap<string, PlainEntry>;
}

const webSecret = new Uint8Array(32).fill(7);

/** Passwords here protect nothing: what they are hashed with costs nothing. The form is that of the hasher of the service. */
const hasher: Hasher = {
  hash: async (password) => hashOf(password),
  verify: async (password, stored) => ({ matches: hashOf(password) === stored }),
  hashSet: async () => [],
  hashInto: async (secret) => hashOf(secret),
  findInSet: async () => ({}),
  pbkdf2: async (password) => sha256(password),
  bounds: { costMaxOctets: 1, foreignRoundsMax: 1 },
  load: { running: 0, waiting: 0 },
};

function hashOf(password: Uint8Array): string {
  return formatHash({ logN: 14, r: 8, p: 1, salt: webSecret.subarray(0, 16), key: sha256(password) });
}

/**
 * Opens an empty one.
 *
 * @param chance  the same makes the same identifiers
 */
export function openEngine(anonymousRead: PlainWorld['anonymousRead'], chance?: Chance): Engine {
  const endings: (() => unknown)[] = [];
  const owner = {
    teardown: (ending: () => unknown) => void endings.push(ending),
    fail: (message: string) => {
      throw new Error(message);
    },
  };
  const own = { 'ldap.anonymousRead': anonymousRead, hasher, webSecret, ...(chance === undefined ? {} : { chance }) };
  const house = emptyHouse(owner as Parameters<typeof emptyHouse>[0], own);
  // Who has asked before asks on the same connection: what was worked out for them must be good for what has changed since.
  const known = new Map<string, Asking>();
  return {
    async fill(world, passwords) {
      known.clear();
      // Changes are counted anew in each millisecond: how many it took to empty one of two directories is in nothing that they answer later.
      await refill(house.operator().ask, storedIn(house).keys(), world, passwords, () => house.clock.moveMs(1));
    },
    ask(asker, ask) {
      house.audited.length = 0;
      // A bind makes somebody else of a connection.
      if (ask.op === 'bind') return performWith(askingAs(house, { ...asker, kind: 'anonymous' }), ask);
      // A session that has grown older since is still the same.
      const { session } = asker;
      const sinceMs = session && house.clock.nowMs() - 1000 * session.ageS;
      const key = JSON.stringify({ ...asker, session: session && { factors: session.factors, sinceMs } });
      const asking = known.get(key) ?? askingAs(house, asker);
      known.set(key, asking);
      return performWith(asking, ask);
    },
    stored: () => storedIn(house),
    pass: (seconds) => house.clock.moveMs(1000 * seconds),
    state: () => house.engine.store.snapshot().number,
    [Symbol.dispose]: () => {
      for (const ending of endings) ending();
    },
  };
}

function storedIn({ engine }: House): ReadonlyMap<string, PlainEntry> {
  const snapshot = engine.store.snapshot();
  const found = new Map<string, PlainEntry>();
  for (const id of snapshot.subtree(new Uint8Array(0), undefined, 100_000)) {
    const entry = snapshot.byId(id);
    if (entry === undefined) continue;
    const attributes: Record<string, readonly string[]> = {};
    for (const { description, values } of [...decodeAttributes(entry.user), ...decodeAttributes(entry.operational)])
      attributes[description] = values.map((value) => text(value) ?? 'octets');
    found.set(entry.dn.toLowerCase(), { dn: entry.dn.toLowerCase(), attributes });
  }
  return found;
}

/** What a search that goes on has shown once it only waits; then it is abandoned. */
async function followed({ engine }: House, { connection }: Client, op: Request, controls: readonly Control[]): Promise<Answers> {
  const abandon = new AbortController();
  const sink = replySink(undefined, abandon.signal);
  const waits = Promise.withResolvers<void>();
  sink.reply.lasts = () => waits.resolve();
  const going = createDirectory(engine).perform(connection, { messageId: 1, op, controls }, sink.reply);
  await Promise.race([going, waits.promise]);
  if (sink.sent.length > 0) return sink.answers();
  abandon.abort();
  await going;
  const { entries } = sink;
  const result = { code: 0, matchedDN: '', diagnostic: '' };
  return {
    code: 0,
    result,
    entries,
    dns: entries.map(({ dn }) => dn),
    last: { kind: 'searchResultDone', result },
    references: [],
    controls: [],
  };
}

const strengths: Readonly<Record<NonNullable<Asker['cameInBy']>, Strength>> = {
  'app-password': 'appPassword',
  'own-password': 'ownPassword',
  certificate: 'certificate',
  operators: 'operatorsSocket',
};

/** A connection as somebody who has come in. */
function askingAs(house: House, asker: Asker): Asking {
  const { client, controls } = clientFor(house, asker);
  return { ask: client.ask, follow: (op, own) => followed(house, client, op, own), controls };
}

/** The web layer's, whoever it acts for. */
const ownSocket = { address: '', loopback: true, secure: true };

function clientFor(house: House, asker: Asker): { readonly client: Client; readonly controls: readonly Control[] } {
  const { address, loopback, secure, kind, dn, cameInBy, session, through } = asker;
  const place = { address, loopback, secure };
  if (kind === 'anonymous') return { client: house.connect('ldap', place), controls: [] };
  if (kind === 'operators') return { client: house.connect('operators', { ...place, identity: by('operatorsSocket') }), controls: [] };
  if (kind === 'web' || cameInBy === undefined) {
    const client = house.connect('web', { ...ownSocket, trusted: true, identity: by('webLayer') });
    return {
      client,
      controls: kind === 'web' ? [] : [proxied(dn ?? ''), ...(session === undefined ? [] : [sessionControl(house, session, asker)])],
    };
  }
  const identity = by(strengths[cameInBy], through ?? dn, house);
  const door = cameInBy === 'operators' ? 'operators' : secure ? 'ldaps' : 'ldap';
  return {
    client: house.connect(door, { ...place, identity }),
    controls: through === undefined && door !== 'operators' ? [] : [proxied(dn ?? '')],
  };
}

/** Somebody with an entry, or a door that is nobody's. */
function by(strength: Strength, dn?: string, house?: House): Identity {
  if (dn === undefined || house === undefined) return { dn: undefined, uuid: undefined, strength };
  const key = normalizeDn(schema, parseDn(dn) ?? []);
  const entry = key && house.engine.store.snapshot().byDnKey(key);
  if (entry === undefined) throw new Error(`${dn} asks and is not there`);
  return { dn: entry.dn, uuid: entry.uuid, strength };
}

/** SEQUENCE { factors INTEGER, authenticated OCTET STRING, address [0] OCTET STRING, protected [1] BOOLEAN DEFAULT FALSE }: what the web layer says of the session for which it acts. */
function sessionControl({ clock }: House, { factors, ageS }: NonNullable<Asker['session']>, { address, secure }: Asker): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(factors);
      ber.string(String(clock.nowMs() - 1000 * ageS));
      ber.string(address, 0x80);
      if (secure) ber.boolean(true, 0x81);
    }),
  );
  return { oid: oids.session, critical: true, value };
}
