import type { OperatorsClient } from '#client';
import { formatLdifRecord, type LdifContent } from '#ldap';
import { loadSchema, type Schema } from '#schema';
import type { Command, Context } from './command.ts';
import { ownDefinitions, readHeld, subschemaRecord } from './definitions.ts';
import { failureOf, Misuse, noDirectory, Unreachable } from './exits.ts';
import { connectRunning, withRefusals } from './operators.ts';
import { manageDsaIt, subentriesAlone } from './realm-source.ts';
import { openTarget } from './target.ts';

/** Text gathered before it is written: one write for each entry would be most of the work. */
const bufferCharacters = 65_536;

export const exportCommand: Command = {
  means: 'write every entry of all realms as LDIF',
  more: [
    'Entries come superiors first. An existing file is not overwritten. No search reads password hashes, so the service must be stopped for --secrets; keep the file safe.',
  ],
  on: 'either',
  operands: [{ name: 'FILE', type: 'file', optional: true, means: 'the file to make; standard output where none is named' }],
  options: {
    operational: { means: 'with entryUUID, timestamps and the other operational attributes' },
    secrets: { means: 'with password hashes' },
  },
  examples: [
    { line: 'atrium export > export.ldif' },
    { line: 'atrium export --operational --secrets whole.ldif', does: 'of a stopped service' },
  ],
  run: async (given, context) => {
    const path = given.text('FILE');
    const wanted = { operational: given.flag('operational'), secrets: given.flag('secrets') };
    return await withRefusals(context, async () => {
      await using client = await connectRunning(context);
      if (client === undefined) return await exportStopped(path, wanted, context);
      if (wanted.secrets) throw new Misuse('password hashes can be exported only while the service is stopped');
      const located = context.locate();
      if (located.kind === 'refused') throw new Misuse(located.lines.join('; '));
      const attributes = wanted.operational ? ['*', '+'] : ['*', ...settableOperational(loadSchema(await context.schemaFiles()))];
      const filter = { kind: 'present', description: 'objectClass' } as const;
      const bases = await suffixesOf(client, located.suffix);
      const head = await ownSchema(client, wanted.operational, context);
      const records = (async function* () {
        if (head !== undefined) yield head;
        // Nothing stands below a subentry: they may all come last.
        const passes = bases.flatMap((base) => [[manageDsaIt], [manageDsaIt, subentriesAlone]].map((controls) => ({ base, controls })));
        for (const { base, controls } of passes) {
          const entries = client.search({ base, scope: 'sub', filter, attributes }, controls);
          for await (const { dn, attributes: own } of entries)
            yield { kind: 'content', line: 0, dn, attributes: own } satisfies LdifContent;
        }
      })();
      return await writeAll(records, path, context);
    });
  },
};

/** Of all realms, the default one's first: its entries say that there are the others. */
async function suffixesOf({ actor }: OperatorsClient, standing: string): Promise<readonly string[]> {
  const root = await actor.read('', ['namingContexts']);
  return [standing, ...(root?.all('namingContexts') ?? []).filter((suffix) => suffix !== standing)];
}

/** Operational attributes that are not the directory's own: `ref` for example, without which an entry is no referral. */
function settableOperational({ attributeTypes }: Schema): string[] {
  const own = attributeTypes.filter(
    ({ usage, noUserModification, secret }) => usage !== 'userApplications' && !noUserModification && !secret,
  );
  return own.map(({ name }) => name);
}

/** The definitions that were added at run time, as the record that an export begins with. */
async function ownSchema(client: OperatorsClient, operational: boolean, context: Context): Promise<LdifContent | undefined> {
  const held = await readHeld(client);
  return held.isOwn ? subschemaRecord(held, ownDefinitions(held, await context.schemaFiles()), operational) : undefined;
}

async function exportStopped(
  path: string | undefined,
  wanted: { readonly operational: boolean; readonly secrets: boolean },
  context: Context,
): Promise<number> {
  await using target = openTarget(path, context);
  const exported = await context.exportEntries({ ...wanted, onText: target.write });
  target.progress.end();
  switch (exported.kind) {
    case 'absent':
      throw new Unreachable(noDirectory);
    case 'refused':
      throw failureOf(exported.lines);
    case 'exported':
      await target.end();
      context.stderr.write(`${exported.entries.toLocaleString('en')} entries exported\n`);
      return 0;
  }
}

async function writeAll(records: AsyncIterable<LdifContent>, path: string | undefined, context: Context): Promise<number> {
  await using target = openTarget(path, context);
  let count = 0;
  let buffer = '';
  for await (const record of records) {
    buffer += formatLdifRecord(record);
    count++;
    if (buffer.length < bufferCharacters) continue;
    await target.write(buffer, count, 0, undefined);
    buffer = '';
  }
  await target.write(buffer, count, 0, undefined);
  await target.end();
  target.progress.end();
  context.stderr.write(`${count.toLocaleString('en')} entries exported\n`);
  return 0;
}
