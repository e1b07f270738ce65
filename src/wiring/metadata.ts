import { join, resolve } from 'node:path';
import { systemClock } from '#base';
import { describeSettingProblem, readSettings } from '#catalogue';
import type { MetadataAsked, MetadataShown } from '#commands';
import { boundedFetch, createRevocations, installMetadata, judgeMetadata, type MetadataOptions, mdsSource, readSource } from '#factors';
import { settings as rows } from '../settings.ts';
import type { AtriumOptions } from './foundation.ts';
import { metadataFolder } from './locate.ts';

/** For the lists that the signer of a blob names. */
const bounds = { timeoutMs: 5000, octetsMax: 4_194_304 } as const;

/** Judges authenticator metadata by the settings of the service, and installs them if that is asked. */
export async function withMetadata({ root, environment }: AtriumOptions, { file, install }: MetadataAsked): Promise<MetadataShown> {
  const { values, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const folder = join(resolve(root, values['global.dataDir']), metadataFolder);
  const found = await mdsSource(values);
  if (typeof found === 'string') return { kind: 'refused', lines: [found] };
  const source = file === undefined ? found : { ...found, file };
  const octets = await readSource(folder, source);
  if (octets === undefined) return { kind: 'absent' };
  if (typeof octets === 'string') return { kind: 'refused', lines: [octets] };
  const asks = values['webauthn.attestationRevocation'] !== 'off';
  const options: MetadataOptions = { folder, revocationOf: asks ? createRevocations(boundedFetch).of : undefined, bounds };
  const judged = await (install ? installMetadata : judgeMetadata)(options, source, octets, systemClock.nowMs());
  if (judged.kind === 'bad') return { kind: 'refused', lines: [judged.why] };
  const { number, nextUpdate, entries } = judged.index;
  return {
    kind: 'shown',
    number,
    nextUpdate,
    models: entries.length,
    reported: entries.flatMap(({ aaguid, description, reported }) =>
      reported === undefined ? [] : [{ aaguid, description, status: reported }],
    ),
  };
}
