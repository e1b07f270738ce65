export { createDirectory } from './directory.ts';
export { type Engine, type EngineOptions, type EngineSettings, openEngine } from './engine.ts';
export { errors as directoryErrors } from './errors.ts';
export { createIndexer, indexVersion } from './indexing.ts';
export { settings as directorySettings } from './settings.ts';
export type { Connection, Directory, Door, Identity, Reply, Strength } from './types.ts';
