import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { utf8 } from '#base';
import type { OperatorsClient } from '#client';
import { type Control, formatLdifRecord, type LdifContent, ldifHeader } from '#ldap';
import { loadSchema, type Schema } from '#schema';
import type { Command, Context } from './command.ts';
import { ownDefinitions, readHeld, subschemaRecord } from './definitions.ts';
import { Failure, Misuse } from './exits.ts';
import { connectRunning, withRefusals } from './operators.ts';
import { createProgress } from './progress.ts';

/** Text gathered before it is written: one write for each entry would be most of the work. */
const bufferCharacters = 65_536;

export const exportCommand: Command = {
  means: 'write every entry of the realm as LDIF',
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
      const head = await ownSchema(client, wanted.operational, context);
      const records = (async function* () {
        if (head !== undefined) yield head;
        // Nothing stands below a subentry: they may all come last.
        for (const controls of [[manageDsaIt], [manageDsaIt, subentriesAlone]]) {
          const entries = client.search({ base: located.suffix, scope: 'sub', filter, attributes }, controls);
          for await (const { dn, attributes: own } of entries)
            yield { kind: 'content', line: 0, dn, attributes: own } satisfies LdifContent;
        }
      })();
      return await writeAll(records, path, context);
    });
  },
};

/** RFC 3296 §3: referrals are entries like others, and of groups there is what they say themselves. */
const manageDsaIt: Control = { oid: '2.16.840.1.113730.3.4.2', critical: true };
/** RFC 3672 §3: else they are left out. */
const subentriesAlone: Control = { oid: '1.3.6.1.4.1.4203.1.10.1', critical: true, value: Uint8Array.of(0x01, 0x01, 0xff) };

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
      throw new Misuse('the folder holds no realm');
    case 'refused':
      for (const line of exported.lines) context.stderr.write(`${line}\n`);
      return 1;
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

/**
 * Where the text goes. A file is made with the first of it: nothing is made when there is nothing to say, and nothing is left of one that was not
 * written to its end.
 */
function openTarget(path: string | undefined, context: Context) {
  const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Exporting');
  let sink: Sink | undefined;
  return {
    progress,
    async write(text: string | Uint8Array, count: number, done: number, total: number | undefined): Promise<void> {
      if (sink === undefined) {
        sink = path === undefined ? streamSink(context.stdout) : fileSink(path);
        await sink.write(ldifHeader);
      }
      await sink.write(text);
      progress.show(done, total, count);
    },
    async end(): Promise<void> {
      sink?.end();
      sink = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      progress.end();
      sink?.drop();
    },
  };
}

interface Sink {
  /** When this resolves the octets are no longer needed. */
  write(text: string | Uint8Array): Promise<void>;
  end(): void;
  /** Ends it before its end. */
  drop(): void;
}

function streamSink(stream: NodeJS.WritableStream): Sink {
  return {
    write: (text) => new Promise((resolve, reject) => void stream.write(text, (error) => (error ? reject(error) : resolve()))),
    end: () => undefined,
    drop: () => undefined,
  };
}

/** Readable by its owner only: it holds what people have told the directory, and perhaps their password hashes. */
function fileSink(path: string): Sink {
  const perform = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      throw code === 'EEXIST' ? new Misuse(`${path} exists already`) : new Failure(`${path} cannot be written: ${code}`);
    }
  };
  const file = perform(() => openSync(path, 'wx', 0o600));
  return {
    async write(text) {
      const octets = typeof text === 'string' ? utf8(text) : text;
      for (let from = 0; from < octets.length; ) from += perform(() => writeSync(file, octets, from, octets.length - from));
    },
    // A share may say only now that it has no room.
    end: () => perform(() => closeSync(file)),
    drop() {
      closeSync(file);
      rmSync(path, { force: true });
    },
  };
}
