import { type Random, randomNumbers } from '../support/people.ts';
import type { Ask } from './asks.ts';
import { contentDiffers, differs } from './compare.ts';
import { drawAsker } from './draw-askers.ts';
import { drawAsk } from './draw-asks.ts';
import { type DrawnWorld, drawWorld } from './draw-world.ts';
import { type Outcome, outcomeOf, type Passwords } from './outcome.ts';
import type { Service } from './perform.ts';
import { type Asker, isWithin, type PlainWorld, parentOf } from './plain.ts';
import { Services } from './services.ts';
import { proveUnseen } from './unseen.ts';

export interface Proving {
  readonly cases: number;
  readonly seed: number;
  /** It goes on until there are so many differences. */
  readonly differencesMax: number;
  readonly progress: (cases: number) => void;
  /** Ends it early, with what was found so far. */
  readonly signal?: AbortSignal;
}

export interface Proved {
  readonly cases: number;
  /** Directories that were drawn. */
  readonly worlds: number;
  /** Cases of which two directories were asked the same that differ in what the asker may not see. */
  readonly unseen: number;
  /** How often something came out, by operation and result code: a proof of refusals alone proves nothing. */
  readonly seen: ReadonlyMap<string, number>;
  readonly differences: readonly Difference[];
}

export interface Difference {
  /** The same case is the last of so many with this seed. */
  readonly seed: number;
  readonly cases: number;
  readonly text: string;
}

/** Requests to one directory; each directory is drawn by a seed of its own. */
const casesOfWorld = 100;

/** Who has asked is asked for again. */
const askersOfWorld = 6;

/** So long that what was fresh just is, or just is not any more. */
const passesS = [1, 30, 60, 270, 600];

/** One directory of so many is drawn twice. */
const unseenEach = 5;

/** Draws directories and requests, and holds each answer and what is stored behind it against the oracle. */
export async function proveAuthorization({ cases, seed, differencesMax, progress, signal }: Proving): Promise<Proved> {
  const proved = { cases: 0, worlds: 0, unseen: 0, seen: new Map<string, number>(), differences: [] as Difference[] };
  using services = new Services();
  while (proved.cases < cases && proved.differences.length < differencesMax && signal?.aborted !== true) {
    const own = seed + proved.worlds++;
    const wanted = Math.min(casesOfWorld, cases - proved.cases);
    const isPair = own % unseenEach === unseenEach - 1;
    const { done, difference } = isPair ? await proveUnseen(services, own, wanted) : await proveOne(services, own, wanted, proved.seen);
    if (isPair) proved.unseen += done;
    proved.cases += done;
    if (difference !== undefined) proved.differences.push({ seed: own, cases: done, text: difference });
    progress(proved.cases);
  }
  return proved;
}

/** What stands behind one directory: what it holds by now, as the oracle sees it. */
interface State {
  world: PlainWorld;
  readonly passwords: Map<string, string>;
}

function proveOne(services: Services, seed: number, cases: number, seen: Map<string, number>): Promise<Held> {
  const random = randomNumbers(seed);
  const drawn = drawWorld(random);
  return proveWorld(services.one(drawn.world), { cases, seen, drawn, random, drawAsker });
}

/** One directory: what it is drawn by, and who asks. */
export interface World {
  readonly cases: number;
  readonly seen: Map<string, number>;
  readonly drawn: DrawnWorld;
  readonly random: Random;
  /** @param passwords  of those who may come in with one */
  readonly drawAsker: (random: Random, world: PlainWorld, passwords: Passwords) => Asker;
}

/** Fills a service, and asks it. */
export async function proveWorld(service: Service, { cases, seen, drawn, random, drawAsker: draw }: World): Promise<Held> {
  await service.fill(drawn.world, drawn.passwords);
  const state: State = { world: { ...drawn.world, entries: await service.stored() }, passwords: new Map(drawn.passwords) };
  // A few take turns, each on a connection of their own: what was worked out for them must be good for what others have changed since.
  const askers = Array.from({ length: askersOfWorld }, () => draw(random, state.world, state.passwords));
  for (let number = 1; number <= cases; number++) {
    const turn = random.below(askers.length);
    let asker = askers[turn] as Asker;
    if (random.chance(0.05) || !isStillThere(asker, state.world)) asker = draw(random, state.world, state.passwords);
    askers[turn] = asker;
    if (service.pass !== undefined && random.chance(0.1)) asker = pass(service, askers, turn, random.pick(passesS));
    const ask = drawAsk({ random, ...state, asker, number });
    const { difference, code, because } = await hold(service, state, asker, ask);
    const key = `${ask.op} ${code}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (difference !== undefined) return { done: number, difference: wordsOf(asker, ask, difference, because, state.world) };
  }
  return { done: cases };
}

/** Cases that were held against the oracle, and what differs. */
export interface Held {
  readonly done: number;
  readonly difference?: string;
}

/** Time passes: who came in with a session has it for so much longer, on the connection that they have. */
function pass(service: Service, askers: Asker[], turn: number, seconds: number): Asker {
  service.pass?.(seconds);
  for (const [at, asker] of askers.entries())
    if (asker.session !== undefined) askers[at] = { ...asker, session: { ...asker.session, ageS: asker.session.ageS + seconds } };
  return askers[turn] as Asker;
}

function isStillThere({ dn, through }: Asker, { entries }: PlainWorld): boolean {
  return (dn === undefined || entries.has(dn)) && (through === undefined || entries.has(through));
}

/** One case: asks, compares, and follows what has changed. */
async function hold(
  service: Service,
  state: State,
  asker: Asker,
  ask: Ask,
): Promise<{ difference: string | undefined; code: number; because: Outcome['because'] }> {
  const outcome = outcomeOf(state.world, state.passwords, asker, ask);
  const before = await service.state();
  const answers = await service.ask(asker, ask, state.passwords);
  const { code } = answers;
  const result = (difference: string | undefined) => ({ difference, code, because: outcome.because });
  const different = differs(state.world, asker, ask, outcome, answers);
  if (different !== undefined) return result(different);
  if ((await service.state()) === before)
    return result(outcome.world === undefined || ask.op === 'modify' ? undefined : 'nothing is stored of it');
  if (code !== 0 || (outcome.world === undefined && outcome.password === undefined))
    return result('something is stored of what is refused');
  const stored = await service.stored();
  const changed = contentDiffers(outcome.world ?? state.world, stored);
  if (changed !== undefined) return result(changed);
  follow(state, ask, outcome);
  state.world = { ...state.world, entries: stored };
  return result(undefined);
}

/** Passwords are in nothing that can be read: what is known of them is what was set. */
function follow({ passwords }: State, ask: Ask, { password, passwords: several }: Outcome): void {
  for (const each of several ?? []) passwords.set(...each);
  if (password !== undefined) passwords.set(...password);
  if (ask.op === 'delete') for (const dn of passwords.keys()) if (isWithin(dn, ask.dn)) passwords.delete(dn);
  if (ask.op !== 'rename') return;
  const to = `${ask.rdn},${ask.superior ?? parentOf(ask.dn)}`;
  for (const [dn, known] of [...passwords].filter(([each]) => isWithin(each, ask.dn))) {
    passwords.delete(dn);
    passwords.set(dn.slice(0, dn.length - ask.dn.length) + to, known);
  }
}

function wordsOf(asker: Asker, ask: Ask, difference: string, because: Outcome['because'], world: PlainWorld): string {
  const rules = [...world.entries.values()].filter(({ dn }) => /^cn=[^,]*,ou=accessrules,/.test(dn));
  const told = rules.map(
    ({ dn, attributes }) =>
      `    ${dn.slice(0, dn.indexOf(','))} ${JSON.stringify(Object.fromEntries(Object.entries(attributes).filter(([name]) => name.startsWith('stsRule'))))}`,
  );
  return [
    difference,
    `  who    ${JSON.stringify(asker)}`,
    `  asks   ${JSON.stringify(ask)}`,
    `  oracle ${because.join('; ')}`,
    '  rules',
    ...told,
  ].join('\n');
}
