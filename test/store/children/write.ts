import { utf8 } from '#base';
import type { Change } from '#store';
import { openPlain } from '../open-plain.ts';
import { entry, uuid } from '../support.ts';

/**
 * Writes pairs of entries to the store named by its first argument, four commits at a time, and prints each number that was answered, until it is killed.
 * Commits of more changes than the second says take several turns.
 */
const store = openPlain(process.argv[2] ?? '', { 'persistence.turnChangesMax': Number(process.argv[3]) });

function pair(number: number): Change[] {
  const user = utf8(`cn=${'xyz'.slice(number % 3)};mail=x;uid=${number % 7 === 0 ? 'y' : 'xy'}`);
  const put = (side: number): Change => ({
    kind: 'put',
    entry: entry((number % 4) * 2 + side, ['a', `cn=${(number % 4) * 2 + side}`], { csn: String(number), user, parent: uuid(number % 5) }),
  });
  const changes = [put(0), put(1)];
  // Now and then a pair goes and comes back.
  return number % 11 === 0 ? [...changes, { kind: 'delete', uuid: uuid((number % 4) * 2), csn: 'd' }, put(0)] : changes;
}

for (let number = store.snapshot().number + 1; ; number += 4) {
  const results = await Promise.all([0, 1, 2, 3].map((at) => store.commit([], pair(number + at))));
  for (const result of results) process.stdout.write(result.kind === 'committed' ? `answered ${result.number}\n` : 'conflict\n');
}
