import test from 'ava';
import { utf8 } from '#base';
import type { Filter, Modification, Request } from '#ldap';
import { type Random, randomNumbers } from '../support/people.ts';
import type { Answer, Lane } from '../torture/lane.ts';
import { connectToEach, startWithWorkers } from './crew.ts';

/** Changes of each group; `WORKER_WRITES=2000 npm test -- workers/large` for longer. */
const writes = Number(process.env['WORKER_WRITES'] ?? 60);
const seed = Number(process.env['WORKER_SEED'] ?? Date.now() % 1_000_000);
const groups = 2;
const perThread = 2;
const threads = 3;
/** Members are drawn from so many: on both sides of where they leave their entry, and of where they come back. */
const names = 330;
const movedMax = [2, 40, 300];

/** A group's past: its members after each change. The change's number is in the entry. */
interface Subject {
  readonly dn: string;
  readonly states: ReadonlySet<string>[];
  sent: number;
  answered: number;
}

test(`after the answer to a change of a large group no thread shows the members that were before it (seed ${seed})`, async (t) => {
  t.timeout(60_000 + writes * 500);
  await using atrium = await startWithWorkers(threads - 1);
  const people = `ou=people,${atrium.suffix}`;
  const all = Array.from({ length: names }, (_, at) => (at === 0 ? atrium.adminDn : `uid=m${at},${people}`));
  const connected = await connectToEach(atrium, threads, perThread);
  const random = randomNumbers(seed);
  const faults: string[] = [];
  const seen = new Map<string, number>();
  const subjects: Subject[] = Array.from({ length: groups }, (_, at) => ({
    ...{ dn: `cn=g${at},ou=groups,${atrium.suffix}`, states: [new Set(all.slice(0, 260))], sent: 0, answered: 0 },
  }));
  for (const { dn, states } of subjects) {
    const answer = await random.pick(connected).lane.send(addOf(dn, states[0] ?? new Set())).answer;
    t.is(answer?.code, 0, answer?.diagnostic);
  }
  let writing = true;

  const write = async (subject: Subject): Promise<void> => {
    for (let number = 1; number <= writes; number++) {
      const { changes, after } = changeOf(subject, number, all, random);
      subject.states.push(after);
      subject.sent = number;
      const answer = await random.pick(connected).lane.send({ kind: 'modifyRequest', object: subject.dn, changes }).answer;
      if (answer?.code !== 0) faults.push(`change ${number} of ${subject.dn} was answered ${answer?.code} ${answer?.diagnostic}`);
      subject.answered = number;
    }
  };
  const read = async (lane: Lane, thread: string): Promise<void> => {
    while (writing) {
      const subject = random.pick(subjects);
      const floor = subject.answered;
      const look = random.pick(looks);
      const fault = await look(lane, subject, random.chance(0.3) ? (all[0] ?? '') : random.pick(all), (of) =>
        of.states.slice(floor, of.sent + 1),
      );
      if (fault !== undefined) faults.push(`${thread}, after change ${floor}: ${fault}`);
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
  for (const [thread, count] of seen) t.true(count > writes / 2, `${thread} was asked ${count} times`);
});

/** Looks at a group in one way; `possible` gives the states that it may have had meanwhile. */
type Look = (
  lane: Lane,
  subject: Subject,
  member: string,
  possible: (subject: Subject) => readonly ReadonlySet<string>[],
) => Promise<string | undefined>;

const looks: readonly Look[] = [
  async function whole(lane, subject, _, possible) {
    const answer = await lane.send(searchOf(subject.dn, 'base', { kind: 'present', description: 'objectClass' }, ['*'])).answer;
    return judgeEntry(subject, answer, possible(subject));
  },
  async function byMember(lane, subject, member, possible) {
    const filter: Filter = { kind: 'equality', description: 'member', value: utf8(member) };
    const { answer } = lane.send(searchOf(subject.dn.replace(/^cn=g\d,/, ''), 'sub', filter, ['description', 'member']));
    const given = await answer;
    const shown = given?.entries.filter(({ dn }) => dn === subject.dn) ?? [];
    if (shown.length > 0) {
      return judgeEntry(
        subject,
        given && { ...given, entries: shown },
        possible(subject).filter((state) => state.has(member)),
      );
    }
    return possible(subject).some((state) => !state.has(member)) ? undefined : `a search does not find ${subject.dn} by ${member}`;
  },
  async function byComparison(lane, subject, member, possible) {
    const answer = await lane.send({ kind: 'compareRequest', entry: subject.dn, description: 'member', value: utf8(member) }).answer;
    const [code, holds] = [answer?.code, answer?.code === compareTrue];
    if (!holds && code !== compareFalse) return `a comparison was answered ${code} ${answer?.diagnostic}`;
    return possible(subject).some((state) => state.has(member) === holds)
      ? undefined
      : `a comparison of ${subject.dn} with ${member}: ${holds}`;
  },
  async function ofMember(lane, subject, member, possible) {
    const present: Filter = { kind: 'present', description: 'objectClass' };
    const [entry] = (await lane.send(searchOf(member, 'base', present, ['memberOf'])).answer)?.entries ?? [];
    // Only the administrator is there.
    if (entry === undefined) return undefined;
    const holds = entry.attributes.get('memberof')?.includes(subject.dn) === true;
    return possible(subject).some((state) => state.has(member) === holds) ? undefined : `memberOf says ${holds} of ${subject.dn}`;
  },
];

const compareFalse = 5;
const compareTrue = 6;

function judgeEntry({ dn, states }: Subject, answer: Answer | undefined, possible: readonly ReadonlySet<string>[]): string | undefined {
  const [entry] = answer?.entries ?? [];
  if (entry === undefined) return `${dn} is not shown: ${answer?.code} ${answer?.diagnostic}`;
  const number = Number(entry.attributes.get('description')?.[0]);
  const state = states[number];
  if (state === undefined || !possible.includes(state)) return `${dn} is shown as after change ${number}`;
  const members = entry.attributes.get('member') ?? [];
  return members.length === state.size && members.every((member) => state.has(member)) ? undefined : `${dn} is half of two changes`;
}

/** Some members go and others come, few or many, or all are replaced; and the number of the change is put in. */
function changeOf({ states, sent }: Subject, number: number, all: readonly string[], random: Random) {
  const before = [...(states[sent] ?? [])];
  const change = (operation: Modification['operation'], description: string, values: readonly string[]): Modification => ({
    operation,
    attribute: { description, values: values.map(utf8) },
  });
  const numbered = change('replace', 'description', [String(number)]);
  if (random.chance(0.1)) {
    const after = all.slice(random.below(names - 1));
    return { after: new Set(after), changes: [numbered, change('replace', 'member', after)] };
  }
  const from = random.below(before.length);
  const gone = before.slice(from, from + random.below(random.pick(movedMax))).slice(0, before.length - 1);
  const first = random.below(names);
  const come = all.slice(first, first + random.below(random.pick(movedMax))).filter((name) => !before.includes(name));
  const moved = [change('delete', 'member', gone), change('add', 'member', come)].filter(({ attribute }) => attribute.values.length > 0);
  return { after: new Set([...before.filter((name) => !gone.includes(name)), ...come]), changes: [numbered, ...moved] };
}

function addOf(dn: string, members: ReadonlySet<string>): Request {
  const pair = (description: string, ...values: string[]) => ({ description, values: values.map(utf8) });
  const name = dn.slice('cn='.length, dn.indexOf(','));
  const attributes = [pair('objectClass', 'groupOfNames'), pair('cn', name), pair('description', '0'), pair('member', ...members)];
  return { kind: 'addRequest', entry: dn, attributes };
}

function searchOf(baseObject: string, scope: 'base' | 'sub', filter: Filter, attributes: readonly string[]): Request {
  return {
    ...{ kind: 'searchRequest', baseObject, scope, derefAliases: 'never', sizeLimit: 0, timeLimitS: 0, typesOnly: false },
    ...{ filter, attributes: [...attributes] },
  };
}
