import type { OperatorsClient } from '#client';
import { secretAttributes } from './managed-rows.ts';

const standing: ReadonlySet<string> = new Set(secretAttributes);
const none: ReadonlySet<string> = new Set();

/**
 * Whether an attribute's values are never given on a command line: by a name or the OID, whatever options stand behind it (RFC 4512 §2.5).
 *
 * @param own  what a directory's own definitions hide besides what its files do, in lower case
 */
export function isSecret(name: string, own: ReadonlySet<string> = none): boolean {
  const type = (name.trim().toLowerCase().split(';')[0] ?? '').replace(/^oid\./, '');
  return standing.has(type) || own.has(type);
}

/** What a directory's schema hides by now: definitions may have been added while it ran. @throws ClientRefusal */
export async function hiddenIn({ actor }: OperatorsClient): Promise<ReadonlySet<string>> {
  // Late: most commands ask for nothing of it.
  const [{ hiddenNames }, { subschema }] = await Promise.all([import('#schema'), import('./definitions.ts')]);
  return new Set(hiddenNames((await actor.read(subschema, ['attributeTypes']))?.all('attributeTypes') ?? []));
}
