import { relative } from 'node:path';
import { type OperationDeps, operations } from '#admin';
import { areas, listedRanges } from '#catalogue';
import { scramHashes } from '#credentials';
import { type ByHand, describeCrypto, describeRoutes, type Metadata, type MountedRoute } from '#describe';
import { describeCertificate, describeTls, sealingScheme, signingAlgorithms } from '#keys';
import { clientAlgorithms, proofAlgorithms } from '#oauth';
import { settings as rows } from '../settings.ts';
import type { Beneath } from './above.ts';
import type { Foundation } from './foundation.ts';
import { managementSocketOf } from './locate.ts';

/** What operations show of the service itself: its settings, its error codes, its routes and what it uses to sign, seal and hash. */
export async function describingOf(foundation: Foundation, below: Beneath, mounted: () => readonly MountedRoute[]) {
  // Late: it is gathered from all rooms.
  const { errorRows, routeTables } = await import('../tables.ts');
  const { settings, live, version, clock } = foundation;
  const inForce = (name: string) => (Object.hasOwn(settings, name) ? settings[name as keyof typeof settings] : undefined);
  const startedMs = clock.nowMs();
  const metadata = (deps: OperationDeps): Metadata => {
    const offered = new Set(operations.filter((row) => row.offered?.(deps) ?? true).map(({ method, path }) => `${method} ${path}`));
    const isOffered = ({ method, path }: MountedRoute) =>
      !path.startsWith('/admin-api/') || !operationPaths.has(`${method} ${path}`) || offered.has(`${method} ${path}`);
    const tables = Object.fromEntries(
      Object.entries(routeTables).map(([group, table]) => [
        group,
        Object.fromEntries(Object.entries(table).filter(([, row]) => isOffered(row))),
      ]),
    );
    return describeRoutes({ mounted: mounted(), tables, byHand: listenersOf(foundation, below) });
  };
  return {
    configuration: { rows, originOf: live.originOf, inForce },
    codes: {
      areas: Object.fromEntries(Object.entries(areas).map(([area, row]) => [area, row.means])),
      rows: errorRows,
      ranges: listedRanges,
    },
    description: {
      metadata,
      crypto: (deps: OperationDeps) => cryptoOf(foundation, below, metadata(deps)),
      service: { version, startedMs },
      certificate: () => certificateOf(below),
    },
  };
}

function certificateOf({ certificate }: Beneath) {
  if (certificate === undefined) return undefined;
  const { cert, caFile } = certificate.shown;
  const { serialNumber, untilMs } = describeCertificate(cert);
  return { serialNumber, untilMs, isOwn: caFile !== undefined };
}

const operationPaths: ReadonlySet<string> = new Set(operations.map(({ method, path }) => `${method} ${path}`));

function cryptoOf({ settings }: Foundation, { certificate }: Beneath, { protocols, surfaces }: Metadata) {
  return describeCrypto({
    signing: signingAlgorithms,
    signingStanding: signingAlgorithms[0],
    dpop: proofAlgorithms,
    clients: clientAlgorithms,
    sealing: sealingScheme,
    scram: Object.keys(scramHashes),
    scrypt: {
      logN: settings['security.passwordHashLogN'],
      r: settings['security.passwordHashR'],
      p: settings['security.passwordHashP'],
    },
    scramIterations: settings['security.scramIterations'],
    webauthn: settings['webauthn.algorithms'],
    totp: { algorithm: settings['totp.algorithm'], digits: settings['totp.digits'], period: settings['totp.period'] },
    tls: certificate === undefined ? undefined : describeTls(certificate.shown.cert),
    protects: settings['global.mode'],
    built: new Set([...protocols, ...surfaces].filter(({ built }) => built).map(({ id }) => id)),
  });
}

/** What listens and is no route. @see specification document 2: routes absent from the router walk are described by hand */
function listenersOf({ settings, dataDir }: Foundation, { ldapUrl, jobs }: Beneath): readonly ByHand[] {
  const source = 'RFC 4511; RFC 4513; specification document 2';
  const host = settings['ldap.host'] === '' ? 'all addresses' : settings['ldap.host'];
  const at = (port: number | undefined, scheme: string) => (port === undefined ? {} : { address: `${scheme}://${host}:${port}` });
  const managementSocket = managementSocketOf(dataDir, settings);
  const plain = ldapUrl !== undefined && settings['ldap.port'] === 0 ? { address: ldapUrl } : at(settings['ldap.port'], 'ldap');
  return [
    { protocol: 'ldap', name: 'LDAP, with StartTLS', ...plain, purpose: 'the directory for programs and tools', source },
    {
      protocol: 'ldap',
      name: 'LDAP over TLS',
      ...at(settings['ldap.tlsPort'], 'ldaps'),
      purpose: 'the same, protected from its first octet',
      source,
    },
    {
      ...{ protocol: 'ldap', name: 'the operators’ socket', purpose: 'the directory for whoever may open a file of this machine', source },
      ...(settings['ldap.socket'] === '' ? {} : { address: 'ldapi://' }),
    },
    {
      ...{ protocol: 'admin', name: 'the operators’ socket of the management API', source: 'specification document 2' },
      purpose: 'the management API as the built-in administrator, for whoever may open a file of this machine: the way of the commands',
      // A web process beside the service has none.
      ...(managementSocket === undefined || jobs === undefined ? {} : { address: `unix:${relative(dataDir, managementSocket)}` }),
    },
  ];
}
