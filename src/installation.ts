import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSchema, type Schema } from '#schema';

/** The schema of the installation. */
export function schemaOf(root: string): Schema {
  return loadSchema(readTexts(join(root, 'schema'), '.schema'));
}

/** What a realm begins with. */
export function realmSeed(root: string): string {
  return readFileSync(join(root, 'ldif', 'default-realm.ldif'), 'utf8');
}

/** The schema files of the installation, by name, so that every start reads them in the same order. */
function readTexts(folder: string, ending: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}
