import test from 'ava';
import { utf8 } from '#base';
import type { Filter, Request } from '#ldap';
import { type Random, randomNumbers } from '../support/people.ts';
import type { Answer, Lane } from '../torture/lane.ts';
import { connectToEach, startWithWorkers } from './crew.ts';

/** Changes of each entry; `WORKER_WRITES=20000 npm test -- workers/fresh` for some ten minutes of it. */
const writes = Number(process.env['WORKER_WRITES'] ?? 150);
const seed = Number(process.env['WORKER_SEED'] ?? Date.now() % 1_000_000);
const entries = 3;
const perThread = 3;
const threads = 3;

/** One entry's past: what it was made by each change, `undefined` where it was deleted. Its number is in the entry. */
interface Subject {
  readonly dn: string;
  readonly uid: string;
  readonly states: (number | undefined)[];
  /** The newest change that was sent, and the newest that was answered. */
  sent: number;
  answered: number;
}

test(`after the answer to a write no thread shows what was before it (seed ${seed})`, async (t) => {
  t.timeout(60_000 + writes * 200);
  await using atrium = await startWithWorkers(threads - 1);
  const people = `ou=people,${atrium.suffix}`;
  const connected = await connectToEach(atrium, threads, perThread);
  const random = randomNumbers(seed);
  const subjects: Subject[] = Array.from({ length: entries }, (_, at) => ({
    ...{ dn: `uid=s${at},${people}`, uid: `s${at}` },
    ...{ states: [undefined], sent: 0, answered: 0 },
  }));
  const faults: string[] = [];
  const seen = new Map<string, number>();
  let writing = true;

  const write = async (subject: Subject): Promise<void> => {
    for (let count = 0; count < writes; count++) {
      // Each change by whatever connection: its thread writes, or hands over what is to be written.
      const { lane } = random.pick(connected);
      const number = subject.sent + 1;
      const { op, state } = changeOf(subject, number, random);
      subject.states.push(state);
      subject.sent = number;
      const answer = await lane.send(op).answer;
      if (answer?.code !== 0) faults.push(`change ${number} of ${subject.dn} was answered ${answer?.code} ${answer?.diagnostic}`);
      subject.answered = number;
    }
  };
  const read = async (lane: Lane, thread: string): Promise<void> => {
    while (writing) {
      const subject = random.pick(subjects);
      const floor = subject.answered;
      const { op, what } = searchFor(subject, people, random);
      const answer = await lane.send(op).answer;
      const fault = judge(subject, floor, answer);
      if (fault !== undefined) faults.push(`${thread}, ${what}: ${fault}`);
      seen.set(thread, (seen.get(thread) ?? 0) + 1);
    }
  };
  const reading = connected.map(({ lane, thread }) => read(lane, thread));
  await Promise.all(subjects.map(write));
  writing = false;
  await Promise.all(reading);
  for (const { lane } of connected) lane.close();

  t.deepEqual(faults.slice(0, 5), []);
  t.is(seen.size, threads);
  for (const [thread, count] of seen) t.true(count > writes, `${thread} was asked ${count} times`);
});

const person = ['top', 'person', 'organizationalPerson', 'inetOrgPerson'];

function changeOf({ dn, uid, states }: Subject, number: number, random: Random): { op: Request; state: number | undefined } {
  const pair = (description: string, ...values: string[]) => ({ description, values: values.map(utf8) });
  const numbered = [
    pair('employeeNumber', String(number)),
    pair('description', `${uid} number ${number}`),
    pair('mail', `${uid}.number${number}@example.com`),
  ];
  if (states.at(-1) === undefined) {
    const attributes = [pair('objectClass', ...person), pair('uid', uid), pair('cn', uid), pair('sn', uid)];
    return { op: { kind: 'addRequest', entry: dn, attributes: [...attributes, ...numbered] }, state: number };
  }
  if (random.chance(0.1)) return { op: { kind: 'delRequest', entry: dn }, state: undefined };
  const changes = numbered.map((attribute) => ({ operation: 'replace' as const, attribute }));
  return { op: { kind: 'modifyRequest', object: dn, changes }, state: number };
}

/** By name, by an index whose keys stay, by one whose keys change, by what stands inside those, and by what has no index; whole, and in part. */
function searchFor({ dn, uid, answered, states }: Subject, people: string, random: Random): { op: Request; what: string } {
  const attributes = random.pick([['*'], ['employeeNumber', 'description']]);
  const equality = (description: string, value: string): Filter => ({ kind: 'equality', description, value: utf8(value) });
  const search = (baseObject: string, scope: 'base' | 'sub', filter: Filter): Request => ({
    ...{ kind: 'searchRequest', baseObject, scope, derefAliases: 'never', sizeLimit: 0, timeLimitS: 0, typesOnly: false },
    ...{ filter, attributes },
  });
  const state = states[answered];
  const either: Filter = { kind: 'or', filters: [equality('employeeNumber', String(state ?? 0)), equality('uid', uid)] };
  return random.pick([
    { what: 'by its name', op: search(dn, 'base', { kind: 'present', description: 'objectClass' }) },
    { what: 'by its uid', op: search(people, 'sub', equality('uid', uid)) },
    {
      what: 'by what stands inside its mail',
      op: search(people, 'sub', { kind: 'substrings', description: 'mail', any: [utf8(`${uid}.number`)] }),
    },
    { what: 'without an index', op: search(people, 'sub', { kind: 'substrings', description: 'description', any: [utf8(`${uid} num`)] }) },
    { what: 'by its number or its uid', op: search(people, 'sub', { kind: 'and', filters: [either, equality('uid', uid)] }) },
  ]);
}

/** What was shown must be a state from the newest answered change on. */
function judge({ dn, uid, states, sent }: Subject, floor: number, answer: Answer | undefined): string | undefined {
  if (answer === undefined) return 'the connection has ended';
  if (answer.code !== 0 && answer.code !== 32) return `answered ${answer.code} ${answer.diagnostic}`;
  const possible = states.slice(floor, sent + 1);
  const [entry, ...more] = answer.entries;
  if (more.length > 0) return `${dn} was shown ${more.length + 1} times`;
  const shown = entry?.attributes.get('employeenumber')?.[0];
  if (entry !== undefined && entry.attributes.get('description')?.[0] !== `${uid} number ${shown}`) return `${dn} is half of two changes`;
  if (possible.includes(shown === undefined ? undefined : Number(shown))) return undefined;
  return `${dn} is shown as ${shown ?? 'absent'}; change ${floor} was answered, it was made ${possible.join(', ')} since`;
}
