import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Request } from '#ldap';
import { makeAuthority } from '../clients/lab/certificates.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { runLdapTool } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { add, compare, modify, remove, rename } from '../writes/table.ts';
import { controlRows } from './controls.ts';
import { connect, type Door, doors, type Peer, type Shows, saslBind, simpleBind } from './doors.ts';
import { mechanismRows, passwordOf } from './mechanisms.ts';
import { extensionRows, featureRows } from './operations.ts';
import { ada, alan, control, type Desk, device, extended, type Row, search, suffix } from './row.ts';

/** Each attribute of the root DSE that lists what is offered, with the table of what is tried of it. */
const tables: Readonly<Record<string, readonly Row[]>> = {
  supportedControl: controlRows,
  supportedExtension: extensionRows,
  supportedFeatures: featureRows,
  supportedSASLMechanisms: mechanismRows,
};

interface House {
  readonly atrium: TestAtrium;
  /** What ada shows who binds by a certificate. */
  readonly shows: Shows;
}

/** One for all tests, and one whose reads other threads serve. */
const started = new Map<number, Promise<House>>();
const house = (workers: number) => {
  const going = started.get(workers) ?? start(workers);
  started.set(workers, going);
  return going;
};
const folder = mkdtempSync(join(tmpdir(), 'atrium-offered-'));
test.after.always(async () => {
  for (const each of started.values()) await (await each).atrium[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function start(workers: number): Promise<House> {
  const authority = await makeAuthority(mkdtempSync(join(folder, 'authority-')));
  const { certFile, keyFile } = await authority.sign('ada', '/DC=com/DC=example/OU=people/UID=ada', 'clientAuth');
  const atrium = await startTestAtrium({
    settings: {
      // What is refused where it must be fails often.
      STS_SECURITY_RATE_PER_IDENTITY: '1000',
      STS_SECURITY_RATE_PER_ADDRESS: '1000',
      STS_REALMS_DEFAULT_SUFFIX: suffix,
      STS_SECURITY_SCRAM_ITERATIONS: '4096',
      STS_LDAP_WORKERS: String(workers),
      STS_LDAP_CLIENT_CA_FILE: authority.caFile,
      STS_LDAP_CLIENT_CERTIFICATE_RULE: 'subject',
    },
  });
  const person = (uid: string, sn: string, more: string) =>
    `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\nsn: ${sn}\nuserPassword: ${passwordOf(uid)}\n${more}\n`;
  const content = [
    `dn: cn=default,ou=passwordPolicies,${suffix}\nobjectClass: stsPasswordPolicy\ncn: default\nstsScramMechanism: SCRAM-SHA-256\nstsScramMechanism: SCRAM-SHA-1\n\n`,
    person('ada', 'Lovelace', 'cn: Ada Lovelace\ncn: Ada King\n'),
    person('alan', 'Turing', `cn: Alan Turing\nmanager: ${ada}\n`),
  ].join('');
  const { stderr } = await runLdapTool('ldapadd', { url: atrium.addresses.operators ?? '', external: true }, [], content);
  if (stderr !== '') throw new Error(stderr);
  return { atrium, shows: { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') } };
}

let units = 0;

async function deskAt(t: ExecutionContext, door: Door, workers = 0): Promise<Desk> {
  const { atrium, shows } = await house(workers);
  const another = () => connect(t, atrium, door, shows);
  const bound = async (request: Request) => {
    const peer = await another();
    t.is((await peer.ask(request)).code, 0);
    return peer;
  };
  const admin = await bound(simpleBind(atrium.adminDn, atrium.adminPassword));
  return {
    door,
    admin,
    ada: await bound(simpleBind(ada, passwordOf('ada'))),
    nobody: await another(),
    another,
    async unit() {
      const dn = `ou=unit${++units},${suffix}`;
      const made = [
        add(dn, { objectClass: 'organizationalUnit', ou: `unit${units}` }),
        device(`cn=one,${dn}`, { description: ['first', 'second'] }),
        device(`cn=two,${dn}`),
      ];
      for (const request of made) t.is((await admin.ask(request)).code, 0);
      return dn;
    },
  };
}

async function listed(peer: Peer, attribute: string): Promise<readonly string[]> {
  const { entries } = await peer.ask(search('', '(objectClass=*)', { scope: 'base', attributes: [attribute] }));
  return entries[0]?.all(attribute) ?? [];
}

const programmed = withPrograms(test, 'ldapsearch', 'openssl');

for (const [door, workers] of [...doors.map((each) => [each, 0] as const), ['ldaps', 2] as const]) {
  const where = workers === 0 ? `by ${door}` : `by ${door} with ${workers} threads beside the main one`;
  programmed(
    `RFC 4512 §5.1: what the root DSE lists ${where} does what it is for and is refused where it must be, and nothing else is listed`,
    async (t) => {
      t.timeout(120_000);
      const desk = await deskAt(t, door, workers);
      for (const [attribute, rows] of Object.entries(tables)) {
        const here = rows.filter((row) => row.doors?.includes(door) !== false);
        t.deepEqual([...(await listed(desk.nobody, attribute))].sort(), here.map(({ id }) => id).sort(), attribute);
        for (const { name, serves, refuses } of here) {
          const [found, expected] = await serves(desk);
          t.deepEqual(found, expected, `${name} ${where}`);
          t.true(refuses.length > 0, name);
          for (const [title, code, act] of refuses) t.is((await act(desk)).code, code, `${name}: ${title}, ${where}`);
        }
      }
    },
  );
}

for (const door of doors) {
  programmed(
    `what the root DSE does not list by ${door} is not there: critical it is 12, as an operation 2, as a mechanism 7`,
    async (t) => {
      const { admin, another } = await deskAt(t, door);
      const requests: readonly Request[] = [
        search(ada),
        compare(ada, 'sn', 'x'),
        device(`cn=x,${suffix}`),
        modify(ada, ['replace', 'description', 'x']),
        rename(ada, 'uid=x'),
        remove(ada),
        extended('1.3.6.1.4.1.4203.1.11.3'),
      ];
      // The second is for the web layer, by its own socket.
      for (const oid of ['1.2.3.4', '2.25.83716444157178576224225129172109131643.5.1', '2.16.840.1.113730.3.4.15']) {
        for (const request of requests) t.is((await admin.ask(request, control(oid))).code, 12, `${oid} ${request.kind}`);
        const peer = await another();
        t.is((await peer.ask(simpleBind(ada, passwordOf('ada')), control(oid))).code, 12, `${oid} bind`);
        t.is((await admin.ask(search(ada), control(oid, undefined, false))).code, 0, `${oid} not critical`);
      }
      const arc = '2.25.83716444157178576224225129172109131643.6';
      const unlisted = ['1.2.3.4', `${arc}.1`, `${arc}.125`, '1.3.6.1.4.1.4203.1.11.2'];
      for (const oid of unlisted) t.is((await admin.ask(extended(oid))).code, 2, oid);
      const offered = new Set(await listed(admin, 'supportedSASLMechanisms'));
      for (const mechanism of ['EXTERNAL', 'PLAIN', 'DIGEST-MD5', 'CRAM-MD5', 'GSSAPI', 'SCRAM-SHA-512', 'ANONYMOUS', '']) {
        if (offered.has(mechanism)) continue;
        t.is((await (await another()).ask(saslBind(mechanism, '\0ada\0x'))).code, 7, mechanism);
      }
      t.is((await admin.ask(search(alan))).entries.length, 1, 'and nothing was done');
    },
  );
}
