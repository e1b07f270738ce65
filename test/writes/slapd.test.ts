import test from 'ava';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { findProgram, withPrograms } from '../support/programs.ts';
import { type Answered, connect, startSlapd } from './servers.ts';
import { admin, content, people, readBase, rows } from './table.ts';

const password = 'Correct-horse-7-battery';

function portOf({ addresses }: TestAtrium): number {
  return Number(new URL(addresses.ldap ?? '').port);
}

withPrograms(test, 'slapd')('every write is answered as Debian’s slapd answers it, but for what is listed with its reason', async (t) => {
  await using atrium = await startTestAtrium();
  const reference = await startSlapd(findProgram('slapd') ?? '', admin, password, content);
  const [ours, theirs] = [await connect(portOf(atrium)), await connect(reference.port)];
  t.teardown(async () => {
    ours.close();
    theirs.close();
    await reference.stop();
  });
  t.deepEqual([await ours.bind(atrium.adminDn, atrium.adminPassword), await theirs.bind(admin, password)], [0, 0]);
  for (const { dn, attributes } of content) {
    const { code } = await ours.ask({ kind: 'addRequest', entry: dn, attributes });
    t.true(code === 0 || code === 68, dn);
  }
  for (const { title, op, controls = [], differs, ownWords } of rows) {
    const [own, other] = [await ours.ask(op, controls), await theirs.ask(op, controls)];
    const wanted = differs === undefined ? other : { ...other, ...differs };
    t.deepEqual([own.code, own.matchedDN], [wanted.code, wanted.matchedDN], `${title}: ${own.diagnostic}`);
    // A difference that is none any more is to be struck off.
    if (differs !== undefined) t.notDeepEqual([own.code, own.matchedDN], [other.code, other.matchedDN], title);
    if (ownWords === undefined) t.is(own.diagnostic, other.diagnostic, title);
  }
  // What the same requests have made is the same: names as they were given, values in their order.
  const everything = { ...readBase(people), scope: 'children' } as ReturnType<typeof readBase>;
  t.deepEqual(shown(await ours.ask(everything)), shown(await theirs.ask(everything)));
});

/** Entries as text, each attribute with its values in their order. The administrator is each server's own. */
function shown({ before }: Answered): readonly string[] {
  return before
    .flatMap(({ op }) => {
      if (op.kind !== 'searchResultEntry' || op.object === admin) return [];
      const attributes = op.attributes.map(
        ({ description, values }) => `${description}: ${values.map((value) => Buffer.from(value).toString()).join(' | ')}`,
      );
      return [[op.object, ...attributes.sort()].join('\n')];
    })
    .sort();
}
