import type { SealingKey } from '#keys';
import type { LdifRecord } from '#ldap';
import { loadSchema } from '#schema';
import { createPlacing, type Destination, type LeftOut, namedEntry, opened, tellLeftOut } from '#transfer';
import type { Command, Context } from './command.ts';
import { Absent, Misuse, Unreachable } from './exits.ts';
import type { Given } from './given.ts';
import { type LdifSource, openLdif } from './ldif.ts';
import { connectRunning } from './operators.ts';
import { dryRun, json } from './options.ts';
import { createProgress } from './progress.ts';
import { withReadable } from './readable.ts';
import { isSubschema } from './realm-source.ts';
import { followTask, importByTask } from './tasking.ts';
import { readTransferKey, transferKeyFile } from './transfer-key.ts';

/** Refusals that are named one by one. */
const toldMax = 100;
/** A realm with fewer entries is one that nobody has put anything into. */
const frameMax = 100;

export const importRealm: Command = {
  means: 'add the entries of a file to a realm',
  more: [
    'FILE is LDIF with entries, superiors before what is below them: what atrium realm export writes, or people alone. Names of another suffix are put below the realm’s, in all names, rules, filters and URLs; how many of each is told. The suffix is the first entry, or what stands behind ou=people or ou=groups in its name. In a realm of fewer than 100 entries, which has what a realm begins with and hardly more, what is there stays as it is, and is told; in any other an entry that is there is refused: see atrium realm apply.',
    'First everything is checked, and nothing is written when something would be refused: line, entry, attribute and rule are told. With --continue the rest is added all the same. On a running service the import is a task below cn=tasks: it goes on when this command or the service is ended in the middle, and --resume follows it again. Ctrl-C takes back what was added, unless --continue was given.',
    'A stopped service’s folder is filled at once, all or none.',
  ],
  on: 'either',
  operands: [{ name: 'FILE', type: 'file', optional: true, means: 'a file of LDIF; - reads standard input' }],
  options: {
    to: { value: 'ID', default: 'default', means: 'the realm that they are for' },
    continue: { means: 'go on behind what is refused' },
    'transfer-key-file': transferKeyFile,
    resume: { value: 'TASK', means: 'follow an import that was begun, by the name that it was told with' },
    'dry-run': dryRun,
    json,
  },
  examples: [
    { line: 'atrium realm import --dry-run people.ldif' },
    { line: 'atrium realm import people.ldif' },
    { line: 'atrium realm import --to default - < people.ldif', does: 'below the suffix of the default realm, whatever it was below' },
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
      const options = [...(given.flag('continue') ? ['continue'] : []), ...(given.flag('dry-run') ? ['dry-run'] : [])];
      if (client !== undefined)
        return await importByTask(
          client,
          { path, realm: given.need('to'), options, json: given.flag('json'), keyFile: given.text('transfer-key-file') },
          context,
        );
      if (given.flag('continue')) throw new Misuse('--continue is for a running service, and none runs here');
      return await importStopped(path, given, context);
    }),
};

async function importStopped(path: string, given: Given, context: Context): Promise<number> {
  const { stdout, stderr, clock } = context;
  const source = openLdif(path, context);
  const into = await targetOf(given.need('to'), context);
  const way = readTransferKey(given.text('transfer-key-file'));
  const reading = readFor(source, into, way);
  const dry = given.flag('dry-run');
  const progress = createProgress(stderr, () => clock.nowMs(), dry ? 'Checking' : 'Importing');
  const onProgress = (count: number) => progress.show(source.done(), source.total, count);
  let refused = 0;
  const onRefused = (why: string) => {
    if (++refused > toldMax) return;
    progress.end();
    stderr.write(`atrium: ${why}\n`);
  };
  const work = { records: reading.records, onProgress, seals: way !== undefined };
  // Whether all can be taken is known before anything is written: a file that is refused in the middle costs no folder a long way back.
  const imported = dry ? await context.tryImport({ ...work, onRefused }) : await context.importEntries(work);
  progress.end();
  if (imported.kind === 'refused') {
    for (const line of imported.lines) stderr.write(`${line}\n`);
    return 1;
  }
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
    return { id, suffix: realm.suffix, schema: realm.schema, inside: realm.inside, frame };
  }
  const located = context.locate();
  if (found.kind === 'refused' || located.kind === 'refused') throw new Misuse((found.kind === 'refused' ? found.lines : []).join('; '));
  if (found.kind === 'unknown' || id !== 'default')
    throw new Absent(`there is no realm ${JSON.stringify(id)}; make it first: atrium realm create`);
  return { id, suffix: located.suffix, schema: loadSchema([...(await context.schemaFiles())]), inside: [], frame: new Set() };
}

/** The records of a file as they are to be in a realm. */
function readFor({ records }: LdifSource, target: Target, way: SealingKey | undefined) {
  const { schema, frame } = target;
  const leftOut: LeftOut = new Map();
  const kept: string[] = [];
  const placing = createPlacing(target);
  const mapped = (async function* (): AsyncGenerator<LdifRecord> {
    for await (const record of records) {
      if (isSubschema(record)) {
        yield record;
        continue;
      }
      if (record.kind !== 'content' && record.kind !== 'add') {
        yield record;
        continue;
      }
      const given = opened(schema, namedEntry(schema, record), way, leftOut);
      const entry = placing.place(given);
      if (entry === undefined) continue;
      if (frame.has(Buffer.from(entry.key).toString('latin1'))) kept.push(entry.dn);
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
