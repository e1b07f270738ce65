import { join } from 'node:path';
import { mendReporter } from './test/gate/ava-errors.ts';

mendReporter();

export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  timeout: '120s',
  // A process for each file: in one process of them all, which grows beyond a gibibyte, each fork for a client's program takes a tenth of a second.
  workerThreads: false,
  // As atrium.mjs does.
  nodeArguments: [`--import=${join(import.meta.dirname, 'src/faces.ts')}`],
};
