import type { DialectName } from '#elsewhere';
import type { SealingKey } from '#keys';
import type { LdifFault, LdifRecord } from '#ldap';
import { loadSchema } from '#schema';
import { createPlacing, type Destination, faultOf, type LeftOut, type NamedEntry, namedEntry, opened, tellLeftOut } from '#transfer';
import type { Command, Context } from './command.ts';
import { Absent, failureOf, Misuse, Unreachable } from './exits.ts';
import { type Given, listed } from './given.ts';
import { openLdif } from './ldif.ts';
import { connectRunning } from './operators.ts';
import { dryRun } from './options.ts';
import { createProgress } from './progress.ts';
import { withReadable } from './readable.ts';
import { isSubschema } from './realm-source.ts';
import { followTask, importByTask, sourceOf } from './tasking.ts';
import { readTransferKey, transferKeyFile } from './transfer-key.ts';

/** Refusals that are named one by one. */
const toldMax = 100;
/** A realm with fewer entries is one that nobody has put anything into. */
const frameMax = 100;

/** What another server's own tools write. */
const dialectNames = ['slapcat', 'db2ldif', 'lldap'] as const satisfies readonly DialectName[];

export const importCommand: Command = {
  means: 'add the entries of a file to a realm',
  more: [
    'FILE is LDIF with entries, superiors before what is below them: what atrium export writes, or people alone. Names of another suffix are put below the realm’s, in all names, rules, filters and URLs; how many of each is told. The suffix is the first entry, or what stands behind ou=people or ou=groups in its name. In a realm of fewer than 100 entries, which has what a realm begins with and hardly more, what is there stays as it is, and is told; in any other an entry that is there is refused: see atrium realm apply.',
    'First everything is checked, and nothing is written when something would be refused: line, entry, attribute and rule are told. With --continue the rest is added all the same. On a running service the import is a task below cn=tasks: it goes on when this command or the service is ended in the middle, and --resume follows it again. Ctrl-C takes back what was added, unless --continue was given.',
    'A stopped service’s folder is filled at once, all or none; into an empty one a file may bring several realms: atrium export --all writes such a file.',
    'With --from, FILE is what another server’s own tool wrote: slapcat of OpenLDAP, db2ldif of 389 Directory Server, or what ldapsearch showed of lldap. Passwords stay where their hashes can be judged, and whatever cannot be carried over is told, with its first lines: try it with --dry-run. docs/coming-from-elsewhere.md has a page for each.',
  ],
  on: 'either',
  operands: [{ name: 'FILE', type: 'file', optional: true, means: 'a file of LDIF; - reads standard input' }],
  options: {
    to: { value: 'ID', default: 'default', means: 'the realm that they are for' },
    from: { value: 'TOOL', type: dialectNames, means: `FILE is another server’s: ${listed(dialectNames)}` },
    schema: { value: 'FILE', type: 'file', many: true, means: 'with --from: its schema, as `slapcat -n 0` writes it, or a schema file' },
    continue: { means: 'go on behind what is refused, on a running service' },
    'transfer-key-file': transferKeyFile,
    resume: { value: 'TASK', means: 'follow an import that was begun, by the name that it was told with' },
    'dry-run': dryRun,
    json: { means: 'answer as JSON: one object, with --from of what became of everything' },
  },
  examples: [
    { line: 'atrium import --dry-run people.ldif' },
    { line: 'atrium import people.ldif' },
    { line: 'atrium import --to default - < people.ldif', does: 'below the suffix of the default realm, whatever it was below' },
  ],
  run: async (given, context) =>
    await withReadable(context, async () => {
      await using client = await connectRunning(context);
      const resumed = given.text('resume');
      if (resumed !== undefined) {
        if (client === undefined) throw new Unreachable('no service answers here; the import goes on when one starts');
        return await followTask(client, resumed, given.flag('json'), context);
      }
      const path = given.text('FILE');
      if (path === undefined) throw new Misuse('FILE is missing: a file of LDIF');
      const from = given.text('from') as DialectName | undefined;
      if (from !== undefined) return await (await import('./elsewhere.ts')).importElsewhere(client, { from, path }, given, context);
      if (given.texts('schema').length > 0) throw new Misuse('--schema is for --from; schema files are added with: atrium schema import');
      const options = [...(given.flag('continue') ? ['continue'] : []), ...(given.flag('dry-run') ? ['dry-run'] : [])];
      if (client !== undefined)
        return await importByTask(
          client,
          { source: sourceOf(path, context), realm: given.need('to'), options, keyFile: given.text('transfer-key-file') },
          given.flag('json'),
          context,
        );
      if (given.flag('continue')) throw new Misuse('--continue is for a running service, and none runs here');
      return await importStopped(path, given, context);
    }),
};

/** The same among what there is to do with realms. */
export const importRealm: Command = {
  ...importCommand,
  more: ['The same as atrium import, whose help has all of it.'],
  examples: [
    { line: 'atrium realm import people.ldif' },
    { line: 'atrium realm create acme && atrium realm import --to acme people.ldif', does: 'names go below the suffix of that realm' },
  ],
};

async function importStopped(path: string, given: Given, context: Context): Promise<number> {
  const { stdout, stderr, clock } = context;
  const source = openLdif(path, context);
  const into = await targetOf(given.need('to'), context);
  const way = readTransferKey(given.text('transfer-key-file'));
  const dry = given.flag('dry-run');
  const reading = readFor(source.withFaults, into, way, dry);
  const progress = createProgress(stderr, () => clock.nowMs(), dry ? 'Checking' : 'Importing');
  const onProgress = (count: number) => progress.show(source.done(), source.total, count);
  let refused = 0;
  const onRefused = (why: string) => {
    if (++refused > toldMax) return;
    progress.end();
    stderr.write(`atrium: ${why}\n`);
  };
  const work = { records: reading.records, onProgress };
  const imported = dry ? await context.tryImport({ ...work, onRefused }) : await context.importEntries(work);
  progress.end();
  if (imported.kind === 'refused') throw failureOf(imported.lines);
  reading.tell(context);
  if (imported.password !== undefined) stderr.write(`The built-in administrator's password, shown this once: ${imported.password}\n`);
  const count = `${imported.entries.toLocaleString('en')} ${imported.entries === 1 ? 'entry' : 'entries'}`;
  if (dry)
    stderr.write(`${count} would be added${refused === 0 ? '' : `, ${refused.toLocaleString('en')} refused: an import would add none`}\n`);
  else stderr.write(`${count} added\n`);
  if (given.flag('json'))
    stdout.write(
      `${JSON.stringify({ state: refused === 0 ? 'done' : 'failed', entries: imported.entries, refused, password: imported.password })}\n`,
    );
  return refused === 0 ? 0 : 1;
}

interface Target extends Destination {
  /** Keys of what a realm begins with, where there is no more than that. */
  readonly frame: ReadonlySet<string>;
}

async function targetOf(id: string, context: Context): Promise<Target> {
  const found = await context.openRealm({ id, secrets: false });
  if (found.kind === 'open') {
    using realm = found.realm;
    const frame = new Set<string>();
    if (realm.count < frameMax) for await (const { key } of realm.entries()) frame.add(Buffer.from(key).toString('latin1'));
    return { id, suffix: realm.suffix, schema: realm.schema, inside: realm.inside, isWhole: id === 'default', frame };
  }
  const located = context.locate();
  if (found.kind === 'refused' || located.kind === 'refused') throw new Misuse((found.kind === 'refused' ? found.lines : []).join('; '));
  if (found.kind === 'unknown' || id !== 'default')
    throw new Absent(`there is no realm ${JSON.stringify(id)}; make it first: atrium realm create`);
  return {
    id,
    suffix: located.suffix,
    schema: loadSchema([...(await context.schemaFiles())]),
    inside: [],
    isWhole: true,
    frame: new Set(),
  };
}

/**
 * The records of a file as they are to be in a realm.
 *
 * @param goesOn  whether what is no entry of the realm is passed on as the fault that it is; else it ends the reading
 */
function readFor(records: AsyncIterable<LdifRecord | LdifFault>, target: Target, way: SealingKey | undefined, goesOn: boolean) {
  const { schema, frame } = target;
  const leftOut: LeftOut = new Map();
  const kept: string[] = [];
  const placing = createPlacing(target);
  const placed = (record: LdifRecord): NamedEntry | LdifFault | undefined => {
    try {
      return placing.place(opened(schema, namedEntry(schema, record), way, leftOut));
    } catch (error) {
      if (!goesOn) throw error;
      placing.miss();
      return faultOf(record, error);
    }
  };
  const mapped = (async function* (): AsyncGenerator<LdifRecord | LdifFault> {
    for await (const record of records) {
      if (isSubschema(record)) {
        yield record;
        continue;
      }
      if (record.kind === 'fault') placing.miss();
      if (record.kind !== 'content' && record.kind !== 'add') {
        yield record;
        continue;
      }
      const entry = placed(record);
      if (entry === undefined) continue;
      if ('kind' in entry) yield entry;
      else if (frame.has(Buffer.from(entry.key).toString('latin1'))) kept.push(entry.dn);
      else yield { ...record, dn: entry.dn, attributes: entry.attributes };
    }
  })();
  return {
    records: mapped,
    tell({ stderr }: Context) {
      const told = placing.told();
      if (told !== undefined) stderr.write(`${told}\n`);
      for (const line of tellLeftOut(leftOut)) stderr.write(`${line}\n`);
      for (const dn of kept) stderr.write(`${dn} was there and stays as it is\n`);
    },
  };
}
