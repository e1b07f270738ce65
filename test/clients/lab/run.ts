// `npm run test:clients`: LDAP clients that others wrote, each through a journey against a running Atrium. With words behind it, only the clients called so.
import { parseArgs } from 'node:util';
import { killAll } from '../../../bench/process.ts';
import { installMissing } from '../../gate/install.ts';
import { findProgram, programs } from '../../support/programs.ts';
import { runJourney, type Step } from './journey.ts';
import { interpreterOf, isThere, type PartName, parts } from './parts.ts';
import { runPhpLdapAdmin } from './phpldapadmin.ts';
import { startSlapdWorld } from './slapd.ts';
import { startWorld } from './world.ts';

/** The program of each client, as its interpreter takes it. */
const programsOf: readonly (readonly [client: PartName, program: string])[] = [
  ['python3-ldap3', 'python_ldap3.py'],
  ['python3-ldap', 'python_ldap.py'],
  ['net-ldap-perl', 'net_ldap.pl'],
  ['net-ldap-ruby', 'net_ldap.rb'],
  ['php-ldap', 'php_ldap.php'],
  ['jndi', 'Jndi.java'],
];

const { values: wanted, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { slapd: { type: 'boolean', default: false }, workers: { type: 'string', default: '0' } },
});
const total = { passed: 0, failed: 0, 'not offered': 0 };
const notOffered = new Map<string, string[]>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killAll();
    process.exit(1);
  });
}

setUp();
const journeys: readonly (readonly [client: PartName, run: typeof runPhpLdapAdmin])[] = [
  ...programsOf.map(
    ([client, file]) =>
      [
        client,
        (interpreter: string, environment: Readonly<Record<string, string>>) => runJourney(interpreter, [file], environment),
      ] as const,
  ),
  ['phpldapadmin', runPhpLdapAdmin],
];
const chosen = journeys.filter(([client]) => words.length === 0 || words.some((word) => client.includes(word)));
if (chosen.length === 0) failed(`no client is called like ${words.join(' or ')}`);
else {
  await using world = await (wanted.slapd ? startSlapdWorld() : startWorld(wanted.workers));
  for (const [client, run] of chosen) {
    const begun = performance.now();
    const interpreter = interpreterOf(client);
    if (interpreter === undefined) continue;
    tell(client, await run(interpreter, world.environment), performance.now() - begun);
  }
}
for (const [what, clients] of notOffered) say(`– not offered: ${what} (${clients.join(', ')})`);
process.exitCode = total.failed > 0 ? 1 : 0;
say(`${total.passed} passed, ${total.failed} failed${notOffered.size > 0 ? `, ${total['not offered']} not offered` : ''}`);

/** Brings in the clients. One that is missing counts as failed: this command is for nothing else. */
function setUp(): void {
  const { ldapsearch, openssl } = programs;
  const all = { ...parts, ldapsearch, openssl };
  const there = (name: keyof typeof all) => (name === 'ldapsearch' || name === 'openssl' ? findProgram(name) !== undefined : isThere(name));
  const { missing, command, said } = installMissing(all, there);
  for (const name of missing) failed(`${name} is not there`);
  if (command !== undefined) say(`  Have what is missing with: ${command}`, said ?? '');
}

/** One line for a client, one for each step that failed. */
function tell(client: string, steps: readonly Step[], tookMs: number): void {
  for (const { outcome } of steps) total[outcome]++;
  const broken = steps.filter(({ outcome }) => outcome === 'failed');
  const passed = steps.filter(({ outcome }) => outcome === 'passed').length;
  say(
    `${broken.length > 0 ? '✘' : '✔'} ${client.padEnd(16)} ${String(passed).padStart(3)} steps ${(tookMs / 1000).toFixed(1).padStart(6)} s`,
  );
  for (const { name, why } of broken) say(`  ✘ ${client}: ${name}: ${why}`);
  for (const { name, outcome, why } of steps) {
    if (outcome !== 'not offered') continue;
    const what = `${name} [${why}]`;
    notOffered.set(what, [...(notOffered.get(what) ?? []), client]);
  }
}

function failed(why: string): void {
  total.failed++;
  say(`✘ ${why}`);
}

function say(...lines: readonly string[]): void {
  for (const line of lines) if (line !== '') process.stdout.write(`${line}\n`);
}
