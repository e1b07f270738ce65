import { z } from 'zod';
import { utf8 } from '#base';
import { type ClientRefusal, present } from '#client';
import { formatLdifRecord, LdifError, type LdifLimits, type LdifRecord, ldifHeader, readLdif, resultCodes } from '#ldap';
import { createImport, type ImportCounts } from './ldif-import.ts';
import { type Call, type Operation, operation } from './row.ts';
import { Unfit } from './unfit.ts';

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
  gives: { type },
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
  more: 'Entries are made one by one: what was made before a refusal stays, and the answer says how far it came. A dry run reads everything and says which entries are there already; what the directory would refuse it does not know.',
  takes: { type, octetsMax: 'adminApi.ldifOctetsMax' },
  input: z.strictObject({
    dryRun: z.stringbool().default(false).describe('Nothing is written.'),
    existing: z
      .enum(['refuse', 'skip'])
      .default('refuse')
      .describe('What becomes of an entry that is there already: the import ends, or it stays as it is.'),
    continue: z.stringbool().default(false).describe('Go on behind what is refused, and tell of it at the end.'),
  }),
  output: z.strictObject({
    records: z.int().nonnegative().describe('That were read.'),
    added: z.int().nonnegative(),
    changed: z.int().nonnegative(),
    skipped: z.int().nonnegative().describe('Entries that were there already.'),
    refused: z.int().nonnegative(),
    refusals: z.array(z.strictObject({ line: z.int(), dn: z.string(), message: z.string() })).describe('The first 100.'),
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

async function importAll(call: Call, options: Options): Promise<ImportCounts> {
  const run = createImport(call.actor, { ...options, toldMax });
  try {
    for await (const record of records(call)) {
      if (outside(call, record)) throw new Unfit({ field: `line ${record.line}`, message: `${record.dn} is not of this realm` });
      await run.take(record);
      if (run.failed !== undefined) break;
    }
    await run.drain();
  } catch (thrown) {
    // What is under way ends before anything is said.
    await run.drain().catch(() => undefined);
    throw thrown instanceof LdifError ? partly(new Unfit({ field: `line ${thrown.line}`, message: thrown.why }), run.counts) : thrown;
  }
  const { failed, counts } = run;
  if (failed === undefined) return counts;
  const { refusal, line, dn } = failed;
  // Without the right to write nothing was written, and that is what its caller has to know.
  if (refusal.code === resultCodes.insufficientAccessRights && counts.added + counts.changed === 0) throw refusal;
  throw partly(new Unfit({ field: `line ${line}`, message: `${dn}: ${wordsOf(refusal)}` }), counts);
}

function records({ body }: Call): AsyncIterable<LdifRecord> {
  if (body === undefined) throw new Unfit({ message: 'There is no LDIF.' });
  return readLdif(body, limits);
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

function wordsOf({ diagnostic, message }: ClientRefusal): string {
  return diagnostic === '' ? message : diagnostic;
}
