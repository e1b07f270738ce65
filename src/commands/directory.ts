import { connectOperators, type OperatorsClient } from '#client';
import type { Context } from './command.ts';
import { Absent, Interrupted, Unreachable } from './exits.ts';
import { nameIn } from './names.ts';
import { connectRunning } from './operators.ts';

/** A directory that a command may ask, as its operator. */
export interface Directory {
  readonly client: OperatorsClient;
  /** The suffix of the default realm. */
  readonly suffix: string;
  /** The suffix of a realm. @throws Absent */
  suffixOf(realm: string): Promise<string>;
}

/**
 * Does something with the directory of these settings: the running service's, over its operators' socket, or else that of the stopped service's
 * folder, which is this process's meanwhile.
 *
 * @throws Unreachable when there is none; Interrupted when a signal came, after what was under way is answered and the folder is closed
 */
export async function withDirectory<T>(context: Context, act: (directory: Directory) => Promise<T>): Promise<T> {
  const located = context.locate();
  if (located.kind === 'refused') throw new Unreachable(located.lines.join('; '));
  const { suffix } = located;
  const ask = (client: OperatorsClient) => act({ client, suffix, suffixOf: (realm) => suffixOf(client, suffix, realm) });
  await using running = await connectRunning(context);
  if (running !== undefined) return await ask(running);

  const folder = await context.openStopped();
  if (folder.kind === 'refused') throw new Unreachable(folder.lines.join('; '));
  if (folder.kind === 'absent') throw new Unreachable(noDirectory);
  await using open = new AsyncDisposableStack();
  open.defer(folder.close);
  const client = open.use(await connectOperators({ socketPath: folder.socketPath }));
  const stopped = context.untilSignal().then(() => {
    // Whoever waits for somebody to type waits for nothing any more.
    context.stdin.destroy();
    throw new Interrupted('interrupted; what was answered is done');
  });
  return await Promise.race([ask(client), stopped]);
}

/** The same of a running service alone. @throws Unreachable when none answers */
export async function withRunning<T>(context: Context, act: (directory: Directory) => Promise<T>): Promise<T> {
  const located = context.locate();
  if (located.kind === 'refused') throw new Unreachable(located.lines.join('; '));
  const { suffix } = located;
  await using client = await connectRunning(context);
  if (client === undefined)
    throw new Unreachable('no service answers here, and this is asked of a running one. Start it with: atrium serve');
  return await act({ client, suffix, suffixOf: (realm) => suffixOf(client, suffix, realm) });
}

const noDirectory =
  'no service answers here, and there is no directory in this folder, or this user may not enter it. Start one with: npm start (or atrium serve), in the same folder and with the same settings';

/** Of any realm: its entry says its domain, and the suffix follows from that (RFC 2247), or else from the id. */
async function suffixOf({ actor }: OperatorsClient, suffix: string, realm: string): Promise<string> {
  if (realm === 'default') return suffix;
  const entry = await actor.read(nameIn('cn', realm, `ou=realms,${suffix}`), ['associatedDomain']);
  if (entry === undefined) throw new Absent(`there is no realm ${JSON.stringify(realm)}. See: atrium realm list`);
  return suffixIn(realm, entry.one('associatedDomain'));
}

/** The suffix of a realm other than the default one, by its id and what its entry says of a domain. */
export function suffixIn(id: string, domain: string | undefined): string {
  return domain === undefined ? nameIn('o', id, '') : domain.split('.').reduceRight((superior, label) => nameIn('dc', label, superior), '');
}
