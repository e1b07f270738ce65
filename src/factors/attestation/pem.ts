import { readFile, stat } from 'node:fs/promises';

const octetsMax = 1_048_576;

/** The text of a file with certificates; `undefined` when it cannot be read, is no file, or has more than a MiB. */
export async function readPem(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= octetsMax ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
