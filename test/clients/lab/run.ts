// `npm run test:clients`: LDAP clients that others wrote, each through a journey against a running Atrium, and the programs of docs/clients, each on a
// copy of this machine that is set up as its page says. With words behind it, only the clients and programs called so.
import { parseArgs } from 'node:util';
import { killAll } from '../../../bench/process.ts';
import { installMissing } from '../../gate/install.ts';
import { findProgram, type Program, programs } from '../../support/programs.ts';
import { fetchPackages, runInCopy, whyNoMachine } from '../programs/machine.ts';
import { packagesOf, readPage } from '../programs/page.ts';
import { type ProgramName, programs as realPrograms } from '../programs/programs.ts';
import { runJourney, type Step } from './journey.ts';
import { interpreterOf, isThere, type PartName, parts } from './parts.ts';
import { runPhpLdapAdmin } from './phpldapadmin.ts';
import { startSlapdWorld } from './slapd.ts';
import { startWorld } from './world.ts';

/** The program of each client, as its interpreter takes it. */
const programsOf: readonly (readonly [client: PartName, program: string])[] = [
  ['python3-ldap3', 'python_ldap3.py'],
  ['python3-ldap', 'python_ldap.py'],
  ['python3-authlib', 'python_authlib.py'],
  ['net-ldap-perl', 'net_ldap.pl'],
  ['net-ldap-ruby', 'net_ldap.rb'],
  ['php-ldap', 'php_ldap.php'],
  ['jndi', 'Jndi.java'],
];

const { values: wanted, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    slapd: { type: 'boolean', default: false },
    workers: { type: 'string', default: '0' },
    record: { type: 'boolean', default: false },
  },
});
const total = { passed: 0, failed: 0, 'not offered': 0, skipped: 0 };
const notOffered = new Map<string, string[]>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killAll();
    process.exit(1);
  });
}

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
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));
// An LDAP server alone signs nobody in to applications.
const chosen = journeys.filter(([client]) => isWanted(client) && !(wanted.slapd && client === 'python3-authlib'));
// Their configuration is for Atrium.
const chosenPrograms = wanted.slapd ? [] : (Object.keys(realPrograms) as ProgramName[]).filter(isWanted);
if (chosen.length + chosenPrograms.length === 0) failed(`no client is called like ${words.join(' or ')}`);
setUp(chosen.length > 0);
if (chosen.length > 0) await runJourneys();
for (const name of chosenPrograms) await runProgramOf(name);
for (const [what, clients] of notOffered) say(`– not offered: ${what} (${clients.join(', ')})`);
process.exitCode = total.failed > 0 ? 1 : 0;
const more = (['skipped', 'not offered'] as const).filter((name) => total[name] > 0).map((name) => `, ${total[name]} ${name}`);
say(`${total.passed} passed, ${total.failed} failed${more.join('')}`);

async function runJourneys(): Promise<void> {
  await using world = await (wanted.slapd ? startSlapdWorld() : startWorld(wanted.workers));
  for (const [client, run] of chosen) {
    const begun = performance.now();
    const interpreter = interpreterOf(client);
    if (interpreter === undefined) continue;
    tell(client, await run(interpreter, world.environment), performance.now() - begun);
  }
}

/** One of the programs of docs/clients, on a machine of its own. */
async function runProgramOf(name: ProgramName): Promise<void> {
  const begun = performance.now();
  const { pages, packages } = realPrograms[name];
  const skipped = whyNoMachine() ?? fetchPackages([...['README', ...pages].flatMap((page) => packagesOf(readPage(page))), ...packages]);
  const ran = skipped === undefined ? await runInCopy(name, wanted) : { skipped };
  if (!('skipped' in ran)) {
    for (const { name: what, outcome } of ran) if (outcome === 'passed') say(`  ✔ ${what}`);
    return tell(name, ran, performance.now() - begun);
  }
  total.skipped++;
  say(`– ${name.padEnd(16)} skipped: ${ran.skipped}`);
}

/** Brings in the clients. One that is missing counts as failed: this command is for nothing else. */
function setUp(withParts: boolean): void {
  const { ldapsearch, openssl, ip, unshare } = programs;
  const all: Record<string, { readonly packages: readonly string[] }> = { ...(withParts ? parts : {}), ldapsearch, openssl, ip, unshare };
  const { missing, command, said } = installMissing(all, (name) =>
    name in parts ? isThere(name as PartName) : findProgram(name as Program) !== undefined,
  );
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
