import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { equalBytes, systemChance, systemClock } from '#base';
import { describeSettingProblem, Refusal, readSettings } from '#catalogue';
import type { Imported, ImportFolderOptions } from '#commands';
import {
  createCsnSource,
  createIndexer,
  createLargeRules,
  definitionsIn,
  importEntries,
  indexVersion,
  realmRecords,
  subschemaKey,
} from '#directory';
import { createHasher } from '#keys';
import { type LdifFault, type LdifRecord, parseDn } from '#ldap';
import { faultOfMailText } from '#mail';
import { loadSchema, normalizeDn, type Schema } from '#schema';
import { type Load, load, tryLoad } from '#store';
import { canMail, settings as rows } from '../../settings.ts';
import { begin } from '../begin.ts';
import type { AtriumOptions, Settings } from '../foundation.ts';
import { directoryFile, makingIn, realmSeed, realmsIn, storedIn } from '../installation.ts';
import { type Place, schemaFiles } from '../schema-files.ts';
import { sealerOf } from '../sealing.ts';

/** Imports into a folder that no service has open: all of the records, or none. */
export async function importFolder(options: AtriumOptions, given: ImportFolderOptions): Promise<Imported> {
  const begun = await begin(options, async (foundation): Promise<Imported> => {
    const { settings, dataDir, audit } = foundation;
    if (settings['persistence.mode'] === 'memory')
      return { kind: 'refused', lines: ['nothing can be imported while persistence.mode is memory: no folder would keep it'] };
    const { definitions, schema, head, all } = await beginning(foundation, given.records);
    const target = {
      path: join(dataDir, directoryFile),
      settings,
      indexer: createIndexer(schema),
      large: createLargeRules(schema),
      indexVersion,
      startBuilder: () => new Worker(new URL('./build-thread.ts', import.meta.url), { workerData: definitions }),
    };
    const imported = await load(target, (loading) => fill({ ...foundation, schema, head }, loading, { ...given, records: all }));
    const summary = `imported ${imported.entries} entries`;
    audit.record({
      realm: 'default',
      door: 'service',
      subject: '',
      correlationId: '',
      address: '',
      action: 'directory.import',
      outcome: 'success',
      summary,
    });
    return { kind: 'imported', ...imported };
  });
  if (begun.kind === 'refused') return begun;
  await begun.open.disposeAsync();
  return begun.made;
}

/** Does all that an import does but write, beside a running service or without one. */
export async function tryImport(
  { root, environment, clock = systemClock, chance = systemChance }: AtriumOptions,
  given: ImportFolderOptions,
): Promise<Imported> {
  const { values: settings, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const path = join(resolve(root, settings['global.dataDir']), directoryFile);
  try {
    const { schema, head, all } = await beginning({ root, settings }, given.records);
    // A running service adds definitions to those that it has, and puts no second record of them.
    const ground = { root, settings, clock, chance, schema, head: storedIn({ root, settings }).length > 0 ? [] : head };
    return { kind: 'imported', ...(await tryLoad(path, (loading) => fill(ground, loading, { ...given, records: all }))) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}

interface Ground extends Pick<Required<AtriumOptions>, 'root' | 'clock' | 'chance'> {
  readonly settings: Settings;
  readonly schema: Schema;
  /** What of the records stands in front of the realm: nothing, or the subschema subentry. */
  readonly head: readonly LdifRecord[];
}

/**
 * The schema by which records are imported: that of the folder, and the definitions of the subschema subentry where the records begin with it, as an
 * export does.
 */
async function beginning(place: Place, records: AsyncIterable<LdifRecord | LdifFault>) {
  const definitions = { files: schemaFiles(place), stored: storedIn(place) };
  const schema = loadSchema(definitions.files, definitions.stored);
  const { first, all } = await peek(records);
  if (first?.kind !== 'content' || !isNamed(schema, first.dn, subschemaKey)) return { definitions, schema, head: [], all };
  const rest = all[Symbol.asyncIterator]();
  await rest.next();
  const stored = [...definitions.stored, ...definitionsIn(first.attributes)];
  const others = { [Symbol.asyncIterator]: () => rest };
  return { definitions: { ...definitions, stored }, schema: loadSchema(definitions.files, stored), head: [first], all: others };
}

/** Puts the records, behind those that a realm begins with when there is no realm and the file does not bring one. */
async function fill(ground: Ground, loading: Load, { records, onProgress, onRefused }: ImportFolderOptions) {
  const { root, settings, schema, clock, chance, head } = ground;
  const desk = {
    schema,
    settings,
    clock,
    chance,
    realms: realmsIn(ground, schema),
    making: await makingIn(ground, schema),
    canMail,
    mailTextFault: faultOfMailText,
    hasher: createHasher({
      cores: availableParallelism(),
      queueMax: settings['keys.hashQueueMax'],
      costMaxMiB: settings['keys.hashCostMaxMiB'],
      foreignRoundsMax: settings['keys.foreignRoundsMax'],
      chance,
    }),
    csn: createCsnSource(clock, loading.existing.newestCsn),
    sealer: sealerOf(settings),
  };
  const { first, all } = await peek(records);
  const bringsRealm = first !== undefined && isNamed(schema, first.dn, desk.realms.default.suffix.key);
  const seed =
    loading.existing.empty && !bringsRealm ? await realmRecords({ ...desk, realm: desk.realms.default }, realmSeed(root)) : undefined;
  const before = seed?.records.length ?? 0;
  const { entries } = await importEntries(
    desk,
    head.length === 0 && seed === undefined ? all : behind([...head, ...(seed?.records ?? [])], all),
    loading,
    {
      onProgress: (count) => onProgress(Math.max(0, count - before)),
      ...(onRefused === undefined ? {} : { onRefused: (refusal) => onRefused(refusal.says) }),
    },
  );
  return { entries: entries - before, password: seed?.password };
}

function isNamed(schema: Schema, text: string, key: Uint8Array): boolean {
  const dn = parseDn(text);
  const own = dn && normalizeDn(schema, dn);
  return own !== undefined && equalBytes(own, key);
}

/** Looks at the first record without losing it. */
async function peek(
  records: AsyncIterable<LdifRecord | LdifFault>,
): Promise<{ first: LdifRecord | LdifFault | undefined; all: AsyncIterable<LdifRecord | LdifFault> }> {
  const iterator = records[Symbol.asyncIterator]();
  const head = await iterator.next();
  return {
    first: head.done === true ? undefined : head.value,
    all: behind(head.done === true ? [] : [head.value], { [Symbol.asyncIterator]: () => iterator }),
  };
}

/** Some records and then the others, without a hand in between: a generator would cost each record several turns of the queue of promises. */
function behind(
  first: readonly (LdifRecord | LdifFault)[],
  others: AsyncIterable<LdifRecord | LdifFault>,
): AsyncIterable<LdifRecord | LdifFault> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = others[Symbol.asyncIterator]();
      let at = 0;
      return {
        next: () => {
          const value = first[at++];
          return value === undefined ? iterator.next() : Promise.resolve({ done: false, value });
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
