import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { equalBytes } from '#base';
import { createLiveSettings, type GivenOrigins, Refusal } from '#catalogue';
import {
  defaultRealm,
  type Realms,
  readRealmSeed,
  realmsAmong,
  registryOf,
  rulesOf,
  serviceSettingsOf,
  serviceTexts,
  storedDefinitions,
  subschemaKey,
} from '#directory';
import { decodeAttributes } from '#ldap';
import { type Definition, keysBelow, loadSchema, type Schema, schemaErrors } from '#schema';
import { entriesBetween, entryAt } from '#store';
import { settings as rows } from '../settings.ts';
import type { Settings } from './foundation.ts';
import { storedSettings } from './live-settings.ts';
import { type Place, schemaFiles } from './schema-files.ts';

const require = createRequire(import.meta.url);

/** The file of entries inside the data folder. */
export const directoryFile = 'directory.sqlite';

/** The file of short-lived state beside it. */
export const stateFile = 'state.sqlite';

/** The definitions that were added at run time, as the file of entries has them; no service of this process may have it open. */
export function storedIn({ root, settings }: Place): Definition[] {
  if (settings['persistence.mode'] === 'memory') return [];
  return storedDefinitions(entryAt(join(resolve(root, settings['global.dataDir']), directoryFile), subschemaKey));
}

/** The schema of a data folder. */
export function schemaOf(place: Place): Schema {
  return loadSchema(schemaFiles(place), storedIn(place));
}

/** The same for whoever looks for damage: of a file that cannot be read, the definitions in it are what is missed last. */
export function schemaOfDamaged(place: Place): Schema {
  try {
    return schemaOf(place);
  } catch (error) {
    if (!(error instanceof Refusal) || error.row.code === schemaErrors.schemaInvalid.code) throw error;
    return loadSchema(schemaFiles(place));
  }
}

/** The realms of a folder, whoever has it open. */
export function realmsIn(ground: Ground, schema: Schema): Realms {
  return realmsAmong(schema, ground.settings, rows, realmEntries(ground, schema));
}

/** The same for whoever looks for damage: an entry that cannot be decoded makes no realm. */
export function realmsOfDamaged(ground: Ground, schema: Schema): Realms {
  return realmsAmong(schema, ground.settings, rows, realmEntries(ground, schema).filter(isDecodable));
}

interface Ground {
  readonly root: string;
  readonly settings: Settings;
}

function realmEntries({ root, settings }: Ground, schema: Schema) {
  const { key } = registryOf({ schema, default: defaultRealm(schema, settings) });
  return entriesOf(join(resolve(root, settings['global.dataDir']), directoryFile), keysBelow(key));
}

/**
 * The settings that a service of a folder would have, for whoever looks for damage: those given, and what stands in the entry of its settings, whoever has
 * it open.
 */
export function settingsOfDamaged(given: Ground & { readonly origins: GivenOrigins }, schema: Schema): Settings {
  const { root, settings, origins } = given;
  const live = createLiveSettings(settings, origins);
  const { key } = serviceSettingsOf(schema, defaultRealm(schema, settings));
  const path = join(resolve(root, settings['global.dataDir']), directoryFile);
  const entry = entriesOf(path, { from: key, before: keysBelow(key).from }).find(
    (each) => equalBytes(each.dnKey, key) && isDecodable(each),
  );
  storedSettings(live).take(entry === undefined ? [] : serviceTexts(schema, entry.user));
  return live.values;
}

/** Of a file that cannot be read, realms are what is missed last. */
function entriesOf(path: string, range: ReturnType<typeof keysBelow>) {
  try {
    return entriesBetween(path, range, realmsMax);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function isDecodable({ user }: { readonly user: Uint8Array }): boolean {
  try {
    decodeAttributes(user);
    return true;
  } catch {
    // Octets that no encoder of ours wrote are what is looked for.
    return false;
  }
}

/** By what an import into a folder makes realms. */
export async function makingIn({ root, settings }: Ground, schema: Schema) {
  const rules = rulesOf({ schema, settings, rows, segments: pathSegments, default: defaultRealm(schema, settings) });
  return { rules, seed: await readRealmSeed(realmSeed(root)) };
}

let segments: ReadonlySet<string> | undefined;

/**
 * With what paths of the service begin: those of all routes, and `/realm/<id>`. Routes stand in all rooms, and most commands on a folder make no realm:
 * they are loaded when this is first asked.
 */
export function pathSegments(): ReadonlySet<string> {
  segments ??= readSegments();
  return segments;
}

function readSegments(): ReadonlySet<string> {
  const { routeTables } = require('../tables.ts') as typeof import('../tables.ts');
  const all = Object.values(routeTables).flatMap((table) => Object.values(table).map(({ path }) => path.split('/')[1] ?? ''));
  return new Set([...all, 'realm'].filter((segment) => segment !== ''));
}

/** More are never made (`realms.max`). */
const realmsMax = 100_000;

/** What a realm begins with. */
export function realmSeed(root: string): string {
  return readFileSync(join(root, 'ldif', 'default-realm.ldif'), 'utf8');
}
