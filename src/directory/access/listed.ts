import type { Realm } from '../realm.ts';
import { builtInSet } from './table.ts';

/** A row of the built-in set, with the attributes that an entry would have. */
export interface ListedRow {
  readonly name: string;
  readonly attributes: readonly (readonly [description: string, values: readonly string[]])[];
}

/** The built-in set with the names of a realm, as it is in force there. */
export function builtInRows({ suffix, people, groups, settings }: Realm): readonly ListedRow[] {
  const names = { '{suffix}': suffix.text, '{people}': people.text, '{groups}': groups.text };
  const fill = (value: string) => Object.entries(names).reduce((filled, [mark, name]) => filled.replace(mark, () => name), value);
  const isPublic = settings['ldap.anonymousRead'] === 'public';
  return builtInSet
    .filter(({ when }) => when === undefined || isPublic)
    .map(({ means, who, strength = [], target = [], attributes = [], rights }) => ({
      name: means,
      attributes: (
        [
          ['stsRuleWho', who],
          ['stsRuleStrength', strength],
          ['stsRuleTarget', target.map(fill)],
          ['stsRuleAttribute', attributes],
          ['stsRuleRight', rights],
        ] as const
      ).filter(([, values]) => values.length > 0),
    }));
}
