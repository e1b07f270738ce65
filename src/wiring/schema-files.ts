import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSettings, refuse } from '#catalogue';
import { type SchemaText, schemaErrors } from '#schema';
import { settings as rows } from '../settings.ts';
import type { AtriumOptions, Settings } from './foundation.ts';

/** The folder of an installation, and the settings that say where its data is. */
export interface Place {
  readonly root: string;
  readonly settings: Pick<Settings, 'global.dataDir' | 'schema.folder' | 'persistence.mode'>;
}

/** The folder of an operator's own schema files inside the data folder, where there is one and the settings name no other. */
const ownFolder = 'schema';

/**
 * The schema files: the installation's and behind them the operator's own.
 *
 * @throws Refusal schemaInvalid for a folder that the settings name and that is not there
 */
export function schemaFiles({ root, settings }: Place): SchemaText[] {
  const dataDir = resolve(root, settings['global.dataDir']);
  const named = settings['schema.folder'];
  const folder = named === '' ? join(dataDir, ownFolder) : resolve(dataDir, named);
  if (named !== '' && !existsSync(folder))
    throw refuse(schemaErrors.schemaInvalid, { file: folder, line: 0, why: 'there is no such folder' });
  return [...readTexts(join(root, 'schema'), /\.schema$/), ...(existsSync(folder) ? readTexts(folder, /\.(schema|ldif)$/i) : [])];
}

/** The same for whoever has not read the settings. */
export function schemaFilesOf({ root, environment }: AtriumOptions): SchemaText[] {
  return schemaFiles({ root, settings: readSettings(rows, { environment }).values });
}

/** The schema files of a folder, by name, so that every start reads them in the same order. */
function readTexts(folder: string, named: RegExp): SchemaText[] {
  return readdirSync(folder)
    .filter((name) => named.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}
