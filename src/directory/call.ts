import type { Asker } from './access/asker.ts';
import type { Controls } from './controls/kind.ts';
import type { Engine } from './engine.ts';
import type { Connection, Reply } from './types.ts';

/** One request under way: what its operation needs beside the request itself. */
export interface Call {
  readonly engine: Engine;
  readonly connection: Connection;
  readonly asker: Asker;
  readonly reply: Reply;
  readonly controls: Controls;
  /** Part of a transaction: what it is about may be made by what comes before it. */
  readonly queued?: true;
}
