import { builtInRules, type ClientEntry, type OperatorsClient } from '#client';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { Failure } from './exits.ts';
import type { Given } from './given.ts';
import { list } from './table.ts';

interface Listed {
  /** Of a rule of the realm; the built-in set comes behind all of them. */
  readonly order: number | undefined;
  /** The DN of a rule; what one of the built-in set does. */
  readonly name: string;
  /** The same, and of a rule the cn. */
  readonly title: string;
  readonly effect: string;
  readonly who: readonly string[];
  readonly strength: readonly string[];
  readonly from: readonly string[];
  readonly target: readonly string[];
  readonly filter: string | undefined;
  readonly attributes: readonly string[];
  readonly rights: readonly string[];
}

/** Rules that are read, at most. */
const rulesMax = 1_000_000;

/** @returns the exit status. @throws Absent for a realm that is not there */
export async function listAccess(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const rules = [...(await ownRules(client, suffix)), ...(await builtIn(client, suffix))];
    const all = (values: readonly string[]) => values.join(' ');
    await list(rules, given, context, {
      columns: [
        { head: 'ORDER', of: ({ order }) => (order === undefined ? 'built-in' : String(order)) },
        { head: 'EFFECT', of: ({ effect }) => effect },
        { head: 'NAME', of: ({ title }) => title, telling: true },
        { head: 'RIGHTS', of: ({ rights }) => all(rights) },
        { head: 'WHO', of: ({ who }) => all(who) },
        { head: 'HOW', of: ({ strength, from }) => all([...strength, ...from]) },
        { head: 'TARGET', of: ({ target, filter }) => all([...target, ...(filter === undefined ? [] : [filter])]) },
        { head: 'ATTRIBUTES', of: ({ attributes }) => all(attributes) },
      ],
      json: ({ title: _, ...rule }) => rule,
      none: 'There are no rules.',
    });
    return 0;
  });
}

async function ownRules({ actor }: OperatorsClient, suffix: string): Promise<Listed[]> {
  const filter = { kind: 'equality', description: 'objectClass', value: Buffer.from('stsAccessRule') } as const;
  const { entries } = await actor.search({ base: suffix, scope: 'sub', filter, sizeLimit: rulesMax });
  const folded = (entry: ClientEntry) => (entry.one('cn') ?? '').toLowerCase().trim().replaceAll(/\s+/g, ' ');
  return entries
    .map((entry) => ({ entry, order: Number(entry.one('stsRuleOrder')), cn: folded(entry) }))
    .sort((a, b) => a.order - b.order || (a.cn < b.cn ? -1 : 1))
    .map(({ entry, order }) => listed(order, entry.dn, entry.one('cn') ?? entry.dn, (name) => entry.all(name)));
}

/** The built-in set as the directory has it for a realm. */
async function builtIn(client: OperatorsClient, suffix: string): Promise<Listed[]> {
  const rows = await builtInRules(client, suffix);
  if (rows === undefined) throw new Failure('the answer of the directory cannot be read');
  return rows.map(({ name, values }) => listed(undefined, name, name, (each) => values.get(each) ?? []));
}

function listed(order: number | undefined, name: string, title: string, all: (name: string) => readonly string[]): Listed {
  return {
    order,
    name,
    title,
    effect: all('stsRuleEffect')[0]?.toLowerCase() ?? 'allow',
    who: all('stsRuleWho'),
    strength: all('stsRuleStrength'),
    from: all('stsRuleFrom'),
    target: all('stsRuleTarget'),
    filter: all('stsRuleFilter')[0],
    attributes: all('stsRuleAttribute'),
    rights: all('stsRuleRight'),
  };
}
