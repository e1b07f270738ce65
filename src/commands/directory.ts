import type { OperatorsClient } from '#client';
import type { Context } from './command.ts';
import { Absent, Unreachable } from './exits.ts';
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
 * Does something with the directory of these settings.
 *
 * @throws Unreachable when there is none
 */
export async function withDirectory<T>(context: Context, act: (directory: Directory) => Promise<T>): Promise<T> {
  const located = context.locate();
  if (located.kind === 'refused') throw new Unreachable(located.lines.join('; '));
  const { suffix } = located;
  await using client = await connectRunning(context);
  if (client === undefined)
    throw new Unreachable(
      'no service answers here. Start one with: npm start (or atrium serve), in the same folder and with the same settings',
    );
  return await act({ client, suffix, suffixOf: (realm) => suffixOf(client, suffix, realm) });
}

/** A realm's entry says its domain; the suffix follows from that (RFC 2247), or else from the id. */
async function suffixOf({ actor }: OperatorsClient, suffix: string, realm: string): Promise<string> {
  if (realm === 'default') return suffix;
  const entry = await actor.read(nameIn('cn', realm, `ou=realms,${suffix}`), ['associatedDomain']);
  if (entry === undefined) throw new Absent(`there is no realm ${JSON.stringify(realm)}. See: atrium realm list`);
  const domain = entry.one('associatedDomain');
  return domain === undefined
    ? nameIn('o', realm, '')
    : domain.split('.').reduceRight((superior, label) => nameIn('dc', label, superior), '');
}
