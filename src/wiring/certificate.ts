import { join } from 'node:path';
import { openServerCertificate, type ServerCertificate } from '#keys';
import type { Foundation } from './foundation.ts';

/** Only where something speaks TLS. */
export async function certificateOf({ settings, dataDir, clock, chance }: Foundation): Promise<ServerCertificate | undefined> {
  const startsTls = settings['ldap.port'] !== undefined && settings['ldap.startTls'];
  if (settings['ldap.tlsPort'] === undefined && settings['http.tlsPort'] === undefined && !startsTls) return undefined;
  const publicName = URL.parse(settings['global.publicBaseUrl'])?.hostname;
  return await openServerCertificate({
    certFile: settings['tls.certFile'],
    keyFile: settings['tls.keyFile'],
    folder: join(dataDir, 'tls'),
    names: publicName === undefined ? [] : [publicName],
    clock,
    chance,
  });
}
