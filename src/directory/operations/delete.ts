import { refuse } from '#catalogue';
import type { Request, Result } from '#ldap';
import type { StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { find } from '../lookup.ts';
import { withReferences } from '../relations/references.ts';
import { done } from '../result.ts';
import { commit, type Decision } from '../write.ts';

type DeleteRequest = Request & { kind: 'delRequest' };

/**
 * Deletes an entry that has none below it.
 *
 * @param isDue  asked for the entry as it is committed: false is refused as `contended`
 * @throws Refusal  RFC 4511 §4.8: referral, noSuchObject, insufficientAccessRights, notAllowedOnNonLeaf
 */
export async function remove(call: Call, request: DeleteRequest, isDue: (entry: StoredEntry) => boolean = () => true): Promise<Result> {
  const { engine, asker, controls } = call;
  await commit(engine, (snapshot) => {
    const { entry, rights } = find(engine, asker, snapshot, request.entry, { controls, changes: true });
    if (!rights.mayDelete) throw refuse(errors.accessDenied, { why: 'this entry may not be deleted' });
    if (!isDue(entry)) throw refuse(errors.contended);
    if (snapshot.hasChildren(entry.uuid)) throw refuse(errors.entryHasSubordinates);
    const decision: Decision = {
      expected: [
        { kind: 'unchanged', uuid: entry.uuid, csn: entry.csn },
        { kind: 'childless', uuid: entry.uuid },
      ],
      changes: [{ kind: 'delete', uuid: entry.uuid, csn: engine.csn.next() }],
    };
    return withReferences(call, snapshot, decision, [{ dn: entry.dn, dnKey: entry.dnKey, to: undefined }]);
  });
  return done;
}
