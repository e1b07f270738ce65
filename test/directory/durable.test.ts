import test from 'ava';
import { createDirectory } from '#directory';
import { emptyHouse, furnishedHouse, person, replySink, searchOf, suffix } from './driver.ts';

/** A disk that confirms only when it is let. */
function slowDisk() {
  const waiting: (() => void)[] = [];
  let slow = false;
  return {
    waiting,
    hold: () => {
      slow = true;
    },
    release: () => {
      slow = false;
      for (const done of waiting.splice(0)) done();
    },
    syncFile: (_: number, done: (error: Error | null) => void) => {
      if (slow) waiting.push(() => done(null));
      else setImmediate(done, null);
    },
  };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('nothing is answered that is not on disk: neither the write, nor a search or a bind that saw it, nor a refusal that rests on it', async (t) => {
  const disk = slowDisk();
  const house = await furnishedHouse(t, { syncFile: disk.syncFile });
  const operator = house.operator();
  const answered: string[] = [];
  const note = (name: string) => (answer: { code: number }) => {
    answered.push(`${name} ${answer.code}`);
  };

  disk.hold();
  const entry = { objectClass: 'organizationalUnit', ou: 'new' };
  const asked = [operator.add(`ou=new,${suffix}`, entry).then(note('add'))];
  await turns(5);
  t.is(disk.waiting.length, 1);
  const sink = replySink();
  const request = { messageId: 1, op: searchOf(suffix, '(ou=new)'), controls: [] };
  const searching = Promise.resolve(createDirectory(house.engine).perform(operator.connection, request, sink.reply));
  asked.push(
    searching.then(() => note('search')(sink.answers())),
    operator.ask({ kind: 'compareRequest', entry: `ou=new,${suffix}`, description: 'ou', value: Buffer.from('new') }).then(note('compare')),
    operator.add(`ou=new,${suffix}`, entry).then(note('add again')),
    house.connect().bind(person('ada'), 'lovelace').then(note('bind')),
  );
  const { hasher } = house.engine;
  while (hasher.load.running > 0) await turns(1);
  await turns(20);
  t.deepEqual(answered, []);
  t.deepEqual(sink.entries, []);

  disk.release();
  await Promise.all(asked);
  t.is(sink.entries.length, 1);
  t.deepEqual([...answered].sort(), ['add 0', 'add again 68', 'bind 0', 'compare 6', 'search 0']);
});

test('a search of what is on disk is answered at once, within its turn', async (t) => {
  const house = emptyHouse(t);
  await house.operator().add(suffix, { objectClass: ['organization', 'dcObject'], o: 'x', dc: 'example' });
  let answered = false;
  const asked = house
    .operator()
    .search(suffix, '(dc=example)')
    .then(({ entries }) => {
      answered = entries.length === 1;
    });
  // Only microtasks: no turn of the event loop.
  for (let task = 0; task < 10; task++) await Promise.resolve();
  t.true(answered);
  await asked;
});
