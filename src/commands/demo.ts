import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { utf8 } from '#base';
import type { Environment } from '#catalogue';
import { attributesOf, equals, type OperatorsClient } from '#client';
import { generatePassword } from '#keys';
import { readLdif, resultCodes } from '#ldap';
import type { Addresses, Command, Context, Running } from './command.ts';
import { demoDataDir, demoMark, openDemoFolder, readDemoPassword, writeDemoPassword } from './demo-folder.ts';
import { Misuse } from './exits.ts';
import { connectRunning, explain } from './operators.ts';
import { mayListen } from './ports.ts';

/** Whose password the demo sets and prints: an employee like others. */
const demoUid = 'dkhalil';
const modes = ['product', 'development'];
const demoSuffix = 'dc=example,dc=com';
const windowMax = 64;
const seedLimits = { lineOctetsMax: 65_536, recordOctetsMax: 1_048_576, valuesMax: 10_000 };

export const demo: Command = {
  means: 'start the service with its demo realm, on this machine alone',
  more: [
    'Makes data/ on the first start: a key-encryption key, certificates, and an invented company of some 200 people. Later starts find everything as it was left. Settings of the environment count here as for atrium serve. In development mode passwords are not checked.',
  ],
  on: 'none',
  options: { mode: { value: 'MODE', type: modes, default: 'product', means: 'product or development' } },
  examples: [{ line: 'npm start' }, { line: 'npm run dev' }, { line: 'STS_HTTP_PORT=9090 npm start' }],
  run: async (given, context) => {
    const mode = given.need('mode');
    const folder = demoDataDir(context.root, context.environment);
    if (existsSync(folder) && !existsSync(join(folder, demoMark))) throw new Misuse(`${folder} was not made by the demo`);
    const kekFile = openDemoFolder(folder, context.chance);
    const ports = await demoPorts(context.environment);
    // Late: no other command needs them.
    const [{ openMailbox }, { openDemoSite }] = [await import('./demo-mailbox.ts'), await import('./demo-site.ts')];
    await using mailbox = await openMailbox(() => context.clock.nowMs());
    const environment = { ...demoSettings(mode, kekFile, mailbox.port), ...ports.settings, ...context.environment };

    const asked = context.untilSignal();
    const started = await context.start({ environment });
    if (started.kind === 'refused') {
      for (const line of started.lines) context.stderr.write(`${line}\n`);
      context.stderr.write('A setting of the environment changes it, for example: STS_HTTP_PORT=9090 STS_HTTP_TLS_PORT=9443 npm start\n');
      return 1;
    }
    const { service } = started;
    const password = readDemoPassword(folder) ?? (await loadDemo(context, folder, service.suffix));
    const issuer = service.addresses.http ?? service.addresses.https ?? '';
    await using site = await openDemoSite({
      issuer: () => issuer,
      clientId: demoClientId,
      mails: mailbox.list,
      chance: context.chance,
      clock: context.clock,
    });
    await connectDemoSite(context, service.suffix, site.origin);
    const told = { mode, password, notice: ports.notice, caFile: join(folder, 'tls', 'ca.pem'), site: site.origin };
    context.stdout.write(welcome(service, told));
    await asked;
    await service.stop();
    return 0;
  },
};

/** What the demo settles where the environment says nothing: everything stays on this machine. */
function demoSettings(mode: string, kekFile: string, smtpPort: number): Environment {
  return {
    STS_MAIL_SMTP_HOST: '127.0.0.1',
    STS_MAIL_SMTP_PORT: String(smtpPort),
    // It never leaves this machine.
    STS_MAIL_SMTP_TLS: 'none',
    STS_MAIL_FROM: 'atrium@example.com',
    STS_GLOBAL_MODE: mode,
    STS_KEYS_KEK_FILE: kekFile,
    STS_LDAP_HOST: 'localhost',
    STS_HTTP_HOST: 'localhost',
    // In development mode the log says that passwords are not checked.
    STS_LOG_LEVEL: mode === 'development' ? 'info' : 'warn',
  };
}

/** The standard ports of LDAP where they may be had, and others of their own kind where not. */
async function demoPorts(environment: Environment): Promise<{ readonly settings: Environment; readonly notice: string }> {
  if (environment['STS_LDAP_PORT'] !== undefined || environment['STS_LDAP_TLS_PORT'] !== undefined) return { settings: {}, notice: '' };
  const standard = (await mayListen('127.0.0.1', 389)) && (await mayListen('127.0.0.1', 636));
  if (standard) return { settings: {}, notice: '' };
  return {
    settings: { STS_LDAP_PORT: '1389', STS_LDAP_TLS_PORT: '1636' },
    notice: 'Ports 389 and 636 are taken or need a privilege: LDAP is on 1389 and 1636.',
  };
}

/** Adds the demo realm over LDAP, as an operator would, and gives the demo person a password. */
async function loadDemo(context: Context, folder: string, suffix: string): Promise<string> {
  await using client = await connectRunning(context);
  if (client === undefined) throw new Error('the service does not answer on its operators socket');
  const text = readFileSync(join(context.root, 'ldif', 'demo.ldif'), 'utf8').replaceAll(demoSuffix, suffix);
  await addAll(client, text);
  const password = generatePassword(context.chance);
  await client.actor.modify(`uid=${demoUid},ou=people,${suffix}`, [
    { operation: 'replace', attribute: { description: 'userPassword', values: [utf8(password)] } },
  ]);
  writeDemoPassword(folder, password);
  return password;
}

async function addAll(client: OperatorsClient, text: string): Promise<void> {
  const pipeline = client.pipeline(windowMax);
  const refused: string[] = [];
  for await (const record of readLdif([utf8(text)], seedLimits)) {
    if (record.kind !== 'content') continue;
    await pipeline.add(record.dn, record.attributes, (refusal) => {
      // What an interrupted first start left is there already.
      if (refusal !== undefined && refusal.code !== resultCodes.entryAlreadyExists) refused.push(`${record.dn}: ${explain(refusal)}`);
    });
  }
  await pipeline.drain();
  if (refused[0] !== undefined) throw new Error(`the demo realm was not taken: ${refused[0]}`);
}

const demoClientId = 'demo-application';

/** Makes the demo's site a client of the realm, at the address that it has this time. */
async function connectDemoSite(context: Context, suffix: string, origin: string): Promise<void> {
  await using client = await connectRunning(context);
  if (client === undefined) throw new Error('the service does not answer on its operators socket');
  const dn = `cn=Demo application,ou=applications,${suffix}`;
  const addresses = { stsRedirectUri: `${origin}/callback`, stsPostLogoutRedirectUri: `${origin}/` };
  const isIt = { base: suffix, scope: 'sub', filter: equals('stsClientId', demoClientId), attributes: ['1.1'] } as const;
  if ((await client.actor.search(isIt)).entries.length === 0) {
    const attributes = {
      ...{
        objectClass: ['stsApplication', 'stsOAuthClient'],
        cn: 'Demo application',
        description: 'Signs people in, to show how it is done',
      },
      ...{ stsClientId: demoClientId, stsTokenEndpointAuthMethod: 'none', stsApplicationUrl: origin, ...addresses },
    };
    await client.actor.add(dn, attributesOf(attributes));
    return;
  }
  const replaced = ([description, value]: readonly [string, string]) =>
    ({ operation: 'replace', attribute: { description, values: [utf8(value)] } }) as const;
  await client.actor.modify(dn, Object.entries({ stsApplicationUrl: origin, ...addresses }).map(replaced));
}

interface Told {
  /** Of the demo's own site. */
  readonly site: string;
  readonly mode: string;
  readonly password: string;
  readonly notice: string;
  /** The authority that Atrium makes where it makes its certificate. */
  readonly caFile: string;
}

function welcome({ addresses, suffix, generatedPassword }: Running, { mode, password, notice, caFile, site }: Told): string {
  const dn = `uid=${demoUid},ou=people,${suffix}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Sign in', addresses.http ?? addresses.https],
    ['Console', `${addresses.http ?? addresses.https ?? ''}/admin`],
    ['Demo app', site],
    ['Mails', `${site}/mails`],
    ['LDAP', [addresses.ldap, addresses.ldaps].filter((url) => url !== undefined).join('  ')],
    ['Trust, for TLS', existsSync(caFile) ? caFile : undefined],
    ['Demo person', `${demoUid}  password ${password}`],
    ['Administrator', generatedPassword === undefined ? undefined : `admin  password ${generatedPassword}  (shown this once)`],
  ];
  return [
    '',
    'Atrium is ready.',
    ...(mode === 'development' ? ['Development mode: passwords are not checked, any but "invalid" is accepted.'] : []),
    ...(notice === '' ? [] : [notice]),
    '',
    ...rows.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [`  ${label.padEnd(14)} ${value}`])),
    '',
    'Three things to try in another terminal:',
    '',
    ...toTry(addresses, dn, suffix, password).map((line) => `  ${line}`),
    '',
    'For the transcript in README.md, from nothing to a disabled person by curl:',
    '',
    `  export WEB=${addresses.http ?? addresses.https} LDAPURI=${addresses.ldap} LDAPBASE=${suffix} LDAPBINDDN=uid=admin,ou=people,${suffix}`,
    '',
    'docs/ldap.md has many more, for whoever administers the directory; docs/sign-in.md is about second factors.',
    'Ctrl-C stops it; the next start finds everything as it was left. npm run reset throws the demo away.',
    '',
    '',
  ].join('\n');
}

function toTry({ ldap = 'ldap://localhost' }: Addresses, dn: string, suffix: string, password: string): readonly string[] {
  return [
    `npm run -s atrium -- search khalil cn mail`,
    `ldapsearch -H ${ldap} -x -D ${dn} -w ${password} -b ${suffix} '(l=Berlin)' cn title`,
    `printf 'dn: ${dn}\\nchangetype: modify\\nreplace: mobile\\nmobile: +49 171 39200 13\\n' | ldapmodify -H ${ldap} -x -D ${dn} -w ${password}`,
  ];
}
