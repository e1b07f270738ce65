export { type Bootstrapped, bootstrap, realmRecords } from './bootstrap.ts';
export { type CredentialChange, watchCredentials } from './credential-changes.ts';
export { createCsnSource, csnToCome, generalizedTime } from './csn.ts';
export {
  createDesks,
  type Desks,
  type DesksToCome,
  type LinkAsked,
  type LinkDesk,
  type LinkIssued,
  type MailDesk,
  type MailShown,
} from './desks.ts';
export { createDirectory } from './directory.ts';
export {
  type BoundAs,
  type CountConnections,
  type Engine,
  type EngineOptions,
  type EngineSettings,
  type MailTextFault,
  newestEngine,
  openEngine,
  type SchemaChange,
} from './engine.ts';
export { errors as directoryErrors } from './errors.ts';
export { createJudge, judgeLogged } from './examine.ts';
export { type Explanation, explain } from './explain.ts';
export { type ExportOptions, exportEntries } from './export.ts';
export { createLiveGoverns } from './governing.ts';
export { changeRecords } from './history.ts';
export { type ImportDesk, type ImportOptions, importEntries, isImportable } from './import/import.ts';
export { importLive, liveDesk } from './import/live.ts';
export { createIndexer, createLiveIndexer, indexVersion } from './indexing.ts';
export { jobs as directoryJobs } from './jobs.ts';
export { createLargeRules, createLiveLargeRules } from './large.ts';
export { watchAppPasswords } from './life/app-password-ends.ts';
export { type Life, openLife } from './life/life.ts';
export { purgeTombstones } from './life/purge.ts';
export { deletedUuid, isDeleted, type LifeEvent } from './life/told.ts';
export type { Lines } from './lines.ts';
export { countPasswords } from './password-count.ts';
export { defaultRealm, subschemaDn } from './realm.ts';
export { type RealmSeed, readRealmSeed } from './realm-entries/frame.ts';
export { removeRealms } from './realm-entries/removal.ts';
export { type StoredSettings, serviceSettingsOf } from './realm-entries/service.ts';
export { type Realms, realmsAmong, registryOf, rulesOf, serviceTexts } from './realms.ts';
export { ownOperational } from './record.ts';
export { createResealing } from './reseal.ts';
export { settings as directorySettings } from './settings.ts';
export { csnOfChange, stamped } from './stamped.ts';
export { changeSchema, type SchemaDesk } from './subschema/change.ts';
export { createGenerationBuffer, createLiveSchema, followSchema, type LiveSchema, type OwnSchema } from './subschema/live.ts';
export { attributesWith, definitionsIn, storedDefinitions, subschemaKey, subschemaName, subschemaRecord } from './subschema/stored.ts';
export { sweepDynamic } from './sweep.ts';
export { isTaskFile } from './tasks/check.ts';
export { type Along, openTaskList, type Task, type TaskList, type TaskProgress, type TaskState, type TaskUpdated } from './tasks/list.ts';
export type { Connection, Directory, Door, Identity, Reply, Strength } from './types.ts';
