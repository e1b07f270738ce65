import { utf8 } from '#base';
import type { Filter, Request } from '#ldap';
import { type Lane, openLane } from './lane.ts';
import { compare, type Entry, type Step } from './model.ts';
import type { World } from './world.ts';

/** What a running service shows of the tortured part. */
export interface Checked {
  readonly found: readonly Entry[];
  readonly faults: readonly string[];
}

/**
 * Reads everything over LDAP and holds it against the model; then asks for every value of an indexed attribute that ever was, and for
 * each name, and holds the answers against what was read.
 */
export async function checkService(
  world: World,
  at: { readonly port: number; readonly dn: string; readonly password: string },
  answered: (step: Step) => boolean,
): Promise<Checked> {
  const lane = await openLane(at.port, at.dn, at.password);
  try {
    const all = await search(lane, world.base, 'sub', { kind: 'present', description: 'objectClass' });
    const faults = compare(world.all, all, answered);
    const searched = await Promise.all([...world.used].map((pair) => checkEquality(lane, world, all, pair)));
    const named = await Promise.all(all.map((entry) => checkName(lane, entry)));
    return { found: all, faults: [...faults, ...searched.flat(), ...named.flat()] };
  } finally {
    lane.close();
  }
}

async function checkEquality(lane: Lane, world: World, all: readonly Entry[], pair: string): Promise<string[]> {
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  const hits = await search(lane, world.base, 'sub', { kind: 'equality', description: name, value: utf8(value) }, ['1.1']);
  const wanted = all.filter(({ attributes }) => attributes.get(name)?.includes(value)).map(({ dn }) => dn);
  const is = names(hits);
  return is === wanted.sort().join('; ') ? [] : [`a search for ${pair} finds [${is}] and not [${wanted.join('; ')}]`];
}

async function checkName(lane: Lane, { dn }: Entry): Promise<string[]> {
  const hits = await search(lane, dn, 'base', { kind: 'present', description: 'objectClass' });
  return names(hits) === dn ? [] : [`${dn} is not found by its name`];
}

async function search(
  lane: Lane,
  baseObject: string,
  scope: 'base' | 'sub',
  filter: Filter,
  attributes = ['*'],
): Promise<readonly Entry[]> {
  const op: Request = {
    kind: 'searchRequest',
    baseObject,
    scope,
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter,
    attributes,
  };
  const answer = await lane.send(op).answer;
  // No such object: the base itself was never made.
  if (answer?.code === 0 || answer?.code === 32) return answer.entries;
  throw new Error(`a search was answered ${answer?.code} (${answer?.diagnostic})`);
}

function names(entries: readonly Entry[]): string {
  return entries
    .map(({ dn }) => dn)
    .sort()
    .join('; ');
}
