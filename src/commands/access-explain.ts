import { decodeBer, encodeBer } from '#ldap';
import { explainAccessOid } from './access-list.ts';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { Failure } from './exits.ts';
import type { Given } from './given.ts';
import { list } from './table.ts';

interface Decided {
  readonly right: string;
  /** Empty for a right on the entry itself. */
  readonly attributes: readonly string[];
  readonly allowed: boolean;
  readonly by: string;
  readonly name: string;
}

/** @returns the exit status */
export async function explainAccess(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client }) => {
    const answer = await client.extended(explainAccessOid, requestOf(given));
    const explained =
      answer &&
      decodeBer(answer, (ber) =>
        ber.sequence(() => ({
          visible: ber.boolean(),
          rows: ber.list(() =>
            ber.sequence(() => ({
              right: ber.string(),
              attribute: ber.string(),
              allowed: ber.boolean(),
              by: ber.string(),
              name: ber.string(),
            })),
          ),
        })),
      );
    if (explained === undefined) throw new Failure('the answer of the directory cannot be read');
    const { visible, rows } = explained;
    if (!given.flag('json'))
      context.stdout.write(visible ? 'They see that the entry is there.\n\n' : 'For them the entry is not there.\n\n');
    await list(together(rows), given, context, {
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

const tags = { as: 0x80, entry: 0x81, strength: 0x82, from: 0x83, attribute: 0x84, right: 0x85 } as const;

function requestOf(given: Given): Uint8Array {
  const as = given.need('as');
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(as === 'anonymous' ? '' : as.includes('=') || /^(?:u|dn):/i.test(as) ? as : `u:${as}`, tags.as);
      ber.string(given.need('DN'), tags.entry);
      for (const [name, option] of [
        ['strength', 'strength'],
        ['from', 'from'],
        ['attribute', 'ATTRIBUTE'],
        ['right', 'right'],
      ] as const) {
        const value = given.text(option);
        if (value !== undefined) ber.string(value, tags[name]);
      }
    }),
  );
}

/** Attributes about which the same rule says the same about the same right stand in one line. */
function together(
  rows: readonly {
    readonly right: string;
    readonly attribute: string;
    readonly allowed: boolean;
    readonly by: string;
    readonly name: string;
  }[],
): Iterable<Decided> {
  const lines = new Map<string, Decided & { attributes: string[] }>();
  for (const { attribute, ...row } of rows) {
    const key = JSON.stringify(row);
    const line = lines.get(key) ?? { ...row, attributes: [] };
    lines.set(key, line);
    if (attribute !== '') line.attributes.push(attribute);
  }
  return lines.values();
}
