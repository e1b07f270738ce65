import type { SettingValues } from '#catalogue';
import type { Fetch } from '../fetch.ts';
import type { settings as rows } from '../settings.ts';
import { installMetadata, type MetadataOptions } from './metadata.ts';
import { mdsSource } from './source.ts';

/** A real blob has some 8 MB; whoever needs longer is not there. */
const timeoutMs = 120_000;

type Needed = Pick<SettingValues<typeof rows>, 'risk.mdsUrl' | 'risk.mdsFile' | 'risk.mdsRootFile' | 'risk.mdsOctetsMax'>;

/**
 * Downloads the metadata of `risk.mdsUrl`, and installs them when they can be taken: the job `factors.metadata`.
 *
 * @returns what was done, in a sentence
 * @throws for whatever keeps them from being taken; those that are installed stay
 */
export async function refreshMetadata(options: MetadataOptions, settings: Needed, fetch: Fetch, nowMs: number): Promise<string> {
  const address = settings['risk.mdsUrl'];
  if (address === '') return 'risk.mdsUrl names no metadata to download';
  const source = await mdsSource({ ...settings, 'risk.mdsFile': '' });
  if (typeof source === 'string') throw new Error(source);
  const octets = await fetch(address, { timeoutMs, octetsMax: source.octetsMax, redirects: true });
  const installed = await installMetadata(options, source, octets, nowMs);
  if (installed.kind === 'bad') throw new Error(`the metadata of ${address} were not taken: ${installed.why}`);
  const { number, nextUpdate } = installed.index;
  return `metadata ${number} of ${address} are installed; the next ones are due on ${nextUpdate}`;
}
