import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { utf8 } from '#base';
import { formatLdifRecord, type LdifContent } from '#ldap';
import { startTestAtrium } from '../../support/atrium.ts';
import { runLdapTool } from '../../support/ldap-utils.ts';
import { generatePeople } from '../../support/people.ts';
import { makeAuthority } from './certificates.ts';

/** A directory with something in it for the clients, and what they must know of it: the environment that each is started with. */
export interface World extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
}

/** Of the generated people. */
export const worldSeed = 389;
const personPassword = 'Schlüssel-7-Brücke';
const applicationSecret = 'Signs-people-in-to-the-lab-1';
const picture = Buffer.from([0xff, 0xd8, 0xff, ...Array(256).keys()]);

/**
 * Starts an Atrium with generated people, with TLS of its own authority. Needs ldap-utils and openssl.
 *
 * @param workers  as `ldap.workers`
 */
export async function startWorld(workers: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-lab-'));
  const authority = await makeAuthority(folder);
  const settings = {
    STS_LDAP_CLIENT_CA_FILE: authority.caFile,
    STS_LDAP_CLIENT_CERTIFICATE_RULE: 'subject',
    STS_SECURITY_SCRAM_ITERATIONS: '4096',
    STS_LDAP_WORKERS: workers,
  };
  const atrium = await startTestAtrium({ settings });
  const { suffix, addresses, dataDir } = atrium;
  const operators = addresses.operators ?? '';
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const about = { kid: 'lab', alg: 'ES256', use: 'sig' };
  const applications = applicationsOf(suffix, { ...(await exportJWK(publicKey)), ...about });
  const ldif = [passwordPolicy(suffix), ...worldContent(suffix), ...applications].map(formatLdifRecord).join('');
  // Each client makes people of the same names in a place of its own.
  const freed = await runLdapTool('ldapdelete', { url: operators, external: true }, [`cn=names and numbers,ou=policies,${suffix}`]);
  if (freed.status !== 0) throw new Error(`the policy of names could not be taken away: ${freed.stderr}`);
  const added = await runLdapTool('ldapadd', { url: operators, external: true }, [], ldif);
  if (added.status !== 0) throw new Error(`the world could not be loaded: ${added.stderr}`);
  return {
    environment: {
      LAB_ISSUER: addresses.https ?? '',
      LAB_WEB_SECRET: applicationSecret,
      LAB_WEB_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), ...about }),
      ...worldEnvironment('Atrium', {
        suffix,
        port: new URL(addresses.ldap ?? '').port,
        tlsPort: new URL(addresses.ldaps ?? '').port,
        socket: decodeURIComponent(operators.slice('ldapi://'.length)),
        ca: join(dataDir, 'tls', 'ca.pem'),
        client: await authority.sign('jmueller', personSubject(suffix), 'clientAuth'),
        administrator: atrium.adminDn,
        password: atrium.adminPassword,
      }),
    },
    [Symbol.asyncDispose]: async () => {
      await atrium[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The subject of a certificate that names someone's entry itself, as openssl takes it. */
export function personSubject(suffix: string): string {
  const top = suffix.split(',').toReversed();
  return `/${[...top.map((part) => part.replace('dc=', 'DC=')), 'OU=people', 'UID=jmueller'].join('/')}`;
}

/** SCRAM's verifiers are written only where a policy wants them. */
function passwordPolicy(suffix: string): LdifContent {
  return record(`cn=default,ou=passwordPolicies,${suffix}`, {
    objectClass: ['stsPasswordPolicy'],
    cn: ['default'],
    stsScramMechanism: ['SCRAM-SHA-256', 'SCRAM-SHA-1'],
  });
}

/** Two applications: one shows a secret, the other signs with a key of its own. */
function applicationsOf(suffix: string, publicJwk: object): LdifContent[] {
  const application = (clientId: string, more: Readonly<Record<string, readonly string[]>>) =>
    record(`cn=${clientId},ou=applications,${suffix}`, {
      objectClass: ['stsApplication', 'stsOAuthClient'],
      cn: [clientId],
      stsClientId: [clientId],
      stsRedirectUri: ['https://app.example.com/back'],
      stsPostLogoutRedirectUri: ['https://app.example.com/out'],
      ...more,
    });
  return [
    application('lab-web', {
      userPassword: [applicationSecret],
      stsGrantType: ['authorization_code', 'refresh_token', 'client_credentials'],
      stsAllowedResource: ['https://api.example.com'],
    }),
    application('lab-signs', { stsTokenEndpointAuthMethod: ['private_key_jwt'], stsJwks: [JSON.stringify({ keys: [publicJwk] })] }),
  ];
}

interface Place {
  readonly suffix: string;
  readonly port: string;
  readonly tlsPort: string;
  readonly socket: string;
  readonly ca: string;
  /** What someone shows who binds by a certificate. */
  readonly client: { readonly certFile: string; readonly keyFile: string };
  readonly administrator: string;
  readonly password: string;
}

export function worldEnvironment(server: 'Atrium' | 'slapd', place: Place): Record<string, string> {
  return {
    LAB_SERVER: server,
    LAB_HOST: 'localhost',
    LAB_PORT: place.port,
    LAB_TLS_PORT: place.tlsPort,
    LAB_SOCKET: place.socket,
    LAB_CA: place.ca,
    LAB_CLIENT_CERT: place.client.certFile,
    LAB_CLIENT_KEY: place.client.keyFile,
    LAB_SUFFIX: place.suffix,
    LAB_ADMIN: place.administrator,
    LAB_ADMIN_PASSWORD: place.password,
    LAB_PERSON: `uid=jmueller,ou=people,${place.suffix}`,
    LAB_PERSON_PASSWORD: personPassword,
  };
}

/** Generated people and their groups; someone with a password and odd values; a row of accounts whose numbers and names run against each other. */
export function* worldContent(suffix: string, people = 240): Generator<LdifContent> {
  yield* generatePeople({ count: people, seed: worldSeed, suffix });
  yield record(`uid=jmueller,ou=people,${suffix}`, {
    objectClass: ['inetOrgPerson'],
    uid: ['jmueller'],
    cn: ['Jürgen Müller'],
    sn: ['Müller'],
    givenName: ['Jürgen'],
    mail: ['juergen.mueller@example.com'],
    description: ['Stars * and (brackets) and \\ backslash'],
    userPassword: [personPassword],
    jpegPhoto: [picture],
  });
  yield record(`ou=lab,${suffix}`, { objectClass: ['organizationalUnit'], ou: ['lab'] });
  yield record(`ou=row,ou=lab,${suffix}`, { objectClass: ['organizationalUnit'], ou: ['row'] });
  for (let number = 1; number <= 25; number++) {
    const uid = `lab${String(number).padStart(2, '0')}`;
    yield record(`uid=${uid},ou=row,ou=lab,${suffix}`, {
      objectClass: ['inetOrgPerson', 'posixAccount'],
      uid: [uid],
      cn: [`Lab ${number}`],
      sn: [`Reihe ${String(26 - number).padStart(2, '0')}`],
      uidNumber: [String(60_000 + number)],
      gidNumber: ['60000'],
      homeDirectory: [`/home/${uid}`],
    });
  }
}

function record(dn: string, attributes: Readonly<Record<string, readonly (string | Uint8Array)[]>>): LdifContent {
  return {
    kind: 'content',
    line: 0,
    dn,
    attributes: Object.entries(attributes).map(([description, values]) => ({
      description,
      values: values.map((value) => (typeof value === 'string' ? utf8(value) : value)),
    })),
  };
}
