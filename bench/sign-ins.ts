// How many people can sign in, held against what nothing but their hashes would allow; and how long others wait meanwhile.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { base32Of, systemChance, utf8 } from '#base';
import { connectOperators } from '#client';
import { atriumPeer, scryptHash } from './atrium.ts';
import type { Browser } from './browser.ts';
import { ask, bind, Connection } from './connection.ts';
import { writePeople } from './data.ts';
import { signIn, type Traveller } from './journey.ts';
import { describeCommit, describeMachine } from './machine.ts';
import { createEnds, freePort, processorMs, type Server } from './process.ts';
import { createProgress } from './progress.ts';
import { nameOf, search, uidOf } from './requests.ts';
import type { Bare } from './scrypt.ts';
import { type Delays, type Rate, type Round, saveSignIns, signInSection, writeSignIns } from './sign-ins-report.ts';
import { createHistogram, type Histogram, percentileUs } from './statistics.ts';

const help = `node run.mjs bench/sign-ins.ts [--rounds N] [--people N] [--concurrent N] [--page] [--no-keep]

Measures complete sign-ins, with a password and with a password and a code, against bare scrypt, in N rounds (5) that alternate, 50 people at a time; and what a page and a search of others take meanwhile. With
12,000 people of whom each signs in once. Writes bench/results/…-sign-ins-….json and its table in bench/README.md. Takes some five minutes.
With --page everybody looks at the page afterwards that they came for.`;

const suffix = 'dc=example,dc=com';
const base = `ou=people,${suffix}`;
const password = 'Analytical Engine, 1843!';
const [ceilingMs, warmMs, sampleMs, quietMs] = [4000, 3000, 8000, 4000];
/** Before the first round, with passwords and with codes each: a service has let some hundreds in before V8 is through with compiling what they need. */
const firstMs = 30_000;
/** Between two requests of those who wait for nothing else. */
const probeMs = 2;
/** Of so many who sign in one looks at the page, too. */
const lookedEach = 16;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    people: { type: 'string', default: '12000' },
    concurrent: { type: 'string', default: '50' },
    page: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: true },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowNegative: true,
});
const [rounds, count, concurrent] = [values.rounds, values.people, values.concurrent].map(Number) as [number, number, number];
const progress = createProgress(process.stderr);
const ends = createEnds();
if (values.help || ![rounds, count, concurrent].every((each) => Number.isInteger(each) && each > 0)) {
  process.stdout.write(`${help}\n`);
  process.exitCode = values.help ? 0 : 2;
} else {
  try {
    await measure();
  } finally {
    await ends.end();
    progress.end();
  }
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-sign-ins-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const server = await start(folder, port);
  const { withPassword, withCode } = await people(folder);
  const probing = await openProbes(port, server, withPassword);
  const scrypt = fork(join(import.meta.dirname, 'scrypt.ts'));
  ends.push(() => scrypt.kill());
  progress.show('some who sign in first');
  for (const each of [withPassword, withCode]) await sample(port, server, each, firstMs);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const told = (what: string, at: number) => progress.show(`round ${round + 1} of ${rounds}: ${what}`, (round + at / 5) / rounds);
    told('bare scrypt', 0);
    const bare = await ceiling(scrypt);
    // Who goes first alternates.
    const rates: { withPassword?: Rate; withCode?: Rate } = {};
    for (const kind of round % 2 === 0 ? (['withPassword', 'withCode'] as const) : (['withCode', 'withPassword'] as const)) {
      told(kind === 'withPassword' ? 'passwords' : 'passwords and codes', kind === 'withPassword' ? 1 : 2);
      rates[kind] = await sample(port, server, kind === 'withPassword' ? withPassword : withCode, sampleMs);
    }
    told('others, alone', 3);
    const idle = await probing.during(() => pause(quietMs));
    told('others, while people sign in', 4);
    let during: Rate | undefined;
    const busy = await probing.during(async () => {
      during = await sample(port, server, withPassword, quietMs);
    });
    measured.push({ bare, ...(rates as Required<typeof rates>), idle, busy, during: (during as Rate).perS });
  }
  progress.end();
  const run = {
    format: 1,
    kind: 'sign-ins',
    date: new Date().toISOString(),
    ...describeCommit(),
    machine: describeMachine(folder),
    people: count,
    concurrent,
    sampleS: sampleMs / 1000,
    rounds: measured,
  } as const;
  process.stdout.write(`${signInSection(run)}\n`);
  if (!values.keep) return;
  process.stdout.write(`bench/results/${saveSignIns(run)}\n`);
  writeSignIns();
}

/** Atrium in product mode with as many people, none of whom has signed in. */
async function start(folder: string, port: number): Promise<Server> {
  const peer = atriumPeer(folder, suffix, password, {
    STS_HTTP_PORT: String(port),
    STS_HTTP_HOST: 'localhost',
    // So many people are not at one address elsewhere.
    STS_SECURITY_RATE_PER_ADDRESS: '1000000',
    STS_SECURITY_VERIFIED_BINDS_S: '0',
    STS_LDAP_SOCKET: join(folder, 'operators'),
  });
  progress.show('people');
  const storedPassword = await scryptHash(password);
  const file = join(folder, 'people.ldif');
  await writePeople({ count, suffix, password, files: [{ file, storedPassword }] });
  await peer.load(file);
  const server = await peer.start(0, false);
  ends.push(() => server.stop());
  return server;
}

/** Each of them signs in once: what was found out about somebody before helps nobody. */
async function people(folder: string): Promise<{ readonly withPassword: () => Traveller; readonly withCode: () => Traveller }> {
  const secret = systemChance.octets(20);
  const credential = JSON.stringify({ secret: base32Of(secret), algorithm: 'SHA1', digits: 6, period: 30, addedMs: Date.now() });
  const change = [{ operation: 'replace', attribute: { description: 'stsTotpCredential', values: [utf8(credential)] } }] as const;
  await using operators = await connectOperators({ socketPath: join(folder, 'operators') });
  const half = count >> 1;
  const batch = 100;
  for (let from = half; from < count; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, count - from) }, (_, at) => from + at);
    await Promise.all(numbers.map((number) => operators.actor.modify(nameOf(number, base), [...change])));
  }
  // The first administers.
  let [next, nextWithCode] = [1, half];
  return {
    withPassword: () => {
      if (next >= half) throw new Error('everybody has signed in: there are too few people for so many rounds');
      return { uid: uidOf(next++), password };
    },
    withCode: () => {
      if (nextWithCode >= count) throw new Error('everybody has signed in: there are too few people for so many rounds');
      return { uid: uidOf(nextWithCode++), password, secret };
    },
  };
}

function ceiling(scrypt: ChildProcess): Promise<Bare> {
  return new Promise((resolve, reject) => {
    scrypt.once('message', (done) => resolve(done as Bare));
    scrypt.once('error', reject);
    scrypt.send(ceilingMs);
  });
}

/** As many people at a time as was asked for, each followed by the next, counted from when it has become even. */
async function sample(port: number, { pid }: Server, next: () => Traveller, ms: number): Promise<Rate> {
  let [begun, done, isOver, isCounted] = [0, 0, false, false];
  const times = createHistogram();
  const lane = async () => {
    while (!isOver) {
      const begunMs = performance.now();
      // Some look at the page, to see that the session is one.
      using _ = await signIn(port, next(), values.page || begun++ % lookedEach === 0);
      if (!isCounted) continue;
      done++;
      times.add((performance.now() - begunMs) * 1000);
    }
  };
  const lanes = Promise.all(Array.from({ length: concurrent }, lane));
  await Promise.race([lanes, pause(warmMs)]);
  isCounted = true;
  const [serverMs, own, begunMs] = [processorMs(pid), process.cpuUsage(), performance.now()];
  await Promise.race([lanes, pause(ms)]);
  isCounted = false;
  const seconds = (performance.now() - begunMs) / 1000;
  const { user, system } = process.cpuUsage(own);
  const rate: Rate = {
    perS: done / seconds,
    p50Ms: percentileUs(times.counts(), 0.5) / 1000,
    p99Ms: percentileUs(times.counts(), 0.99) / 1000,
    processorMs: (processorMs(pid) - serverMs) / done,
    generatorMs: (user + system) / 1000 / done,
  };
  isOver = true;
  await lanes;
  return rate;
}

interface Probes {
  /** What a page and a search take while something is done. */
  during(act: () => Promise<unknown>): Promise<Delays>;
}

/** Somebody who has signed in and looks at their page again and again, and a program that looks people up. */
async function openProbes(port: number, server: Server, next: () => Traveller): Promise<Probes> {
  const traveller = next();
  const browser: Browser = await signIn(port, traveller);
  const connection = await Connection.open(server.port);
  ends.push(
    () => browser[Symbol.dispose](),
    () => connection[Symbol.dispose](),
  );
  await bind(connection, nameOf(Number(traveller.uid.slice(1)), base), password);
  const look = async () => {
    const { status } = await browser.get('/portal');
    if (status !== 200) throw new Error(`the page came with ${status}`);
  };
  let number = 0;
  const find = async () => {
    number = (number + 7919) % count;
    const { responses } = await ask(connection, search(base, { kind: 'equality', description: 'uid', value: utf8(uidOf(number)) }));
    if (!responses.some(({ kind }) => kind === 'searchResultEntry')) throw new Error('a search found nobody');
  };
  return {
    during: async (act) => {
      let isOver = false;
      const [page, found] = [createHistogram(), createHistogram()];
      const again = async (times: Histogram, once: () => Promise<void>) => {
        while (!isOver) {
          const begunMs = performance.now();
          await once();
          times.add((performance.now() - begunMs) * 1000);
          await pause(probeMs);
        }
      };
      const probes = [again(page, look), again(found, find)];
      await Promise.race([act(), Promise.all(probes).then(() => undefined)]);
      isOver = true;
      await Promise.all(probes);
      const of = (times: Histogram, share: number) => percentileUs(times.counts(), share) / 1000;
      return { pageP50Ms: of(page, 0.5), pageP99Ms: of(page, 0.99), searchP50Ms: of(found, 0.5), searchP99Ms: of(found, 0.99) };
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
