import { statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { connectToEach, startWithWorkers } from './crew.ts';

const mib = 2 ** 20;
const boundMib = 1;
const changes = 120;
const octetsEach = 60_000;

test('the log stays short while all threads read and write without a rest', async (t) => {
  await using atrium = await startWithWorkers(2, { settings: { STS_PERSISTENCE_WAL_MIB: String(boundMib) } });
  const connected = await connectToEach(atrium, 3, 2);
  const wal = join(atrium.dataDir, 'directory.sqlite-wal');
  const dnOf = (at: number) => `uid=w${at},ou=people,${atrium.suffix}`;
  const pair = (description: string, ...values: string[]) => ({ description, values: values.map(utf8) });
  let largest = 0;
  let reading = true;
  let reads = 0;

  const read = async (at: number): Promise<void> => {
    const search: Request = {
      ...{ kind: 'searchRequest', baseObject: atrium.suffix, scope: 'sub', derefAliases: 'never', sizeLimit: 0, timeLimitS: 0 },
      ...{ typesOnly: false, filter: { kind: 'present', description: 'uid' }, attributes: ['uid'] },
    };
    while (reading) {
      await connected[at]?.lane.send(search).answer;
      reads++;
    }
  };
  const write = async (at: number): Promise<void> => {
    const lane = connected[at]?.lane;
    const classes = pair('objectClass', 'inetOrgPerson');
    const add: Request = {
      kind: 'addRequest',
      entry: dnOf(at),
      attributes: [classes, pair('uid', `w${at}`), pair('cn', 'w'), pair('sn', 'w')],
    };
    t.is((await lane?.send(add).answer)?.code, 0);
    for (let count = 0; count < changes; count++) {
      const description = pair('description', `${count}`.padEnd(octetsEach, 'x'));
      const replace: Request = { kind: 'modifyRequest', object: dnOf(at), changes: [{ operation: 'replace', attribute: description }] };
      t.is((await lane?.send(replace).answer)?.code, 0);
      largest = Math.max(largest, statSync(wal).size);
    }
  };
  const all = connected.map((_, at) => at);
  const readers = all.filter((at) => at % 2 === 0).map(read);
  await Promise.all(all.filter((at) => at % 2 === 1).map(write));
  reading = false;
  await Promise.all(readers);
  for (const { lane } of connected) lane.close();
  t.true(reads > changes, `${reads} searches`);
  t.true(3 * changes * octetsEach > 20 * boundMib * mib, 'many times the bound was written');
  t.true(largest < 6 * boundMib * mib, `the log had ${(largest / mib).toFixed(1)} MiB`);
  t.log(`the log had ${(largest / mib).toFixed(1)} MiB at most`);
  t.notRegex(atrium.log(), /STS-STORE-9007/);
});
