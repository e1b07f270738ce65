import { PassThrough } from 'node:stream';
import test from 'ava';
import { mendReporter } from './ava-errors.ts';
import { readTap } from './tap.ts';

test('a test that does not end, and one that ends the process, are failed tests and not the end of the run', (t) => {
  const TapReporter = mendReporter();
  const stream = new PassThrough({ encoding: 'utf8' });
  const reporter = new TapReporter({ extensions: ['ts'], projectDir: '/', reportStream: stream, stdStream: stream });
  const pendingTests = new Map([['/some.test.ts', new Set(['it waits', 'it waits, too'])]]);
  reporter.consumeStateChange({ type: 'timeout', period: 1000, pendingTests });
  reporter.consumeStateChange({ type: 'process-exit', testFile: '/some.test.ts', stack: 'Error: at exit', pendingTests });
  const told: string[] = [];
  const tap = readTap((title) => told.push(title));
  tap.push(String(stream.read()));
  t.is(tap.end().failed, 4);
  t.deepEqual(told, ['it waits', 'it waits, too', 'it waits', 'it waits, too']);
});
