import { tmpdir } from 'node:os';
import avaTest from 'ava';
import fc from 'fast-check';
import { text, utf8 } from '#base';
import { formatLdifRecord, type PartialAttribute, readLdif } from '#ldap';
import { canonicalAttributes, differences, type NamedEntry, namedEntry, sorted } from '#transfer';
import { startTestAtrium } from '../support/atrium.ts';
import { type LdapUtilsTarget, runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { findProgram } from '../support/programs.ts';
import { readTestSchema } from '../support/schema.ts';
import { startSlapd } from '../support/slapd.ts';

const test = findProgram('slapd') === undefined ? avaTest.skip : withLdapUtils(avaTest);
const schema = readTestSchema();
const suffix = 'dc=example,dc=com';
const base = `ou=lab,${suffix}`;

/** A node of a tree that changes: its identity stays while its name and place move. */
interface Node {
  readonly id: number;
  kind: 'unit' | 'device' | 'person' | 'group';
  name: string;
  above: number;
  texts: string[];
  members: number[];
}
type Tree = Map<number, Node>;

const rdnType = { unit: 'ou', device: 'cn', person: 'uid', group: 'cn' } as const;

function dnOf(tree: Tree, id: number): string {
  const node = tree.get(id);
  return node === undefined ? base : `${rdnType[node.kind]}=${node.name},${dnOf(tree, node.above)}`;
}

function attributesOf(tree: Tree, { kind, name, texts, members }: Node): Record<string, string[]> {
  const description = texts.length > 0 ? { description: texts } : {};
  switch (kind) {
    case 'unit':
      return { objectClass: ['top', 'organizationalUnit'], ou: [name], ...description };
    case 'device':
      return { objectClass: ['top', 'device'], cn: [name], ...description };
    case 'person':
      return {
        objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
        uid: [name],
        cn: [name],
        sn: ['x'],
        ...description,
      };
    case 'group':
      return {
        objectClass: ['top', 'groupOfNames'],
        cn: [name],
        member: members.length === 0 ? [base] : members.map((id) => dnOf(tree, id)),
        ...description,
      };
  }
}

/** The tree as entries, with the identity of each as its entryUUID. */
function entriesOf(tree: Tree): NamedEntry[] {
  const root = { dn: base, id: 0, own: { objectClass: ['top', 'organizationalUnit'], ou: ['lab'] } as Record<string, string[]> };
  const all = [root, ...[...tree.values()].map((node) => ({ dn: dnOf(tree, node.id), id: node.id, own: attributesOf(tree, node) }))];
  return all.map(({ dn, id, own }) => {
    const uuid = `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
    const attributes = Object.entries({ ...own, entryUUID: [uuid] }).map(([description, values]) => ({
      description,
      values: [...new Set(values)].map(utf8),
    }));
    return namedEntry(schema, { kind: 'content', line: 0, dn, attributes });
  });
}

/** What a client can say of it: each entry on a line, in one order. */
function shown(entries: readonly { readonly dn: string; readonly attributes: readonly PartialAttribute[] }[]): string[] {
  const isUser = ({ usage }: { readonly usage: string }) => usage === 'userApplications';
  return entries
    .map(({ dn, attributes }) => {
      const own = canonicalAttributes(schema, attributes, isUser).map(
        ({ description, values }) => `${description}=${values.map((value) => text(value)).join('|')}`,
      );
      return `${dn} ${own.join(' ')}`;
    })
    .sort();
}

type Step = readonly [operation: number, which: number, other: number];
const steps = fc.array(fc.tuple(fc.nat(9), fc.nat(1000), fc.nat(1000)), { minLength: 1, maxLength: 14 });

let counter = 0;

/** Another tree, by some steps of change. */
function changed(tree: Tree, how: readonly Step[]): Tree {
  const next: Tree = new Map([...tree].map(([id, node]) => [id, { ...node, texts: [...node.texts], members: [...node.members] }]));
  const pick = (which: number, kinds: readonly Node['kind'][]) => {
    const some = [...next.values()].filter(({ kind }) => kinds.includes(kind));
    return some.length === 0 ? undefined : some[which % some.length];
  };
  const isBelow = (id: number, top: number): boolean => id === top || (next.has(id) && isBelow((next.get(id) as Node).above, top));
  for (const [operation, which, other] of how) {
    const node = pick(which, ['unit', 'device', 'person', 'group']);
    const unit = pick(other, ['unit']);
    if (operation <= 2 || node === undefined) {
      const id = ++counter;
      const kind = (['unit', 'device', 'person', 'group'] as const)[which % 4] as Node['kind'];
      next.set(id, { id, kind, name: `n${id}`, above: unit?.id ?? 0, texts: other % 2 === 0 ? [] : [`text ${other}`], members: [] });
    } else if (operation === 3) {
      for (const each of [...next.keys()]) if (isBelow(each, node.id)) next.delete(each);
    } else if (operation === 4) node.name = `n${++counter}`;
    else if (operation === 5) node.above = unit !== undefined && !isBelow(unit.id, node.id) ? unit.id : 0;
    else if (operation === 6) node.texts = other % 3 === 0 ? [] : [`text ${other % 7}`, `Text ${which % 5}, two`];
    else if (operation === 9) node.name = node.name.startsWith('n') ? node.name.toUpperCase() : node.name.toLowerCase();
    else if (operation === 7) {
      const twin = pick(other, ['device']);
      // Names are exchanged among those that no group names.
      if (node.kind === 'device' && twin !== undefined && twin !== node)
        [node.name, node.above, twin.name, twin.above] = [twin.name, twin.above, node.name, node.above];
    } else if (node.kind === 'group')
      node.members = [...next.values()].filter(({ kind, id }) => kind === 'person' && (id + other) % 2 === 0).map(({ id }) => id);
  }
  for (const node of next.values()) node.members = node.members.filter((id) => next.has(id));
  return next;
}

async function* given(entries: readonly NamedEntry[]): AsyncGenerator<NamedEntry> {
  yield* entries;
}

async function changesBetween(one: Tree, other: Tree): Promise<string> {
  const options = { folder: tmpdir(), octetsMax: 2000 };
  const found = differences(schema, sorted(given(entriesOf(one)), options), sorted(given(entriesOf(other)), options), {
    folder: tmpdir(),
    secrets: false,
  });
  let ldif = '';
  for await (const { change } of found) ldif += formatLdifRecord(change);
  return ldif;
}

async function held(target: LdapUtilsTarget): Promise<string[]> {
  const { stdout } = await runLdapTool('ldapsearch', target, ['-LLL', '-o', 'ldif-wrap=no', '-z', 'none', '-b', base, '*']);
  const entries: NamedEntry[] = [];
  for await (const record of readLdif([utf8(stdout)], { lineOctetsMax: 1e6, recordOctetsMax: 1e7, valuesMax: 1e5 }))
    entries.push(namedEntry(schema, record));
  return shown(entries);
}

test('for random pairs of realms A and B, what diff(A, B) prints makes B of A by ldapmodify, on slapd and on Atrium alike', async (t) => {
  t.timeout(300_000);
  const root = `dn: ${suffix}\nobjectClass: top\nobjectClass: domain\ndc: example\n\n`;
  const lab = `dn: ${base}\nobjectClass: top\nobjectClass: organizationalUnit\nou: lab\n\n`;
  await using slapd = await startSlapd({ suffix, content: root + lab });
  await using atrium = await startTestAtrium();
  const own: LdapUtilsTarget = { url: atrium.addresses.ldap as string, dn: atrium.adminDn, password: atrium.adminPassword };
  t.is((await runLdapTool('ldapadd', own, [], lab)).status, 0);
  let tree: Tree = new Map();
  let renames = 0;
  for (const how of fc.sample(steps, { numRuns: 15, seed: 20 })) {
    const next = changed(tree, how as readonly Step[]);
    const changes = await changesBetween(tree, next);
    renames += changes.match(/^changetype: modrdn$/gm)?.length ?? 0;
    for (const target of [slapd.root, own]) {
      const { status, stderr } = changes === '' ? { status: 0, stderr: '' } : await runLdapTool('ldapmodify', target, [], changes);
      t.is(status, 0, `${stderr}\n${changes}`);
      t.deepEqual(await held(target), shown(entriesOf(next)), changes);
    }
    t.is(await changesBetween(next, next), '');
    tree = next;
  }
  t.true(renames > 5, 'there were renames to recognise');
});

avaTest('changes are minimal: one changed value is one deleted and one added, and a renamed subtree is one rename', async (t) => {
  const unit = (name: string, texts: string[]): Tree =>
    new Map([
      [1, { id: 1, kind: 'unit', name, above: 0, texts, members: [] }],
      [2, { id: 2, kind: 'device', name: 'd', above: 1, texts: [], members: [] }],
    ]);
  t.is(
    await changesBetween(unit('a', ['one', 'two', 'three']), unit('a', ['one', 'two', 'four'])),
    `dn: ou=a,${base}\nchangetype: modify\ndelete: description\ndescription: three\n-\nadd: description\ndescription: four\n-\n\n`,
  );
  t.is(await changesBetween(unit('a', []), unit('b', [])), `dn: ou=a,${base}\nchangetype: modrdn\nnewrdn: ou=b\ndeleteoldrdn: 1\n\n`);
});
