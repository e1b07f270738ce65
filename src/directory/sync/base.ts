import { refuse } from '#catalogue';
import type { SearchRequest } from '#ldap';
import type { ReadableEntry } from '#store';
import type { Call } from '../call.ts';
import { checkAssertion } from '../controls/assertion.ts';
import { hasAny } from '../dse.ts';
import { errors } from '../errors.ts';
import { findBase } from '../lookup.ts';
import { withoutAliases } from '../search/aliases.ts';

/**
 * The entry at which a search for changes begins.
 *
 * @throws Refusal  `aliasesFollowed` (2): what an alias leads to would come and go without a change of its own; those of a search's base;
 *                  `assertionFailed` (122)
 */
export function baseOf(call: Call, { baseObject, derefAliases, scope }: SearchRequest): ReadableEntry {
  if (derefAliases === 'inSearching' || derefAliases === 'always') throw refuse(errors.aliasesFollowed);
  const { engine, asker, controls } = call;
  const snapshot = engine.store.snapshot();
  let named = engine.prepared.base(baseObject);
  if (derefAliases === 'findingBaseObj' && hasAny(engine, snapshot, 'alias')) named = withoutAliases(call, snapshot, named);
  const base = findBase(engine, asker, snapshot, named, { controls, scope });
  checkAssertion(call, snapshot, asker.rightsOn(base, snapshot), () => base);
  return base;
}
