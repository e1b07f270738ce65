import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { begin, endOf, updateOf } from '../torture/trees.ts';
import { connectToEach, startWithWorkers } from './crew.ts';

const threads = 3;
const rounds = 25;

test('a transaction is decided by one state of the store, whatever other threads commit meanwhile', async (t) => {
  t.timeout(120_000);
  await using atrium = await startWithWorkers(threads - 1);
  const device = (cn: string): Request => ({
    kind: 'addRequest',
    entry: `cn=${cn},${atrium.suffix}`,
    attributes: [
      { description: 'objectClass', values: [utf8('device')] },
      { description: 'cn', values: [utf8(cn)] },
    ],
  });
  const connected = await connectToEach(atrium, threads, 2);
  const codes = new Set<number | undefined>();
  let going = threads;
  await Promise.all(
    connected.map(async ({ lane }, at) => {
      if (at % 2 === 1) {
        for (let each = 0; going > 0; each++) codes.add((await lane.send(device(`alone ${at} ${each}`)).answer)?.code);
        return;
      }
      for (let round = 0; round < rounds; round++) {
        const { value } = (await lane.send(begin).answer) ?? {};
        if (value === undefined) return void t.fail('no transaction');
        for (let each = 0; each < 40; each++) void lane.send(device(`together ${at} ${round} ${each}`), [updateOf(value)]);
        codes.add((await lane.send(endOf(value)).answer)?.code);
      }
      going--;
    }),
  );
  t.deepEqual(codes, new Set([0]));
});
