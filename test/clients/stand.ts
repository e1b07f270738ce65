import type { ExecutionContext } from 'ava';
import { systemChance, systemClock } from '#base';
import { createDirectory } from '#directory';
import { openServerCertificate } from '#keys';
import { type Limits, listenerSettings, startListener } from '#listener';
import { admin, adminPassword, furnishedHouse, suffix } from '../directory/driver.ts';
import { folderOf } from '../support/listener.ts';

export async function startTestAtrium(t: ExecutionContext) {
  const { engine, audited } = await furnishedHouse(t);
  const folder = folderOf(t);
  const { cert, key, caFile } = await openServerCertificate({
    certFile: '',
    keyFile: '',
    folder,
    clock: systemClock,
    chance: systemChance,
  });
  const limits = Object.fromEntries(Object.entries(listenerSettings).map(([name, row]) => [name, row.default])) as unknown as Limits;
  const listener = await startListener({
    directory: createDirectory(engine),
    limits,
    audit: { record: (e) => void audited.push(e) },
    clock: systemClock,
    chance: systemChance,
    endpoints: { ldap: { host: 'localhost', port: 0 }, ldaps: { host: 'localhost', port: 0, cert, key }, operators: `${folder}/ldapi` },
  });
  const { ldap, ldaps, operators } = listener.addresses;
  return {
    addresses: { ldap: ldap?.url ?? '', ldaps: ldaps?.url ?? '', operators: operators?.url ?? '' },
    realm: { suffix },
    adminDn: admin,
    adminPassword,
    caFile: caFile ?? '',
    dispose: () => listener.stop(),
  };
}
