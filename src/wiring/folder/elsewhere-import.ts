import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemChance, utf8 } from '#base';
import { describeSettingProblem, Refusal, readSettings } from '#catalogue';
import type { ConvertedElsewhere, ElsewhereOptions } from '#commands';
import { isImportable, realmRecords, subschemaRecord } from '#directory';
import { configuredDefinitions, convert, createTally, neededDefinitions, survey, type Tally } from '#elsewhere';
import { boundsOf } from '#keys';
import { formatRdn, type LdifContent, parseDn, readLdif } from '#ldap';
import { type Definition, definitionKinds, loadSchema, normalizeDn, readDefinitions, type Schema } from '#schema';
import { entryAt } from '#store';
import { createMapping } from '#transfer';
import { settings as rows } from '../../settings.ts';
import type { AtriumOptions, Settings } from '../foundation.ts';
import { directoryFile, realmSeed, realmsIn, storedIn } from '../installation.ts';
import { schemaFiles } from '../schema-files.ts';

/**
 * Reads the tree of another server as what it is to be in a realm of a folder, beside a running service or without one: all of it that can be carried over.
 *
 * @returns its records, which are converted as they are read, and what became of each value of the source
 */
export async function convertElsewhere(options: AtriumOptions, given: ElsewhereOptions): Promise<ConvertedElsewhere> {
  const { root, environment } = options;
  const { values: settings, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const tally = createTally();
  try {
    const files = schemaFiles({ root, settings });
    const stored = storedIn({ root, settings });
    const own = loadSchema(files, stored);
    const realm = realmsIn({ root, settings }, own).byId(given.to);
    if (realm === undefined) return { kind: 'absent' };
    const suffix = realm.suffix.text;
    const seed = await realmRecords({ realm, settings, chance: options.chance ?? systemChance }, realmSeed(root));
    const contents = seed.records.filter((record): record is LdifContent => record.kind === 'content');
    const surveyed = await survey(own, given.open(), new Set(contents.map(({ dn }) => formatRdn(parseDn(dn)?.[0] ?? []).toLowerCase())));

    if (surveyed.suffix === '')
      return { kind: 'refused', lines: ['the entries of the file have no suffix in common: bring one database after the other'] };
    const definitions = await brought(own, given, surveyed, tally, stored.length > 0 && !given.takesDefinitions);
    const schema = loadSchema(files, [...stored, ...definitions]);
    const mapping = createMapping(schema, surveyed.suffix, suffix);
    const isThere = presence(schema, root, settings);
    const isNew = !isThere(suffix);
    const ground = {
      schema,
      isImportable,
      bounds: boundsOf({ costMaxMiB: settings['keys.hashCostMaxMiB'], foreignRoundsMax: settings['keys.foreignRoundsMax'] }),
      suffix,
      frame: isNew ? contents : [],
      administrator: realm.administrator.text,
      map: (entry: LdifContent): LdifContent => ({ ...entry, ...named(mapping.entry({ ...entry, key: nobody })) }),
      isThere: (dn: string) => isThere(mapping.entry({ line: 0, dn, key: nobody, attributes: [] }).dn),
    };
    return {
      kind: 'converted',
      definitions: definitions.length === 0 ? undefined : subschemaOf(definitions),
      records: convert(ground, given.from, surveyed, given.open(), tally),
      password: isNew ? seed.password : undefined,
      from: surveyed.suffix,
      to: suffix,
      summary: () => tally.summary(),
    };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}

const nobody = new Uint8Array(0);

function named({ dn, attributes }: Pick<LdifContent, 'dn' | 'attributes'>): Pick<LdifContent, 'dn' | 'attributes'> {
  return { dn, attributes };
}

/** The definitions that the tree needs and its own schema files have. */
async function brought(
  own: Schema,
  { schemas }: ElsewhereOptions,
  surveyed: Awaited<ReturnType<typeof survey>>,
  tally: Tally,
  isOccupied: boolean,
): Promise<Definition[]> {
  const given: Definition[] = [];
  for (const file of schemas) {
    const records = () => readLdif([utf8(file.text)], schemaLimits);
    given.push(...(/\.schema$/i.test(file.name) ? readDefinitions(file) : await configuredDefinitions(file.name, records(), tally)));
  }
  const needed = neededDefinitions(own, given, surveyed, tally);
  if (!isOccupied) return needed;
  // A directory has one entry of definitions, which an import does not change.
  for (const { file, line, text } of needed) tally.note('definition', text, 0, { line, dn: file });
  return [];
}

/** A schema file is held in memory as a whole. */
const schemaLimits = { lineOctetsMax: 16_777_216, recordOctetsMax: 67_108_864, valuesMax: 100_000, looseNames: true };

function subschemaOf(definitions: readonly Definition[]): LdifContent {
  const attributes = definitionKinds
    .map(({ keyword, attribute }) => ({
      description: attribute,
      values: definitions.filter((each) => each.keyword === keyword).map(({ text }) => utf8(text)),
    }))
    .filter(({ values }) => values.length > 0);
  return subschemaRecord([{ description: 'subtreeSpecification', values: [utf8('{ }')] }, ...attributes], false);
}

/** Whether the folder's file has an entry of a name. */
function presence(schema: Schema, root: string, settings: Settings): (dn: string) => boolean {
  const path = join(resolve(root, settings['global.dataDir']), directoryFile);
  if (settings['persistence.mode'] === 'memory' || !existsSync(path)) return () => false;
  const known = new Map<string, boolean>();
  return (dn) => {
    let isThere = known.get(dn);
    if (isThere === undefined) {
      const parsed = parseDn(dn);
      const key = parsed && normalizeDn(schema, parsed);
      isThere = key !== undefined && entryAt(path, key) !== undefined;
      if (known.size < knownMax) known.set(dn, isThere);
    }
    return isThere;
  };
}

const knownMax = 10_000;
