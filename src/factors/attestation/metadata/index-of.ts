import { hex } from '#base';
import { keyIdentifierOf } from '#keys';
import { aaguidText, type MetadataEntry, type MetadataIndex } from './entry.ts';

/** The entries of a blob, to be asked by model and by certificate. Where two say the same name, the first counts, and a compromise of either. */
export function indexOf(blob: {
  readonly number: number;
  readonly nextUpdate: string;
  readonly entries: readonly MetadataEntry[];
}): MetadataIndex {
  const models = new Map<string, MetadataEntry>();
  const keys = new Map<string, MetadataEntry>();
  for (const entry of blob.entries) {
    if (entry.aaguid !== undefined) keep(models, entry.aaguid, entry);
    for (const identifier of entry.keyIdentifiers) keep(keys, identifier, entry);
  }
  return {
    number: blob.number,
    nextUpdate: blob.nextUpdate,
    entries: blob.entries,
    ofModel: (aaguid) => models.get(aaguidText(aaguid)),
    ofCertificate: (certificate) => keys.get(hex(keyIdentifierOf(certificate))),
  };
}

function keep(map: Map<string, MetadataEntry>, name: string, entry: MetadataEntry): void {
  const known = map.get(name);
  map.set(name, known === undefined ? entry : { ...known, reported: known.reported ?? entry.reported });
}
