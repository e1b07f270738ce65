import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { utf8 } from '#base';
import { computeScrypt, formatHash } from '#keys';
import { atriumPeer } from './atrium.ts';
import { ask, bind, bindRequest, Connection } from './connection.ts';
import { writePeople } from './data.ts';
import { type Measuring, measureLoad, openSession } from './measure.ts';
import { nameOf, type World } from './requests.ts';
import type { RowResult } from './results.ts';
import type { Measure } from './rows.ts';
import { slapdPeer } from './slapd.ts';

interface Where {
  readonly folder: string;
  readonly suffix: string;
  readonly password: string;
}

/** Cheap, so that everybody has bound once within a minute; dear enough that a bind which computed it would be seen at once (2 ms and not some µs). */
const cost = { logN: 10, r: 8, p: 1 };
/** Longer than the row takes. */
export const knownForLong = { STS_SECURITY_VERIFIED_BINDS_S: '3600' };
const bindersAtOnce = 8;
const salt = new Uint8Array(16).fill(7);

/** Binds of people who have all bound a short while ago, with databases of their own: Atrium's with scrypt, slapd's with {SSHA}. */
export async function measureRepeated(
  id: string,
  measure: Extract<Measure, { kind: 'repeated' }>,
  { folder: parent, suffix, password }: Where,
  { generator, timings, progress, world: { count } }: Measuring,
): Promise<RowResult> {
  const folder = join(parent, id);
  mkdirSync(folder, { recursive: true });
  const ldif = { atrium: join(folder, 'atrium.ldif'), slapd: join(folder, 'slapd.ldif') };
  const scrypt = await cheapHash(password);
  const ssha = `{SSHA}${Buffer.concat([createHash('sha1').update(password).update(salt).digest(), salt]).toString('base64')}`;
  progress('writing people');
  const files = [
    { file: ldif.atrium, storedPassword: scrypt },
    { file: ldif.slapd, storedPassword: ssha },
  ];
  const world = await writePeople({ count, suffix, password, files });
  const settings = { ...knownForLong, STS_LDAP_WORKERS: String(measure.workers) };
  const peers = { atrium: atriumPeer(folder, suffix, password, settings), slapd: slapdPeer(folder, suffix) };
  for (const side of ['atrium', 'slapd'] as const) await peers[side].load(ldif[side]);
  await using session = openSession(peers, suffix);
  const servers = await session.servers(measure.slapdThreads);
  progress('everybody binds once');
  for (const { port } of Object.values(servers)) await everybody(port, world);
  return await measureLoad(id, measure, { session, generator, world, timings, progress });
}

/** As Atrium stores it, for less. */
export async function cheapHash(password: string): Promise<string> {
  return formatHash({ ...cost, salt, key: await computeScrypt(utf8(password), salt, 32, cost) });
}

/** Everybody has bound once, and one of them has failed: as long as one failure of a realm counts, each bind asks how it stands with its own. */
export async function everybody(port: number, world: Pick<World, 'count' | 'base' | 'password'>): Promise<void> {
  let next = 0;
  const one = async () => {
    using connection = await Connection.open(port);
    for (let at = next++; at < world.count; at = next++) await bind(connection, nameOf(at, world.base), world.password);
  };
  await Promise.all(Array.from({ length: bindersAtOnce }, one));
  using connection = await Connection.open(port);
  await ask(connection, bindRequest(nameOf(0, world.base), 'not the password'));
}
