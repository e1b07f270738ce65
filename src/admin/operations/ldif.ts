import { z } from 'zod';
import { utf8 } from '#base';
import { present } from '#client';
import { formatLdifRecord, LdifError, type LdifLimits, type LdifRecord, ldifHeader, readLdif, resultCodes } from '#ldap';
import { isConflict } from './failure.ts';
import { gather } from './ldif-gather.ts';
import { createImport, type ImportCounts } from './ldif-import.ts';
import { importByTask, largest } from './ldif-task.ts';
import { importTogether, isAdd } from './ldif-together.ts';
import { refusalWords } from './ldif-words.ts';
import { type Call, type Operation, operation } from './row.ts';
import { Conflicting, Unfit } from './unfit.ts';

/** Entries that are read at a time. */
const readAtOnce = 200;
const type = 'application/ldif';
const limits: LdifLimits = { lineOctetsMax: 16_777_216, recordOctetsMax: 67_108_864, valuesMax: 200_000 };
/** Refusals that are told one by one. */
const toldMax = 100;

const exported = operation({
  name: 'ldif.export',
  method: 'GET',
  path: '/admin-api/ldif',
  scope: 'admin:read',
  summary: 'all entries of the realm that the caller may see, as LDIF, superiors first',
  more: 'No secret is in it: whatever reads the directory through its interface sees no hash. `atrium realm export --secrets` is for those who have the folder.',
  input: z.strictObject({
    operational: z.stringbool().default(false).describe('What the directory keeps by itself, too: entryUUID and its like.'),
  }),
  output: z.strictObject({}),
  gives: { type, extension: 'ldif' },
  audit: 'the realm exported as LDIF',
  console: { on: 'ldif', title: 'Export', verb: 'Export' },
  command: 'realm export',
  run: async (call, { operational }) => ({ stream: entriesOf(call, operational) }),
});

const imported = operation({
  name: 'ldif.import',
  method: 'POST',
  path: '/admin-api/ldif',
  scope: 'admin:write',
  summary: 'add the entries of LDIF, and make the changes that its change records ask for, as the caller',
  more: 'All or nothing: the directory judges each record as if those before it had been made, and makes all of them in one transaction. More than one transaction holds (`ldap.transactionUpdatesMax`, `ldap.transactionMib`) is an import by a task, which whoever manages the service may ask for, and has entries alone: `task` names it, `tasks.read` says how it ended. With `continue` records are made one by one, and what is refused is passed over.',
  takes: { type, octetsMax: 'adminApi.ldifOctetsMax' },
  input: z.strictObject({
    dryRun: z
      .stringbool()
      .default(false)
      .describe(
        'Nothing is written; what would be refused is told with line, entry, attribute and rule: the first ten, or with passwords among it the first.',
      ),
    existing: z
      .enum(['refuse', 'skip'])
      .default('refuse')
      .describe('What becomes of an entry that is there already: nothing is imported, or it stays as it is.'),
    continue: z
      .stringbool()
      .default(false)
      .describe('Make one by one what can be made, pass over what is refused, and tell of it at the end.'),
  }),
  output: z.strictObject({
    records: z.int().nonnegative().describe('That were read.'),
    added: z.int().nonnegative(),
    changed: z.int().nonnegative(),
    skipped: z.int().nonnegative().describe('Entries that were there already.'),
    refused: z.int().nonnegative(),
    unjudged: z
      .int()
      .nonnegative()
      .describe('Of a dry run that names no more refusals: mend what it names, and have the rest judged by another.'),
    refusals: z.array(z.strictObject({ line: z.int(), dn: z.string(), message: z.string() })).describe('The first of them.'),
    task: z.string().optional().describe('An import by a task, which goes on: nothing is counted here.'),
  }),
  audit: 'LDIF imported',
  console: {
    on: 'ldif',
    title: 'Import',
    verb: 'Import',
    danger: 'The entries of the file are added, and its change records are carried out.',
  },
  command: 'realm import',
  run: async (call, options) => importAll(call, options),
});

export const ldifRows: readonly Operation[] = [exported, imported];

async function* entriesOf({ actor, realm, deps }: Call, operational: boolean): AsyncGenerator<Uint8Array, void, undefined> {
  const tasks = `cn=tasks,${deps.realms.standing.suffix}`.toLowerCase();
  const search = {
    base: realm.suffix,
    scope: 'sub',
    filter: present('objectClass'),
    attributes: operational ? ['*', '+'] : ['*'],
  } as const;
  yield utf8(ldifHeader);
  let behind: Uint8Array | undefined;
  do {
    const page = await actor.page({ ...search, size: readAtOnce, ...(behind === undefined ? {} : { behind }) });
    // What is asked of the service is no content of a realm.
    const own = page.entries.filter(({ dn }) => !dn.toLowerCase().endsWith(tasks));
    if (own.length > 0)
      yield utf8(own.map(({ dn, attributes }) => formatLdifRecord({ kind: 'content', line: 0, dn, attributes })).join(''));
    behind = page.next;
  } while (behind !== undefined);
}

type Options = { readonly dryRun: boolean; readonly existing: 'refuse' | 'skip'; readonly continue: boolean };

async function importAll(call: Call, options: Options): Promise<ImportCounts & { task?: string }> {
  if (options.continue && !options.dryRun) return await importOneByOne(call, options);
  const { settings } = call.deps;
  try {
    const gathered = await gather(bodyOf(call), {
      limits,
      recordsMax: settings['ldap.transactionUpdatesMax'] - 1,
      octetsMax: settings['ldap.transactionMib'] * 2 ** 20,
      messageOctetsMax: settings['ldap.messageOctetsMax'],
    });
    if (gathered.kind === 'large') {
      // A task would put a tree of another suffix below this realm's: that is asked for with `atrium import`.
      for (const record of gathered.begun) refuseOutside(call, record);
      const change = gathered.begun.find((record) => !isAdd(record));
      if (change !== undefined) throw changesTooLarge(call, change, 'it is a change record');
      return { ...none, task: await importByTask(call, gathered.ldif, options) };
    }
    const { records, ldif } = gathered;
    for (const record of records) refuseOutside(call, record);
    const { counts, failed } = await importTogether(call, records, options);
    if (failed === undefined) return counts;
    const { record, refusal } = failed;
    // The directory counts otherwise than the text is long: what it says is too much goes the way of what was known to be.
    if (refusal.code === resultCodes.adminLimitExceeded) {
      if (!records.every(isAdd)) throw changesTooLarge(call, record, refusalWords(record, refusal));
      return { ...none, task: await importByTask(call, ldif, options) };
    }
    // Without the right to write that is what its caller has to know.
    if (refusal.code === resultCodes.insufficientAccessRights) throw refusal;
    const faults = [{ field: `line ${record.line}`, message: `${record.dn}: ${refusalWords(record, refusal)}` }, { message: nothingDone }];
    throw isConflict(refusal) ? new Conflicting(...faults) : new Unfit(...faults);
  } catch (thrown) {
    throw thrown instanceof LdifError ? new Unfit({ field: `line ${thrown.line}`, message: thrown.why }, { message: nothingDone }) : thrown;
  }
}

/** A task has no change records. */
function changesTooLarge(call: Call, { line, dn }: Pick<LdifRecord, 'line' | 'dn'>, why: string): Unfit {
  const advice = `With change records, no more than one transaction holds (${largest(call)}) is taken at a time; or import with continue.`;
  return new Unfit({ field: `line ${line}`, message: `${dn}: ${why}` }, { message: `${nothingDone} ${advice}` });
}

const nothingDone = 'Nothing was added or changed.';
const none = { records: 0, added: 0, changed: 0, skipped: 0, refused: 0, refusals: [], unjudged: 0 };

/** What is refused is passed over. */
async function importOneByOne(call: Call, options: Options): Promise<ImportCounts> {
  const run = createImport(call.actor, { existing: options.existing, toldMax });
  try {
    for await (const record of readLdif(bodyOf(call), limits)) {
      refuseOutside(call, record);
      await run.take(record);
    }
    await run.drain();
  } catch (thrown) {
    // What is under way ends before anything is said.
    await run.drain().catch(() => undefined);
    throw thrown instanceof LdifError ? partly(new Unfit({ field: `line ${thrown.line}`, message: thrown.why }), run.counts) : thrown;
  }
  return run.counts;
}

function bodyOf({ body }: Call): AsyncIterable<Uint8Array> {
  if (body === undefined) throw new Unfit({ message: 'There is no LDIF.' });
  return body;
}

function refuseOutside(call: Call, record: LdifRecord): void {
  if (outside(call, record))
    throw new Unfit({
      field: `line ${record.line}`,
      message: `${record.dn} is not of this realm: a realm’s LDIF is imported in that realm`,
    });
}

/** Below another suffix the caller may have rights, too; but a call of a realm is about that realm. */
function outside({ realm }: Call, { dn }: LdifRecord): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/\s*([,=])\s*/g, '$1');
  const [own, suffix] = [plain(dn), plain(realm.suffix)];
  return own !== suffix && !own.endsWith(`,${suffix}`);
}

function partly(fault: Unfit, { added, changed }: ImportCounts): Unfit {
  if (added + changed === 0) return fault;
  return new Unfit(...fault.fields, { message: `Before it, ${added} entries were added and ${changed} were changed. They stay.` });
}
