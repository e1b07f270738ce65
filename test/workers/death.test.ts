import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { connect, connectToEach, startWithWorkers } from './crew.ts';

const born: Worker[] = [];
process.on('worker', (worker: Worker) => {
  if (worker.threadName?.startsWith('ldap')) born.push(worker);
});

/** Asks for what no thread does: a defect, which nobody in it catches. */
const defect = { kind: 'ask', id: 0, name: 'nothing', given: [] };

const ends = (worker: Worker | undefined) => new Promise<void>((resolve) => worker?.once('exit', () => resolve()));

test.serial('a worker that dies takes its connections with it and nothing else, and another takes its place', async (t) => {
  await using atrium = await startWithWorkers(1, { settings: { STS_LDAP_CONNECTIONS_MAX: '8' } });
  const connected = await connectToEach(atrium, 2, 3);
  const dn = `uid=one,ou=people,${atrium.suffix}`;
  const pair = (description: string, ...values: string[]) => ({ description, values: values.map(utf8) });
  const add: Request = {
    ...{ kind: 'addRequest', entry: dn },
    attributes: [pair('objectClass', 'inetOrgPerson'), pair('uid', 'one'), pair('cn', 'one'), pair('sn', 'one')],
  };
  t.is((await connected[0]?.lane.send(add).answer)?.code, 0);

  // Some of them stand in the line of the one entry when their thread dies: those behind them must not wait for ever.
  const change = (value: string): Request => ({
    ...{ kind: 'modifyRequest', object: dn },
    changes: [{ operation: 'add', attribute: pair('description', value) }],
  });
  const going = connected.flatMap(({ lane }, at) =>
    Array.from({ length: 20 }, async (_, nth) => ({ at, answer: await lane.send(change(`${at} ${nth}`)).answer })),
  );
  await Promise.race(going);
  const gone = ends(born.at(-1));
  born.at(-1)?.postMessage(defect);
  const answers = await Promise.all(going);
  await gone;
  const isLost = connected.map((_, at) => answers.some((each) => each.at === at && each.answer === undefined));
  t.is(isLost.filter((lost) => lost).length, 3, 'the connections of one thread');
  const threads = new Set(connected.filter((_, at) => isLost[at]).map(({ thread }) => thread));
  t.is(threads.size, 1);
  for (const { at, answer } of answers) if (!isLost[at]) t.is(answer?.code, 0);
  t.regex(atrium.log(), /STS-WORKER-9001/);

  // Its connections are counted no more, and the thread in its place serves.
  const known = new Set(connected.map(({ thread }) => thread));
  for (let isServed = false; !isServed; await wait(5)) {
    const { lane, thread } = await connect(atrium);
    isServed = !known.has(thread);
    if (!isServed) lane.close();
  }
  for (const { lane } of connected) lane.close();
  t.is((await connectToEach(atrium, 2, 3)).length, 6);
});
