import { hex, text } from '#base';
import type { Request, Response } from '#ldap';
import { randomNumbers } from '../test/support/people.ts';
import { type Answer, ask, bind, bindRequest, Connection, explain } from './connection.ts';
import { type Lane, personDn } from './load.ts';
import type { Server } from './process.ts';
import { draw, search, type World, writtenBy } from './requests.ts';

/** What was compared, and how much each server sent for it. */
export interface Compared {
  readonly requests: number;
  readonly entries: number;
  readonly octets: { readonly atrium: number; readonly slapd: number };
}

export interface Comparing {
  readonly lanes: readonly Lane[];
  readonly atrium: Server;
  readonly slapd: Server;
  readonly world: World;
  /** Attributes, in lower case, that an earlier row wrote: the quicker server wrote more often, so their values differ by now. */
  readonly written: ReadonlySet<string>;
}

const seed = 4711;
const requestsEach = 50;
/** A bind costs a hash, and of a large group all members are read back. */
const dearEach = 6;
const differencesMax = 5;

/**
 * Sends both servers the same sample of what the lanes ask for, and reads back what they were told to write.
 *
 * @throws Error naming the first differences, when they do not answer alike
 */
export async function compareServers(comparing: Comparing): Promise<Compared> {
  const { lanes, atrium, slapd, world } = comparing;
  const requests = lanes.flatMap((lane) => sampleOf(lane, world));
  const a = await answersOf(atrium, requests, world);
  const s = await answersOf(slapd, requests, world);
  const differences = requests.flatMap(({ request }, i) => differencesOf(request, a[i], s[i], comparing.written));
  if (differences.length > 0) {
    const more = differences.length > differencesMax ? `\n… and ${differences.length - differencesMax} more` : '';
    throw new Error(`Atrium and slapd answer differently:\n${differences.slice(0, differencesMax).join('\n')}${more}`);
  }
  const octets = (answers: readonly Answer[]) => answers.reduce((sum, answer) => sum + answer.octets, 0);
  return {
    requests: requests.length,
    entries: a.reduce((sum, { responses }) => sum + responses.filter(({ kind }) => kind === 'searchResultEntry').length, 0),
    octets: { atrium: octets(a), slapd: octets(s) },
  };
}

interface Sampled {
  readonly request: Request;
  readonly as: Lane['as'];
}

function sampleOf({ asking, as }: Lane, world: World): Sampled[] {
  let next = 0;
  const drawing = { world, random: randomNumbers(seed), unused: () => next++ };
  const length = asking.kind === 'bind' || asking.kind === 'member' ? dearEach : requestsEach;
  const drawn = Array.from({ length }, () => draw(asking, drawing));
  return drawn.flatMap((request): Sampled[] => {
    if (request.kind === 'bindRequest')
      return [
        { request, as },
        { request: bindRequest(request.name, 'not the password'), as },
      ];
    const changed = request.kind === 'modifyRequest' ? request.object : request.kind === 'addRequest' ? request.entry : undefined;
    if (changed === undefined) return [{ request, as }];
    const back: Request = { ...search(changed, { kind: 'present', description: 'objectClass' }), scope: 'base' };
    return [
      { request, as },
      { request: back, as: 'person' },
    ];
  });
}

async function answersOf({ port, adminDn, adminPassword }: Server, requests: readonly Sampled[], world: World): Promise<Answer[]> {
  using person = await Connection.open(port);
  await bind(person, personDn(world), world.password);
  using administrator = await Connection.open(port);
  await bind(administrator, adminDn, adminPassword);
  // Binds that are judged change who a connection is.
  using other = await Connection.open(port);
  const answers: Answer[] = [];
  for (const { request, as } of requests) {
    const connection = request.kind === 'bindRequest' ? other : as === 'person' ? person : administrator;
    answers.push(await ask(connection, request));
  }
  return answers;
}

/** In what two answers differ: result, entries by name, attributes by name, values as sets. Order makes no difference. */
export function differencesOf(
  request: Request,
  atrium: Answer | undefined,
  slapd: Answer | undefined,
  written: ReadonlySet<string> = new Set(),
): string[] {
  const a = readAnswer(atrium, written);
  const s = readAnswer(slapd, written);
  const differences: string[] = [];
  if (a.result !== s.result) differences.push(`result ${a.result}, slapd ${s.result}`);
  for (const dn of new Set([...a.entries.keys(), ...s.entries.keys()])) {
    const mine = a.entries.get(dn);
    const theirs = s.entries.get(dn);
    if (mine === undefined || theirs === undefined) {
      differences.push(`only ${mine === undefined ? 'slapd' : 'Atrium'} returns ${dn}`);
      continue;
    }
    for (const name of new Set([...mine.keys(), ...theirs.keys()])) {
      if (mine.get(name) !== theirs.get(name)) {
        differences.push(`${dn}: ${name} is ${mine.get(name) ?? 'absent'}, with slapd ${theirs.get(name) ?? 'absent'}`);
      }
    }
  }
  return differences.map((difference) => `  ${wordsOf(request)}: ${difference}`);
}

interface Read {
  readonly result: string;
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

function readAnswer(answer: Answer | undefined, written: ReadonlySet<string>): Read {
  const responses: readonly Response[] = answer?.responses ?? [];
  const entries = new Map<string, ReadonlyMap<string, string>>();
  for (const response of responses) {
    if (response.kind !== 'searchResultEntry') continue;
    const attributes = response.attributes.map(({ description, values }) => {
      const name = description.toLowerCase();
      return [name, written.has(name) ? 'something' : JSON.stringify(values.map(readable).sort())] as const;
    });
    entries.set(response.object.toLowerCase(), new Map(attributes));
  }
  // The words beside a result code are each server's own.
  return { result: explain(responses.at(-1)).replace(/ \(.*/s, ''), entries };
}

/** Text where it is text, hexadecimal where it is not. */
function readable(value: Uint8Array): string {
  return text(value) ?? hex(value);
}

function wordsOf(request: Request): string {
  switch (request.kind) {
    case 'searchRequest':
      return `search below ${request.baseObject} for ${JSON.stringify(request.filter, (_key, value) => (value instanceof Uint8Array ? readable(value) : value))}`;
    case 'modifyRequest':
      return `modify ${request.object}`;
    case 'addRequest':
      return `add ${request.entry}`;
    case 'bindRequest':
      return `bind ${request.name}`;
    case 'unbindRequest':
    case 'delRequest':
    case 'modifyDNRequest':
    case 'compareRequest':
    case 'abandonRequest':
    case 'extendedRequest':
      return request.kind;
  }
}

/** What the lanes have written once they were at work. */
export function attributesWritten(lanes: readonly Lane[]): string[] {
  return lanes.flatMap(({ asking }) => writtenBy(asking)?.toLowerCase() ?? []);
}
