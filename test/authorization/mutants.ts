import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../torture/round.ts';
import { applyPatches, copyOfCode, type Patch } from '../torture/sabotage.ts';

interface Mutant {
  readonly means: string;
  readonly patches: readonly Patch[];
}

const access = 'src/directory/access';

/** Mistakes as somebody might make them in the rules of access and in what asks them. The proof is worth something only if it fails for each. */
export const mutants = {
  'dropped-deny': {
    means: 'rules that deny are passed over',
    patches: [
      patch(
        `${access}/rights.ts`,
        'grants.find(({ rights, attributes }) => rights',
        "grants.find(({ effect, rights, attributes }) => effect === 'allow' && rights",
      ),
    ],
  },
  'wrong-order': {
    means: 'the rule with the largest number is asked first',
    patches: [patch(`${access}/evaluate.ts`, 'a.rule.order - b.rule.order', 'b.rule.order - a.rule.order')],
  },
  'tie-order': {
    means: 'of two rules with one number the last by name is asked first',
    patches: [patch(`${access}/evaluate.ts`, 'Buffer.compare(a.tie, b.tie)', 'Buffer.compare(b.tie, a.tie)')],
  },
  'read-for-search': {
    means: 'a filter looks at what may be read, whether it may be searched or not',
    patches: [
      patch('src/directory/search/guard.ts', 'rights.maySearch(described.type)', '(rights as Rights).mayRead(described.type)'),
      patch('src/directory/search/filter.ts', 'rights.maySearch(type), workOn', 'rights.mayRead(type), workOn'),
    ],
  },
  'unchecked-control': {
    means: 'an assertion looks at what nobody but its writer may search',
    patches: [
      patch(
        'src/directory/controls/assertion.ts',
        'guardedFilter({ engine, asker }, asserted, rights)',
        'guardedFilter({ engine, asker }, asserted, { ...rights, maySearch: () => true })',
      ),
    ],
  },
  'undefined-is-true': {
    means: 'what is Undefined fits the filter of a search',
    patches: [patch('src/directory/search/guard.ts', "{ kind: 'present', description: '' }", "{ kind: 'and', filters: [] }")],
  },
  'app-password-adds': {
    means: 'who came in with an app password adds, deletes and manages as others do',
    patches: [
      patch(
        `${access}/protections.ts`,
        'byAppPassword && appPasswordNever.has(right)',
        'byAppPassword && !appPasswordNever.has(right) && false',
      ),
    ],
  },
  'app-password-writes': {
    means: 'who came in with an app password writes what people sign in with',
    patches: [
      patch(
        `${access}/protections.ts`,
        "byAppPassword && right === 'write' && type !== undefined && isCredential(type)",
        "byAppPassword && right === 'write' && type?.secret === true && !isCredential(type)",
      ),
    ],
  },
  'target-itself': {
    means: 'a rule about what is below an entry is about the entry, too',
    patches: [patch(`${access}/plan.ts`, 'children: (level) => level > 0,', 'children: (level) => level >= 0,')],
  },
  'target-levels': {
    means: 'a rule about what is directly below an entry is about all that is below it',
    patches: [patch(`${access}/plan.ts`, 'one: (level) => level === 1,', 'one: (level) => level > 0,')],
  },
  'not-nested': {
    means: 'the groups of groups are not followed',
    patches: [
      patch(
        `${access}/memberships.ts`,
        'all ??= walk.all(snapshot, dnKey);',
        'all ??= new Map(walk.direct(snapshot, dnKey).map((group) => [group.id, group]));',
      ),
    ],
  },
  'stale-fresh': {
    means: 'a session is fresh for ever',
    patches: [
      patch(
        `${access}/strength.ts`,
        'session !== undefined && nowMs - session.authenticatedMs <= word.seconds * 1000',
        'session !== undefined',
      ),
    ],
  },
  'one-factor': {
    means: 'one factor is as good as two',
    patches: [patch(`${access}/strength.ts`, 'undefined && session.factors >= 2', 'undefined && session.factors >= 1')],
  },
  'network-edge': {
    means: 'of a network only whole octets count',
    patches: [patch('src/base/networks.ts', 'return rest === 0 || ', 'return rest >= 0 || ')],
  },
  unprotected: {
    means: 'a rule for protected connections is for all',
    patches: [
      patch(
        `${access}/networks.ts`,
        'if (isProtected && !secure) return false;',
        'if (isProtected && !secure && address === "") return false;',
      ),
    ],
  },
  'taken-away': {
    means: 'attributes that a rule takes away stay in it',
    patches: [patch(`${access}/attribute-set.ts`, 'isIn(given, type) && !isIn(taken, type)', '(isIn(given, type) || isIn(taken, type))')],
  },
  'filter-of-rule': {
    means: 'a rule with a filter is about entries that do not fit it',
    patches: [
      patch(
        `${access}/book.ts`,
        'testsOf(filter).stored(entry, snapshot)',
        'testsOf(filter).stored(entry, snapshot) || entry !== undefined',
      ),
    ],
  },
  'add-without-write': {
    means: 'a new entry is given what one may not write',
    patches: [
      patch('src/directory/operations/add.ts', '(type) => !rights.mayWrite(type)', '(type) => !rights.mayAdd && !rights.mayWrite(type)'),
    ],
  },
  'tree-unasked': {
    means: 'with an entry goes all that is below it, whether it may be deleted or not',
    patches: [patch('src/directory/operations/delete.ts', 'if (!visible || !mayDelete) throw', 'if (!visible && !mayDelete) throw')],
  },
  'moved-below': {
    means: 'with an entry moves all that is below it, whether it may be moved or not',
    patches: [
      patch(
        'src/directory/operations/modify-dn.ts',
        'if (renamed.goesElsewhere && !mayGo(asker, snapshot, entry, dnKey))',
        'if (renamed.goesElsewhere && dnKey.length === 0)',
      ),
    ],
  },
  'moved-anywhere': {
    means: 'who may delete an entry may move it below any other',
    patches: [
      patch(
        'src/directory/operations/modify-dn.ts',
        'visible && mayDelete && asker.rightsUnder(dnKey, entry, snapshot).mayAdd',
        'visible && mayDelete',
      ),
    ],
  },
  'sort-by-unseen': {
    means: 'entries are sorted by what may not be searched',
    patches: [
      patch('src/directory/search/sort-keys.ts', 'index >= 0 && rights.maySearch(', 'index >= 0 && rights.visible !== rights.maySearch('),
    ],
  },
  'matched-by-unseen': {
    means: 'values are matched by what may not be searched',
    patches: [
      patch(
        'src/directory/search/matched.ts',
        'guardFilter(schema, filter, rights)),\n    rights,',
        'guardFilter(schema, filter, { maySearch: () => true })),\n    { maySearch: () => true },',
      ),
    ],
  },
  'matched-by-kin': {
    means: 'values that may not be searched are matched by what is said of a supertype of theirs',
    patches: [
      patch(
        'src/directory/search/matched.ts',
        'described === undefined || !maySearch(described.type)',
        'described === undefined || !maySearch',
      ),
    ],
  },
  'dereferenced-unseen': {
    means: 'what an entry names is told of by the rights on that entry',
    patches: [
      patch(
        'src/directory/search/dereferenced.ts',
        'return rights.visible ? prepared.projection(wanted, rights, false)(entry, snapshot, asker) : [];',
        'return prepared.projection(wanted, { ...rights, mayRead: () => true }, false)(entry, snapshot, asker);',
      ),
    ],
  },
  'post-read-unasked': {
    means: 'a reading control shows what may be searched',
    patches: [
      patch(
        'src/directory/controls/read-entry.ts',
        'readSelection(schema, wanted), rights, false',
        'readSelection(schema, wanted), { ...rights, mayRead: rights.maySearch }, false',
      ),
    ],
  },
  'kept-by-directory': {
    means: 'what the directory keeps is written by whoever may write',
    patches: [
      patch(
        `${access}/protections.ts`,
        "type.usage !== 'userApplications' && (!isCredential",
        "type.usage !== 'userApplications' && type.secret && (!isCredential",
      ),
    ],
  },
  'acts-for-all': {
    means: 'who manages anything acts for anybody',
    patches: [patch('src/directory/taking.ts', ' || !asker.rightsAt(target, snapshot).mayManage) return false;', ') return false;')],
  },
  'strength-of-other': {
    means: 'who acts for another is held to have come in as a session does',
    patches: [
      patch('src/directory/proxied.ts', 'uuid: entry.uuid, strength: identity.strength };', "uuid: entry.uuid, strength: 'onBehalf' };"),
    ],
  },
  'stale-plan': {
    means: 'what was worked out for a connection stays, though rules and groups have changed',
    patches: [patch(`${access}/asker.ts`, 'snapshot.governing <= known.number &&', '')],
  },
  'rights-of-overlay': {
    means: 'in another realm an update of a transaction has the rights that those before it gave',
    patches: [patch(`${access}/asker.ts`, 'planIn(engine, realm, who, storedState(snapshot))', 'planIn(engine, realm, who, snapshot)')],
  },
  'bind-unasked': {
    means: 'whoever knows a password may bind',
    patches: [patch('src/directory/account.ts', 'entry === undefined || !mayAuth(call, snapshot, entry) ?', 'entry === undefined ?')],
  },
  'matched-name': {
    means: 'a refusal names the nearest entry above, seen or not',
    patches: [
      patch('src/directory/lookup.ts', 'if (!asker.rightsAt(entry, snapshot).visible) continue;', 'if (entry.dn === "") continue;'),
    ],
  },
  'foreign-person': {
    means: 'somebody of another realm is like one of this',
    patches: [
      patch(
        `${access}/standing.ts`,
        "isForeign: key !== undefined && (home !== realm || realm.state === 'removing')",
        "isForeign: key !== undefined && home !== realm && realm.state === 'removing'",
      ),
    ],
  },
  'foreign-role': {
    means: 'a role of any realm counts in every one',
    patches: [
      patch(
        `${access}/standing.ts`,
        'home === undefined || (home !== realm && home !== realms.default)) return',
        'home === undefined) return',
      ),
    ],
  },
  'edge-unasked': {
    means: 'a search goes on into a realm inside of the one that it begins in',
    patches: [patch('src/directory/search/extent.ts', 'return edges.length === 0 ? partScope', 'return edges.length >= 0 ? partScope')],
  },
} as const satisfies Record<string, Mutant>;

export type MutantName = keyof typeof mutants;
export const mutantNames = Object.keys(mutants) as MutantName[];

function patch(file: string, from: string, to: string): Patch {
  return { file, from, to };
}

/** A copy of the code and of the tests, for one mutant after the other. */
export function copyForMutants(folder: string): string {
  const copy = copyOfCode(folder);
  for (const part of ['test', 'bench', 'tsconfig.json']) cpSync(join(projectRoot, part), join(copy, part), { recursive: true });
  return copy;
}

/** Plants a mistake. @throws Error when it does not fit the code any more: then it must be brought up to date, not left out */
export function plant(name: MutantName, copy: string): void {
  applyPatches(`the mutant ${name}`, mutants[name].patches, copy);
}

/** Takes it back. */
export function restore(name: MutantName, copy: string): void {
  for (const { file } of mutants[name].patches) cpSync(join(projectRoot, file), join(copy, file));
}

/**
 * Runs the proof against a copy.
 *
 * @returns after how many cases it saw the mistake, or nothing when it did not
 */
export async function catchMutant(copy: string, cases: number, seed: number): Promise<number | undefined> {
  const args = [join(copy, 'test/authorization/run.ts'), '--cases', String(cases), '--seed', String(seed)];
  // What Node compiles of a copy is of no use to another: it is kept beside it, for the next mistake, and goes with it.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(dirname(copy), 'compiled') };
  const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const hear = (chunk: Buffer) => {
    said += chunk.toString();
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', hear);
  const status = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  const [, done] = /^([\d,]+) cases in .*: \d+ differ$/m.exec(said) ?? [];
  if (status === 0) return undefined;
  if (done === undefined) throw new Error(said.slice(-2000));
  return Number(done.replaceAll(',', ''));
}
