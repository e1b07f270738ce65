import { systemChance, utf8 } from '#base';
import { createHasher } from '#keys';
import { formatFilter, type Request } from '#ldap';
import { schema, searchOf, suffix } from '../directory/driver.ts';
import { evaluateSearch, type PlainAsker } from '../directory/plain-search.ts';
import { randomNumbers } from '../support/people.ts';
import { Client } from './client.ts';
import { differsFromPlain, differsFromSlapd } from './compare.ts';
import { administrator, generateContent, password, people } from './content.ts';
import { type AskerName, askers, type DrawnSearch, drawSearch, drawWrite } from './draw.ts';
import { followed, Model } from './model.ts';
import { startAtrium, startSlapd } from './servers.ts';
import { type LeftOut, whyLeftOut } from './slapd-can.ts';

export interface Proving {
  readonly searches: number;
  readonly people: number;
  readonly seed: number;
  /** An empty folder for both databases. */
  readonly folder: string;
  /** Where slapd is; nothing to leave it out. */
  readonly slapd: string | undefined;
  /** It goes on until there are so many differences. */
  readonly differencesMax: number;
  readonly progress: (searches: number) => void;
  /** Ends it early, with what was found so far. */
  readonly signal?: AbortSignal;
}

export interface Proved {
  readonly searches: number;
  readonly writes: number;
  /** Writes that were carried out, not refused. */
  readonly carriedOut: number;
  readonly entries: number;
  readonly slapd: number;
  readonly leftOut: ReadonlyMap<LeftOut, number>;
  /** What was found. */
  readonly differences: readonly string[];
  /** The last of Atrium's log: it says why a search failed that should not have. */
  readonly said: string;
}

/** Searches between two writes: they are under way together. */
const batch = 20;
const person = `uid=anna,${people}`;

/** Fills both servers, searches and writes, and compares each answer. */
export async function proveEquality({
  searches,
  people: count,
  seed,
  folder,
  slapd: program,
  differencesMax,
  progress,
  signal,
}: Proving): Promise<Proved> {
  await using stack = new AsyncDisposableStack();
  const content = generateContent(count, seed);
  const hasher = createHasher({ cores: 1, queueMax: 1, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });
  const atrium = await startAtrium(folder, content, await hasher.hash(utf8(password), { logN: 14, r: 8, p: 1 }));
  stack.defer(atrium.stop);
  const slapd = program === undefined ? undefined : await startSlapd(program, folder, content);
  if (slapd !== undefined) stack.defer(slapd.stop);
  const atriums = await connect(atrium.port, stack);
  const slapds = slapd && (await connect(slapd.port, stack));
  const model = await Model.read(schema, content, atriums.administrator);
  const random = randomNumbers(seed);
  const run = {
    searches: 0,
    writes: 0,
    carriedOut: 0,
    entries: 0,
    slapd: 0,
    leftOut: new Map<LeftOut, number>(),
    differences: [] as string[],
  };

  const search = async (drawn: DrawnSearch) => {
    const { who, request } = drawn;
    const why = whyLeftOut(schema, request);
    if (why !== undefined) run.leftOut.set(why, (run.leftOut.get(why) ?? 0) + 1);
    const theirs = why === undefined ? slapds?.[who].ask(request) : undefined;
    const mine = await atriums[who].ask(request);
    run.searches++;
    run.entries += mine.entries.length;
    const other = await theirs;
    if (other !== undefined) run.slapd++;
    const differences = [
      differsFromPlain(evaluateSearch(model.directory, askerOf(who, model), request), mine),
      other && differsFromSlapd(schema, other, mine),
    ];
    for (const each of differences) if (each !== undefined) run.differences.push(`${wordsOf(drawn)}\n  ${each}`);
  };
  const write = async (request: Request) => {
    const [mine, theirs] = await Promise.all([atriums.administrator.ask(request), slapds?.administrator.ask(request)]);
    run.writes++;
    if (theirs !== undefined && theirs.result.code !== mine.result.code) {
      run.differences.push(
        `${JSON.stringify(request)}\n  result ${mine.result.code} (${mine.result.diagnostic}), slapd ${theirs.result.code}`,
      );
    }
    if (mine.result.code !== 0) return;
    run.carriedOut++;
    if (slapds !== undefined) await references(slapds.administrator, request);
    await model.apply(request, atriums.administrator);
  };

  while (run.searches < searches && run.differences.length < differencesMax && signal?.aborted !== true) {
    const length = Math.min(batch, searches - run.searches);
    await Promise.all(Array.from({ length }, () => drawSearch(random, model.entries)).map(search));
    await write(drawWrite(random, model.entries, run.writes));
    progress(run.searches);
  }
  return { ...run, said: atrium.said() };
}

/** slapo-refint follows names behind the answer: waits until nothing names the entry by a name that it has not any more. */
async function references(slapd: Client, request: Request): Promise<void> {
  const former = request.kind === 'delRequest' || request.kind === 'modifyDNRequest' ? utf8(request.entry) : undefined;
  if (former === undefined) return;
  const filters = followed.map((description) => ({ kind: 'equality', description, value: former }) as const);
  const look = { ...searchOf(suffix, '(cn=x)'), filter: { kind: 'or', filters }, attributes: ['1.1'] } as const;
  while ((await slapd.ask(look)).entries.length > 0);
}

async function connect(port: number, stack: AsyncDisposableStack): Promise<Readonly<Record<AskerName, Client>>> {
  const names = { anonymous: undefined, person, administrator };
  const open = async (who: AskerName) => stack.use(await Client.open(port, names[who], password));
  const [anonymous, someone, one] = await Promise.all(askers.map(open));
  if (anonymous === undefined || someone === undefined || one === undefined) throw new Error('not all are connected');
  return { anonymous, person: someone, administrator: one };
}

function askerOf(who: AskerName, model: Model): PlainAsker {
  return who === 'person' ? { kind: 'person', uuid: model.uuidOf(person) } : { kind: who };
}

function wordsOf({ who, request }: DrawnSearch): string {
  const { baseObject, scope, filter, attributes, typesOnly } = request;
  return `${who}, ${scope} of ${JSON.stringify(baseObject)}: ${formatFilter(filter)} for [${attributes.join(', ')}]${typesOnly ? ', types only' : ''}`;
}
