import { createReadStream, createWriteStream, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import { uuid4 } from '#base';
import { attributesOf, type OperatorsClient } from '#client';
import type { Context } from './command.ts';
import { Absent, Failure, Misuse } from './exits.ts';
import { nameIn } from './names.ts';
import { createProgress } from './progress.ts';
import { readKeyFile } from './transfer-key.ts';

interface Ordered {
  /** The text of the file. */
  readonly source: AsyncIterable<string | Uint8Array>;
  readonly realm: string;
  readonly options: readonly string[];
  /** The file of the key for sealed values. */
  readonly keyFile: string | undefined;
}

const lookMs = 300;

/** A file as it stands, or standard input for `-`. @throws Misuse when there is no such file */
export function sourceOf(path: string, { stdin }: Context): AsyncIterable<string | Uint8Array> {
  if (path === '-') return stdin;
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw new Misuse(`${path} is not a file`);
  return createReadStream(path);
}

/**
 * Has a running service import a file: puts it where the service reads, adds a task and follows it.
 *
 * @param json  whether the answer is one object on standard output, besides the words
 * @returns the exit status
 */
export async function importByTask(
  client: OperatorsClient,
  { source, realm, options, keyFile }: Ordered,
  json: boolean,
  context: Context,
): Promise<number> {
  const located = context.locate();
  if (located.kind === 'refused') throw new Misuse(located.lines.join('; '));
  if (realm !== 'default' && (await client.actor.read(nameIn('cn', realm, `ou=realms,${located.suffix}`), ['1.1'])) === undefined)
    throw new Absent(`there is no realm ${JSON.stringify(realm)}. See: atrium realm list`);
  const name = `import-${uuid4(context.chance)}`;
  const staged = join(located.exchange, `${name}.ldif`);
  const key = keyFile === undefined ? undefined : readKeyFile(keyFile);
  const forget = () => {
    for (const each of [staged, `${staged}.key`]) rmSync(each, { force: true });
  };
  try {
    await pipeline(source, createWriteStream(staged, { flags: 'wx', mode: 0o600 }));
    if (key !== undefined) writeFileSync(`${staged}.key`, key, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure(`${staged} cannot be written: ${code}`);
  }
  const attributes = attributesOf({
    objectClass: 'stsTask',
    cn: name,
    stsTaskKind: 'import',
    stsTaskRealm: realm,
    stsTaskFile: `${name}.ldif`,
    ...(options.length === 0 ? {} : { stsTaskOption: options }),
  });
  const place = nameIn('cn', name, `cn=tasks,${located.suffix}`);
  try {
    await client.actor.add(place, attributes);
  } catch (error) {
    forget();
    throw error;
  }
  context.stderr.write(`task ${name}\n`);
  const status = await followTask(client, name, json, context);
  forget();
  return status;
}

/** Shows how far a task is, until it has ended; a signal ends it. */
export async function followTask(client: OperatorsClient, name: string, json: boolean, context: Context): Promise<number> {
  const located = context.locate();
  if (located.kind === 'refused') throw new Misuse(located.lines.join('; '));
  const place = nameIn('cn', name, `cn=tasks,${located.suffix}`);
  const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Importing');
  let asked = false;
  void context.untilSignal().then(() => {
    asked = true;
  });
  try {
    for (;;) {
      const entry = await client.actor.read(place, ['*', '+']);
      if (entry === undefined) throw new Absent(`there is no task ${name}, or no more`);
      if (asked) {
        await client.actor.delete(place);
        progress.end();
        context.stderr.write('atrium: the import is cancelled\n');
        return 130;
      }
      progress.show(Number(entry.one('stsTaskPercent') ?? 0), 100, Number(entry.one('stsTaskDone') ?? 0));
      if (entry.one('stsTaskEnded') !== undefined) {
        progress.end();
        const messages = entry.all('stsTaskMessage').toSorted();
        for (const message of messages) context.stderr.write(`${message.slice(4)}\n`);
        const [state, result = ''] = [entry.one('stsTaskState'), entry.one('stsTaskResult')];
        context.stderr.write(`${result}\n`);
        if (json)
          context.stdout.write(`${JSON.stringify({ task: name, state, entries: Number(entry.one('stsTaskDone') ?? 0), result })}\n`);
        return state === 'done' ? 0 : 1;
      }
      await after(lookMs);
    }
  } finally {
    progress.end();
  }
}
