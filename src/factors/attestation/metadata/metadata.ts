import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createBoundedMap } from '#base';
import { readCertificate } from '#keys';
import type { Revocation, RevocationBounds, Revocations } from '../revocation.ts';
import type { MetadataIndex } from './entry.ts';
import { indexOf } from './index-of.ts';
import { faultAfter, keepSeen, readSeen, replaceFile, type Seen } from './kept.ts';
import { readBlobBeside } from './read.ts';

/** Where the metadata of a realm come from. */
export interface MetadataSource {
  /** Path of the blob; empty for the one that was installed, if there is one. */
  readonly file: string;
  /** PEM of the roots that are believed. */
  readonly roots: string;
  /** The name that the signer must have. */
  readonly host: string | undefined;
  readonly octetsMax: number;
}

type Loaded =
  | { readonly kind: 'good'; readonly index: MetadataIndex }
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'none' };

/** Blobs in use. One for the service; what is in it is per file and roots, so that realms with the same share it and others do not. */
export interface MetadataStore {
  /**
   * The metadata of a source, read again when the file has changed. One that cannot be used leaves the one before in use.
   *
   * @param fault  told once for each file that cannot be used
   */
  of(source: MetadataSource, nowMs: number, fault: (why: string) => void): Promise<MetadataIndex | undefined>;
}

export interface MetadataOptions {
  /** Where it is kept what was accepted. */
  readonly folder: string;
  /** Asks about the signer's certificates; `undefined` where the network is switched off. */
  readonly revocationOf: ((...asked: Parameters<Revocations['of']>) => Promise<Revocation>) | undefined;
  readonly bounds: RevocationBounds;
}

/** The blob that `atrium metadata` installs. */
const installedName = 'blob.jwt';
/** Sources that are kept. */
const sourcesMax = 64;

interface Known {
  readonly version: string;
  readonly index: MetadataIndex | undefined;
}

export function createMetadataStore(options: MetadataOptions): MetadataStore {
  const kept = createBoundedMap<string, Known>(sourcesMax);
  const loading = new Map<string, Promise<Known>>();

  async function load(source: MetadataSource, version: string, before: Known | undefined, nowMs: number, fault: (why: string) => void) {
    const loaded = await loadMetadata(options, source, nowMs);
    if (loaded.kind === 'bad') fault(loaded.why);
    return { version, index: loaded.kind === 'good' ? loaded.index : before?.index };
  }

  return {
    async of(source, nowMs, fault) {
      const version = (await versionOf(pathOf(options.folder, source))) ?? '';
      const key = JSON.stringify([source.file, source.roots, source.host]);
      const known = kept.get(key);
      if (known?.version === version || (version === '' && source.file === '')) return known?.index;
      const name = `${key} ${version}`;
      const running = loading.get(name) ?? load(source, version, known, nowMs, fault).finally(() => loading.delete(name));
      loading.set(name, running);
      const now = await running;
      kept.set(key, now);
      return now.index;
    },
  };
}

/**
 * Reads a blob, judges it, and remembers that it was accepted.
 *
 * @returns `none` when no blob is installed and none is named
 */
async function loadMetadata(options: MetadataOptions, source: MetadataSource, nowMs: number): Promise<Loaded> {
  const octets = await readSource(options.folder, source);
  if (octets === undefined) return { kind: 'none' };
  if (typeof octets === 'string') return { kind: 'bad', why: octets };
  return await acceptMetadata(options, source, octets, nowMs);
}

/** The same with a blob that is at hand. */
async function acceptMetadata(options: MetadataOptions, source: MetadataSource, octets: Uint8Array, nowMs: number): Promise<Loaded> {
  const judged = await judgeMetadata(options, source, octets, nowMs);
  if (judged.kind === 'good' && judged.isNew) await keepSeen(options.folder, source.roots, judged.seen);
  return judged;
}

export type Judged =
  | { readonly kind: 'good'; readonly index: MetadataIndex; readonly seen: Seen; readonly isNew: boolean }
  | { readonly kind: 'bad'; readonly why: string };

/** Judges a blob by its signature and by what was accepted before, and writes nothing. */
export async function judgeMetadata(options: MetadataOptions, source: MetadataSource, octets: Uint8Array, nowMs: number): Promise<Judged> {
  if (octets.length > source.octetsMax) return { kind: 'bad', why: `it has more than ${source.octetsMax} octets` };
  const blob = await readBlobBeside({ octets, roots: source.roots, host: source.host, nowMs });
  if (blob.kind === 'bad') return blob;
  const path = blob.path.flatMap((der) => readCertificate(der) ?? []);
  const revocation = await options.revocationOf?.(path, options.bounds, nowMs);
  // Whoever signs it is asked about where that is possible; nobody's being there to answer does not take the metadata away.
  if (revocation?.kind === 'revoked') return { kind: 'bad', why: 'a certificate of its signer is revoked' };
  const before = await readSeen(options.folder, source.roots);
  const { number, nextUpdate, digest } = blob;
  const seen = { number, nextUpdate, digest };
  const why = faultAfter(before, seen);
  return why === undefined ? { kind: 'good', index: indexOf(blob), seen, isNew: before?.digest !== digest } : { kind: 'bad', why };
}

/**
 * Installs a blob: from then on it is what realms go by that name no file of their own.
 *
 * @returns what became of it; one that is not taken leaves the one before in its place
 */
export async function installMetadata(
  options: MetadataOptions,
  source: MetadataSource,
  octets: Uint8Array,
  nowMs: number,
): Promise<Judged> {
  const judged = await judgeMetadata(options, source, octets, nowMs);
  if (judged.kind === 'bad') return judged;
  await keepSeen(options.folder, source.roots, judged.seen);
  await replaceFile(join(options.folder, installedName), octets);
  return judged;
}

function pathOf(folder: string, { file }: MetadataSource): string {
  return file === '' ? join(folder, installedName) : file;
}

/** What changes when a file does; `undefined` when there is none. */
async function versionOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** The octets of the file that a source names, or words for why there are none; `undefined` when nothing is installed. */
export async function readSource(folder: string, source: MetadataSource): Promise<Uint8Array | string | undefined> {
  return await readFileWithin(pathOf(folder, source), source.octetsMax).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' && source.file === '' ? undefined : error.message,
  );
}

async function readFileWithin(path: string, octetsMax: number): Promise<Uint8Array | string> {
  const file = await open(path);
  try {
    const found = await file.stat();
    if (!found.isFile()) return 'it is no file';
    return found.size > octetsMax ? `it has ${found.size} octets, and ${octetsMax} are allowed` : await file.readFile();
  } finally {
    await file.close();
  }
}
