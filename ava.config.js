import { join } from 'node:path';
import { mendReporter } from './test/gate/ava-errors.ts';

mendReporter();

/** The folders of the longest files, which come first: one of them that began last would run beside idle cores. */
const longest = /test\/(authorization|bulk|torture)\//;

export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  timeout: '120s',
  // A process for each file: in one process of them all, which grows beyond a gibibyte, each fork for a client's program takes a tenth of a second.
  workerThreads: false,
  sortTestFiles: (one, other) => Number(longest.test(other)) - Number(longest.test(one)) || one.localeCompare(other),
  // As atrium.mjs does.
  nodeArguments: [`--import=${join(import.meta.dirname, 'src/faces.ts')}`],
};
