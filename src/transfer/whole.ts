import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import { isWithin, parentKey } from '#schema';
import { errors } from './errors.ts';
import type { NamedEntry } from './named.ts';

/**
 * Lets entries through that make a whole realm: its own entry first, and of every other one the superior.
 *
 * @param entries  in the order of their names
 * @throws Refusal `transferRefused` with the line of the first that does not fit
 */
export async function* whole(entries: AsyncIterable<NamedEntry>, suffix: Uint8Array): AsyncGenerator<NamedEntry> {
  const above: Uint8Array[] = [];
  for await (const entry of entries) {
    const { line, dn, key } = entry;
    while (above.length > 0 && !isWithin(key, above.at(-1) as Uint8Array)) above.pop();
    const superior = above.at(-1);
    if (superior === undefined && !equalBytes(key, suffix))
      throw refuse(errors.transferRefused, {
        line,
        dn,
        why: 'the file is no whole realm: what it has above all others is not the entry of the suffix',
      });
    if (superior !== undefined && !equalBytes(superior, parentKey(key) ?? key))
      throw refuse(errors.transferRefused, { line, dn, why: 'the file has no entry above it' });
    above.push(key);
    yield entry;
  }
}
