import { type Actor, allOf, equals, present } from '#client';
import type { Filter } from '#ldap';
import { policyTexts as texts } from './policy-texts.ts';

const countedMax = 1000;

/** How many people a policy concerns by what they hold; counted up to a bound. */
export async function countFilters(
  actor: Actor,
  suffix: string,
): Promise<readonly { readonly words: string; readonly count: number; readonly isAtLeast: boolean }[]> {
  const isPerson = equals('objectClass', 'person');
  const asked: readonly (readonly [string, Filter])[] = [
    [texts.withKeys, allOf(isPerson, present('stsCredentialId'))],
    [texts.required, allOf(isPerson, equals('stsMfaRequired', 'TRUE'))],
    [texts.mustChange, allOf(isPerson, equals('pwdReset', 'TRUE'))],
  ];
  return Promise.all(
    asked.map(async ([words, filter]) => {
      const { entries, complete } = await actor.search({
        base: `ou=people,${suffix}`,
        scope: 'sub',
        filter,
        attributes: ['1.1'],
        sizeLimit: countedMax,
      });
      return { words, count: entries.length, isAtLeast: !complete };
    }),
  );
}
