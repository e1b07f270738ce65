import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hex } from '#base';
import { readCertificates, sha256 } from '#keys';

/** The newest blob that was accepted under certain roots. */
export interface Seen {
  readonly number: number;
  readonly nextUpdate: string;
  readonly digest: string;
}

/** What is wrong with a blob that comes after another one: neither its number nor its date goes back, and one number is one blob (FIDO Metadata Service 3 §3.2). */
export function faultAfter(seen: Seen | undefined, blob: Seen): string | undefined {
  if (seen === undefined) return undefined;
  if (blob.number < seen.number) return `its number is ${blob.number}, and ${seen.number} was accepted before`;
  if (blob.nextUpdate < seen.nextUpdate) return `the next one was due on ${blob.nextUpdate}, and ${seen.nextUpdate} was accepted before`;
  return blob.number === seen.number && blob.digest !== seen.digest ? `its number ${blob.number} is that of another one` : undefined;
}

/**
 * The number that was accepted under these roots, over restarts.
 *
 * @param folder  of the data folder; made when first something is kept
 */
export async function readSeen(folder: string, roots: string): Promise<Seen | undefined> {
  const found = await readFile(fileOf(folder, roots), 'utf8').catch(() => '');
  const [, number, nextUpdate, digest] = /^(\d{1,15}) (\d{4}-\d\d-\d\d) ([0-9a-f]{64})\n$/.exec(found) ?? [];
  return number === undefined || nextUpdate === undefined || digest === undefined
    ? undefined
    : { number: Number(number), nextUpdate, digest };
}

export async function keepSeen(folder: string, roots: string, { number, nextUpdate, digest }: Seen): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(fileOf(folder, roots), Buffer.from(`${number} ${nextUpdate} ${digest}\n`));
}

/** Puts a file in place of another, whole and on disk, or not at all. */
export async function replaceFile(file: string, content: Uint8Array): Promise<void> {
  const temporary = `${file}.${process.pid}.new`;
  await writeFile(temporary, content, { mode: 0o600, flush: true });
  await rename(temporary, file);
  const folder = await open(join(file, '..'));
  await folder.sync().finally(() => folder.close());
}

/** By the certificates themselves: the same file written otherwise is the same roots. */
function fileOf(folder: string, roots: string): string {
  const certificates = (readCertificates(roots) ?? []).map(({ der }) => hex(sha256(der))).toSorted();
  return join(folder, `${hex(sha256(certificates.join(' '))).slice(0, 32)}.seen`);
}
