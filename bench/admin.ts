// What administration costs with few people and with many: the same pages of the management API and of the console, side by side.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { base32Of, systemChance, utf8 } from '#base';
import { connectOperators } from '#client';
import { atriumPeer, scryptHash } from './atrium.ts';
import type { Browser } from './browser.ts';
import { writePeople } from './data.ts';
import { signIn } from './journey.ts';
import { createEnds, freePort, processorMs, type Server } from './process.ts';
import { createProgress } from './progress.ts';
import { uidOf, type World } from './requests.ts';
import { median } from './statistics.ts';

const help = `node run.mjs bench/admin.ts [--few N] [--many N] [--rounds N] [--requests N] [--page WORDS]

Asks an Atrium with few people (1,000) and one with many (100,000) for the same pages of the management API and the console, in turn, N requests (10) at a time in N rounds (9), and prints the medians of
what an answer takes, and the processor time of the service for one. The gate is that many take at most twice as long as few. With --page only pages
with these words in their name.`;

const suffix = 'dc=example,dc=com';
const password = 'Analytical Engine, 1843!';
/** A page of the later one: so far behind the first. */
const pagesBehind = 10;

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '1000' },
    many: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '10' },
    page: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [few, many, rounds, requests] = [values.few, values.many, values.rounds, values.requests].map(Number) as [
  number,
  number,
  number,
  number,
];
const progress = createProgress(process.stderr);
const ends = createEnds();
/** An Atrium with so many people, and somebody who administers it at its console. */
interface Side {
  readonly server: Server;
  readonly browser: Browser;
  readonly world: World;
  /** Where later pages begin. */
  readonly later: { readonly api: string; readonly console: string };
  /** entryUUIDs, for pages of the console. */
  readonly people: readonly string[];
  readonly group: string;
}

/** One page: its address for the n-th request. */
interface Row {
  readonly name: string;
  readonly path: (side: Side, n: number) => string;
}

const words = (side: Side, n: number) => side.world.sample[(n * 7919) % side.world.sample.length] as World['sample'][number];
const q = (text: string) => `q=${encodeURIComponent(text)}`;
const person = ({ people }: Side, n: number) => people[n % people.length] ?? '';
/** Stands in everybody's address. */
const everybodys = 'example';

const allRows: readonly Row[] = [
  { name: 'API: people, first page', path: () => '/admin-api/users' },
  { name: 'API: people, a later page', path: ({ later }) => `/admin-api/users?after=${later.api}` },
  { name: 'API: people by name', path: (side, n) => `/admin-api/users?${q(words(side, n).cn)}` },
  // A name is that of more people where there are more: with a page of one the answers are equally long.
  { name: 'API: people by name, a page of one', path: (side, n) => `/admin-api/users?${q(words(side, n).cn)}&limit=1` },
  { name: 'API: people by mail', path: (side, n) => `/admin-api/users?${q(words(side, n).mail)}` },
  { name: 'API: people by a word of everybody', path: () => `/admin-api/users?${q(everybodys)}` },
  { name: 'API: a person', path: (side, n) => `/admin-api/users/${person(side, n)}` },
  { name: 'API: groups', path: () => '/admin-api/groups' },
  {
    name: 'API: members of the largest group',
    path: ({ world }) => `/admin-api/groups/members?group=${encodeURIComponent(world.groups.large)}`,
  },
  { name: 'Console: people, first page', path: () => '/admin/users' },
  { name: 'Console: people, a later page', path: ({ later }) => `/admin/users?${later.console}` },
  { name: 'Console: people by name', path: (side, n) => `/admin/users?${q(words(side, n).cn)}` },
  { name: 'Console: people by mail', path: (side, n) => `/admin/users?${q(words(side, n).mail)}` },
  { name: 'Console: people by a word of everybody', path: () => `/admin/users?${q(everybodys)}` },
  { name: 'Console: a person', path: (side, n) => `/admin/users/${person(side, n)}` },
  { name: 'Console: groups', path: () => '/admin/groups' },
  { name: 'Console: the largest group', path: ({ group }) => `/admin/groups/${group}` },
];

const rows = allRows.filter(({ name }) => name.includes(values.page));

if (values.help || ![few, many, rounds, requests].every((each) => Number.isInteger(each) && each > 0)) {
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
  const sides = [await open('few', few), await open('many', many)] as const;
  const lines: string[] = [];
  for (const [at, row] of rows.entries()) {
    progress.show(row.name, at / rows.length);
    const times: [number[], number[]] = [[], []];
    const spent = [0, 0];
    for (const side of sides) for (let n = 0; n < requests; n++) await ask(side, row, n);
    for (let round = 0; round < rounds; round++) {
      // Who goes first alternates.
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const side = sides[which];
        const beforeMs = processorMs(side.server.pid);
        for (let n = 0; n < requests; n++) {
          const begunMs = performance.now();
          await ask(side, row, round * requests + n);
          times[which].push(performance.now() - begunMs);
        }
        spent[which] = (spent[which] ?? 0) + processorMs(side.server.pid) - beforeMs;
      }
    }
    const [a, b] = [median(times[0]), median(times[1])];
    const [x, y] = spent.map((ms) => ms / (rounds * requests)) as [number, number];
    lines.push(
      `| ${row.name} | ${a.toFixed(1)} | ${b.toFixed(1)} | ${(b / a).toFixed(2)}${b > 2 * a ? ' **more than 2**' : ''} | ${x.toFixed(1)} | ${y.toFixed(1)} |`,
    );
  }
  progress.end();
  const counts = [few, many].map((count) => count.toLocaleString('en'));
  process.stdout.write(
    `| Page | ${counts[0]} people, ms | ${counts[1]} people, ms | ratio | processor ms | processor ms |\n|---|---|---|---|---|---|\n${lines.join('\n')}\n`,
  );
}

async function ask(side: Side, row: Row, n: number): Promise<void> {
  const target = row.path(side, n);
  const { status, body } = await side.browser.get(target);
  if (status !== 200) throw new Error(`${target} came with ${status}: ${body.slice(0, 500)}`);
}

async function open(name: string, count: number): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), `atrium-admin-${name}-`));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const peer = atriumPeer(folder, suffix, password, {
    // Whoever calls the API is its administrator, so that what tokens cost, whatever there is of people, hides nothing.
    STS_GLOBAL_MODE: 'development',
    ADMIN_API_AUTH_REQUIRED: 'false',
    STS_HTTP_PORT: String(port),
    STS_HTTP_HOST: 'localhost',
    STS_LDAP_SOCKET: join(folder, 'operators'),
  });
  progress.show(`${count.toLocaleString('en')} people`);
  const file = join(folder, 'people.ldif');
  const world = await writePeople({ count, suffix, password, files: [{ file, storedPassword: await scryptHash(password) }] });
  await peer.load(file);
  const server = await peer.start(0, false);
  ends.push(() => server.stop());
  const secret = systemChance.octets(20);
  const credential = JSON.stringify({ secret: base32Of(secret), algorithm: 'SHA1', digits: 6, period: 30, addedMs: Date.now() });
  {
    await using operators = await connectOperators({ socketPath: join(folder, 'operators') });
    const attribute = { description: 'stsTotpCredential', values: [utf8(credential)] };
    await operators.actor.modify(server.adminDn, [{ operation: 'replace', attribute }]);
  }
  const browser = await signedIn(port, secret);
  ends.push(() => browser[Symbol.dispose]());
  const json = async (target: string) => {
    const { status, body } = await browser.get(target);
    if (status !== 200) throw new Error(`${target} came with ${status}: ${body.slice(0, 500)}`);
    // The browser counts octets, and nothing looked at here is anything but ASCII.
    return JSON.parse(body) as { next?: string; users?: readonly { id: string }[]; id?: string };
  };
  const people: string[] = [];
  let api = '';
  for (let page = 0; page < pagesBehind; page++) {
    const { next = '', users = [] } = await json(`/admin-api/users?${api === '' ? '' : `after=${api}`}`);
    people.push(...users.map(({ id }) => id));
    api = next;
  }
  let later = '';
  for (let page = 0; page < pagesBehind; page++) {
    const { body } = await browser.get(`/admin/users?${later}`);
    const [, href = ''] = /href="[^"]*\/admin\/users\?([^"]*after=[^"]*)"/.exec(body) ?? [];
    if (href === '') throw new Error('a page of the console leads to no next one');
    later = href.replaceAll('&amp;', '&');
  }
  const group = (await json(`/admin-api/groups/${encodeURIComponent(world.groups.large)}`)).id ?? '';
  return { server, browser, world, later: { api, console: later }, people, group };
}

/** The web listens a moment after LDAP answers. */
async function signedIn(port: number, secret: Uint8Array): Promise<Browser> {
  for (let tries = 0; ; tries++) {
    try {
      return await signIn(port, { uid: uidOf(0), password, secret });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
