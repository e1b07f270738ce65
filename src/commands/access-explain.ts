import { type AccessDecision, explainAccess } from '#client';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { Failure } from './exits.ts';
import type { Given } from './given.ts';
import { list } from './table.ts';

interface Decided extends Omit<AccessDecision, 'attribute'> {
  readonly attributes: readonly string[];
}

/** @returns the exit status */
export async function showDecisions(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client }) => {
    const explained = await explainAccess(client, {
      as: given.need('as'),
      entry: given.need('DN'),
      strength: given.text('strength'),
      from: given.text('from'),
      attribute: given.text('ATTRIBUTE'),
      right: given.text('right'),
    });
    if (explained === undefined) throw new Failure('the answer of the directory cannot be read');
    const { visible, decisions } = explained;
    if (!given.flag('json'))
      context.stdout.write(visible ? 'They see that the entry is there.\n\n' : 'For them the entry is not there.\n\n');
    await list(together(decisions), given, context, {
      columns: [
        { head: 'RIGHT', of: ({ right }) => right },
        { head: 'DECISION', of: ({ allowed }) => (allowed ? 'allowed' : 'refused') },
        { head: 'BY', of: ({ by }) => by },
        { head: 'WHICH', of: ({ name }) => name },
        { head: 'ATTRIBUTES', of: ({ attributes }) => attributes.join(' ') },
      ],
      json: (each) => ({ visible, ...each }),
      none: 'Nothing was decided.',
    });
    return 0;
  });
}

/** Attributes about which the same rule says the same about the same right stand in one line. */
function together(decisions: readonly AccessDecision[]): Iterable<Decided> {
  const lines = new Map<string, Decided & { attributes: string[] }>();
  for (const { attribute, ...row } of decisions) {
    const key = JSON.stringify(row);
    const line = lines.get(key) ?? { ...row, attributes: [] };
    lines.set(key, line);
    if (attribute !== '') line.attributes.push(attribute);
  }
  return lines.values();
}
