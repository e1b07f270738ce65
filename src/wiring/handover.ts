import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chance, hex, utf8 } from '#base';
import { Refusal, refuse } from '#catalogue';
import { hmacSha256 } from '#keys';
import { errors } from '../errors.ts';
import type { Settings } from './foundation.ts';
import { socketFolder } from './locate.ts';

/** What a web process beside the service must know. The service makes it anew at each start. */
export interface Handover {
  /** Of the program that made it: another one may speak otherwise. */
  readonly version: string;
  /** The web layer's private socket, and the secret that opens it. */
  readonly socketPath: string;
  readonly secret: Uint8Array;
  /** What forms and waiting secrets are bound with where there is no key-encryption key: all web processes of one start have the same. */
  readonly shared: Uint8Array;
  readonly suffix: string;
  readonly epoch: number;
  /** Where programs reach the directory, as the portal shows it. */
  readonly ldapUrl?: string;
}

/** The same as it was read: with what the service's settings are held against. */
export interface HandedOver extends Handover {
  /** HMAC-SHA-256 of each value under the secret, by name: neither values nor keys stand in the file. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Octets of a file that may be one. */
const octetsMax = 65_536;
const secretOctets = 32;

/** Settings that a web process has for itself: its doors, its log, its way to the directory, and what the service alone does. */
const own =
  /^(?:http|log|client|ldap|tasks)\.|^persistence\.(?!mode$|stateRowsMax$|auditRowsMax$)|^keys\.(?:hash|reseal)|^global\.dataDir$|^admin\.bootstrapPassword$|^mail\.(?:smtpPassword|sendS)$|^tls\./;

/** The file inside the data folder. */
function fileOf(dataDir: string): string {
  return join(dataDir, socketFolder, 'web.json');
}

/**
 * Writes what a web process is to know, for the owner of the folder alone, in one step: a reader finds all of it, of one start.
 *
 * @returns what takes it away again
 * @throws Refusal `notHandedOver` (STS-CORE-9405)
 * @see docs/decisions/0019-second-web-process.md
 */
export function handOver(dataDir: string, handover: Handover, settings: Settings, chance: Chance): () => void {
  const file = fileOf(dataDir);
  const fresh = `${file}.${hex(chance.octets(8))}`;
  const { secret, shared, ...plain } = handover;
  const written = { ...plain, secret: base64(secret), shared: base64(shared), settings: marksOf(settings, secret) };
  try {
    writeFileSync(fresh, `${JSON.stringify(written, null, 1)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw refuse(errors.notHandedOver, { why: error instanceof Error ? error.message : String(error) });
  }
  return () => rmSync(file, { force: true });
}

/**
 * Reads what the service handed over; `undefined` when there is nothing. That it is there says not that the service runs: a killed one leaves it behind.
 *
 * @throws Refusal `handoverUnfit` (STS-CORE-9401)
 */
export function readHandover(dataDir: string): HandedOver | undefined {
  const file = fileOf(dataDir);
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile() || found.size > octetsMax) throw new Error('it is no file of the service');
    if ((found.mode & 0o077) !== 0) throw new Error('others than its owner may read or write it');
    const parsed = parse(readFileSync(file, 'utf8'));
    if (parsed === undefined) throw new Error('it does not hold what the service writes');
    return parsed;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse(errors.handoverUnfit, { why: error instanceof Error ? error.message : String(error) });
  }
}

/** Names of the settings in which this process differs from the service where both must be the same. */
export function differing(settings: Settings, { settings: marks, secret }: HandedOver): string[] {
  const mine = marksOf(settings, secret);
  return [...new Set([...Object.keys(mine), ...Object.keys(marks)])].filter((name) => mine[name] !== marks[name]).sort();
}

function marksOf(settings: Settings, secret: Uint8Array): Record<string, string> {
  const shared = Object.entries(settings).filter(([name]) => !own.test(name));
  return Object.fromEntries(
    shared.map(([name, value]) => [name, base64(hmacSha256(secret, utf8(`setting\0${name}\0${JSON.stringify(value)}`)))]),
  );
}

function parse(text: string): HandedOver | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { version, socketPath, secret, shared, suffix, epoch, ldapUrl, settings } = value as Record<string, unknown>;
  const [opens, binds] = [octetsOf(secret), octetsOf(shared)];
  const named = typeof version === 'string' && typeof socketPath === 'string' && typeof suffix === 'string';
  if (!named || opens === undefined || binds === undefined || !Number.isSafeInteger(epoch)) return undefined;
  if (typeof settings !== 'object' || settings === null || (ldapUrl !== undefined && typeof ldapUrl !== 'string')) return undefined;
  const marks = Object.fromEntries(Object.entries(settings).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  const address = ldapUrl === undefined ? {} : { ldapUrl };
  return { version, socketPath, secret: opens, shared: binds, suffix, epoch: epoch as number, ...address, settings: marks };
}

function octetsOf(value: unknown): Uint8Array | undefined {
  const octets = typeof value === 'string' ? Buffer.from(value, 'base64url') : undefined;
  return octets?.length === secretOctets ? octets : undefined;
}

function base64(octets: Uint8Array): string {
  return Buffer.from(octets).toString('base64url');
}
