// `npm run test:running`: does what docs/running.md says, word for word, on a copy of this machine that systemd boots, and tries what stands then.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../clients/lab/certificates.ts';
import { aptFile, aptSettings } from '../clients/programs/apply.ts';
import { archives, fetchPackages, whyNoMachine } from '../clients/programs/machine.ts';
import { type PageStep, packagesOf, stepsOf } from '../clients/programs/page.ts';
import { holds, until } from '../clients/programs/steps.ts';
import { installMissing } from '../gate/install.ts';
import { bootMachine, type Machine } from './machine.ts';

const root = join(import.meta.dirname, '..', '..');
const page = join(root, 'docs', 'running.md');
const host = 'id.example.com';
const curl = 'curl -sS --fail --cacert /root/ca.pem';

/** There is no network: the repository is this one, and what npm would install is what it has. */
const cloned = [
  'git clone -q --no-hardlinks /repository /opt/atrium',
  'mkdir /opt/atrium/node_modules',
  'mount --bind /repository/node_modules /opt/atrium/node_modules',
  'install -m 600 -o atrium /root/first/*.pem -D -t /etc/atrium',
].join('\n');

/** Files are looked at each minute. */
const renewalMaxMs = 120_000;
const peopleOfLdif = 300;
const photoOctets = 20_000;

const throughTheApi = `
secret=$(atrium application add robot --grant client_credentials --resource https://${host}/admin-api --json | sed 's/.*"secret":"\\([^"]*\\)".*/\\1/')
atrium group add-member 'Admin Write' 'cn=robot,ou=applications,dc=example,dc=com' > /dev/null
token=$(${curl} -u "robot:$secret" https://${host}/oauth2/token -d grant_type=client_credentials -d resource=https://${host}/admin-api \\
  --data-urlencode 'scope=admin:read admin:write' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
ask() { ${curl} -H "Authorization: Bearer $token" https://${host}/admin-api/ldif "$@"; }
ask -H 'Content-Type: application/ldif' -H 'Expect:' -T /root/people.ldif -X POST > /dev/null
ask | grep -c '^jpegPhoto:: '
`;

type Named = readonly [name: string, act: () => unknown];

process.exitCode = await main();

async function main(): Promise<number> {
  const nspawn = { 'systemd-nspawn': { packages: ['systemd-container', 'systemd'] } };
  const { command } = installMissing(nspawn, () => existsSync('/usr/bin/systemd-nspawn'));
  const steps = stepsOf(page);
  const why = whyNoMachine() ?? (command === undefined ? fetchPackages(packagesOf(steps)) : `have what is missing with: ${command}`);
  if (why !== undefined) {
    process.stdout.write(`not run: ${why}\n`);
    return 1;
  }
  await using machine = await bootMachine([`${root}:/repository`, `${archives}:${archives}`]);
  await prepare(machine);
  let [passed, failed] = [0, 0];
  for (const [name, act] of [...steps.flatMap((each) => stepOf(machine, each)), ...afterAll(machine)]) {
    try {
      await act();
      process.stdout.write(`✔ ${name}\n`);
      passed++;
    } catch (error) {
      const journal = machine.sh('journalctl -u atrium -u nginx --no-pager | tail -20');
      process.stdout.write(`✘ ${name}\n${error instanceof Error ? error.message : error}\n${journal}`);
      failed = 1;
      break;
    }
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed;
}

/** What a machine has before anybody reads the page: its name, a certificate and the one after it, and what the page has fetched. */
async function prepare(machine: Machine): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-running-'));
  try {
    const authority = await makeAuthority(folder);
    machine.write('/root/ca.pem', readFileSync(authority.caFile, 'utf8'), 'the whole file');
    for (const lineage of ['first', 'renewed']) {
      const { certFile, keyFile } = await authority.sign(lineage, `/CN=${host}`, 'serverAuth', `DNS:${host}`);
      machine.write(`/root/${lineage}/fullchain.pem`, readFileSync(certFile, 'utf8'), 'the whole file');
      machine.write(`/root/${lineage}/privkey.pem`, readFileSync(keyFile, 'utf8'), 'the whole file');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  machine.write('/etc/hosts', `127.0.0.1 localhost ${host}\n::1 localhost ${host}\n`, 'the whole file');
  machine.write(aptFile, aptSettings(archives), 'the whole file');
  machine.sh("git config --system --add safe.directory '*'");
}

function stepOf(machine: Machine, each: PageStep): Named[] {
  if (each.kind === 'file') return [[`${each.path}, ${each.place}`, () => machine.write(each.path, each.text, each.place as 'at the end')]];
  const commands = each.text.trim();
  const done: Named = [
    commands.replaceAll('\n', '\n  '),
    () => machine.sh(commands.replace('git clone <the repository> /opt/atrium', cloned)),
  ];
  if (commands.includes('enable --now')) return [done, ...tried(machine)];
  if (commands === 'systemctl restart nginx') return [done, ...proxied(machine)];
  return commands.includes('renewal-hooks') ? [done, renewed(machine)] : [done];
}

function isReady(machine: Machine): Promise<string> {
  return until('Atrium', async () => machine.sh(`${curl} https://${host}/.well-known/openid-configuration`));
}

function tried(machine: Machine): Named[] {
  return [
    [
      'the service answers by its name, with the certificate that it was given',
      async () => holds((await isReady(machine)).includes(`"issuer":"https://${host}"`), 'it is another issuer'),
    ],
    [
      'the journal has the password of the administrator and the line `ready`',
      () => {
        const journal = machine.sh('journalctl -u atrium --no-pager');
        holds(/administrator's password, shown this once: \S+/.test(journal) && / ready ldap:/.test(journal), journal);
      },
    ],
    [
      'systemd gives the unit the mark that the page says',
      () => {
        const said = /gives it (?<mark>[\d.]+) of 10/.exec(readFileSync(page, 'utf8'))?.groups?.['mark'];
        const found = /exposure level for atrium.service: (?<mark>[\d.]+)/.exec(machine.sh('systemd-analyze security atrium --no-pager'));
        holds(found?.groups?.['mark'] === said, `it is ${found?.groups?.['mark']}`);
      },
    ],
    [
      'a person who is added by the command binds over LDAP inside TLS',
      () => {
        const password = /password (?<password>\S+)/.exec(machine.sh('atrium person add ada --cn "Ada Lovelace" --generate'))?.groups?.[
          'password'
        ];
        const bind = `LDAPTLS_CACERT=/root/ca.pem ldapwhoami -x -H ldaps://${host} -D uid=ada,ou=people,dc=example,dc=com -w ${password}`;
        holds(machine.sh(bind).includes('dn:uid=ada,'), 'somebody else');
      },
    ],
    [
      'who kills it finds it again, with all that it held',
      async () => {
        machine.sh('systemctl kill --signal=KILL atrium');
        await isReady(machine);
        holds(machine.sh('atrium person list').includes('Ada Lovelace'), 'nobody is there');
      },
    ],
  ];
}

function proxied(machine: Machine): Named[] {
  return [
    [
      'behind nginx the sign-in is at the same name, with cookies for TLS alone',
      async () => {
        await isReady(machine);
        const screen = machine.sh(`${curl} -L -i -c /root/jar -b /root/jar http://${host}/portal`);
        holds(/^HTTP\/2 200/m.test(screen) && /name="password"/.test(screen), screen);
        holds(/^set-cookie: sts_signin=.*; Secure/im.test(screen), 'the cookie is not for TLS alone');
      },
    ],
    [
      'LDIF of some megabytes goes in through nginx, and comes out again',
      () => {
        const person = (at: number) =>
          `dn: uid=p${at},ou=people,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: p${at}\ncn: P\nsn: P\n`;
        const photo = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(photoOctets)]).toString('base64');
        const ldif = Array.from({ length: peopleOfLdif }, (_, at) => `${person(at)}jpegPhoto:: ${photo}\n`).join('\n');
        machine.write('/root/people.ldif', ldif, 'the whole file');
        const said = machine.sh(throughTheApi);
        holds(said.trim() === String(peopleOfLdif), said);
      },
    ],
  ];
}

function renewed(machine: Machine): Named {
  const serial = (of: string) => machine.sh(`${of} | openssl x509 -noout -serial`);
  const shown = `openssl s_client -connect ${host}:636 -servername ${host} 2> /dev/null < /dev/null`;
  return [
    'a certificate that certbot renews is shown while the service runs',
    async () => {
      const fresh = serial('cat /root/renewed/fullchain.pem');
      holds(serial(shown) !== fresh, 'it is shown already');
      machine.sh('RENEWED_LINEAGE=/root/renewed /etc/letsencrypt/renewal-hooks/deploy/atrium');
      await until('the renewed certificate', async () => serial(shown) === fresh || undefined, renewalMaxMs);
    },
  ];
}

function afterAll(machine: Machine): Named[] {
  return [['after all of it, nothing is damaged', () => holds(machine.sh('atrium doctor').includes('All is sound.'), 'it is')]];
}
