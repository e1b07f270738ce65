import { availableParallelism } from 'node:os';
import { equalBytes, text } from '#base';
import { createHasher, type HashCost } from '#keys';
import type { Modification } from '#ldap';
import { describe, type Schema } from '#schema';
import type { Difference } from '#transfer';
import type { Context } from './command.ts';
import { Misuse } from './exits.ts';

/** What is computed for a value that is no hash; one that is has its own. */
const leastCost: HashCost = { logN: 14, r: 8, p: 1 };

/**
 * Differences without the passwords that a file has in clear and whose hash the entry has already: else they would be set again each time.
 *
 * @param found  of a realm and a whole file, with secrets
 */
export async function* withoutSamePasswords(
  found: AsyncIterable<Difference>,
  schema: Schema,
  { chance, locate }: Pick<Context, 'chance' | 'locate'>,
): AsyncGenerator<Difference> {
  const located = locate();
  if (located.kind === 'refused') throw new Misuse(located.lines.join('; '));
  const hasher = createHasher({ cores: availableParallelism(), ...located.hashing, chance });
  const isOf = async (given: Uint8Array, stored: Uint8Array) =>
    equalBytes(given, stored) || (await hasher.verify(given, text(stored), leastCost)).matches;
  const isSame = async ({ operation, attribute }: Modification, { before = [] }: Difference) => {
    const type = describe(schema, attribute.description)?.type;
    if (operation !== 'replace' || type?.key !== 'userpassword') return false;
    const held = before.find(({ description }) => describe(schema, description)?.type.key === type.key)?.values ?? [];
    if (held.length !== attribute.values.length) return false;
    for (const [at, value] of attribute.values.entries()) if (!(await isOf(value, held[at] as Uint8Array))) return false;
    return true;
  };
  for await (const difference of found) {
    const { change } = difference;
    if (change.kind !== 'modify') {
      yield difference;
      continue;
    }
    const changes: Modification[] = [];
    for (const each of change.changes) if (!(await isSame(each, difference))) changes.push(each);
    if (changes.length > 0) yield changes.length === change.changes.length ? difference : { ...difference, change: { ...change, changes } };
  }
}
