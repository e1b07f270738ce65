import { refuse } from '#catalogue';
import type { Control } from '#ldap';
import { errors } from '../errors.ts';
import type { Connection } from '../types.ts';
import { assertion } from './assertion.ts';
import { dereference } from './dereference.ts';
import { dontUseCopy } from './dont-use-copy.ts';
import { door } from './door.ts';
import { type ControlKind, type Controls, malformed, noControls, type Operation } from './kind.ts';
import { manageDsaIt } from './manage-dsa-it.ts';
import { matchedValues } from './matched-values.ts';
import { pageBehind } from './page-behind.ts';
import { pagedResults } from './paged-results.ts';
import { passwordPolicy } from './password-policy.ts';
import { permissiveModify } from './permissive-modify.ts';
import { persistentSearch } from './persistent-search.ts';
import { proxiedAuthorization } from './proxied-authorization.ts';
import { postRead, preRead } from './read-entry.ts';
import { relax } from './relax.ts';
import { session } from './session.ts';
import { sessionTracking } from './session-tracking.ts';
import { showDeleted } from './show-deleted.ts';
import { sorting } from './sorting.ts';
import { subentries } from './subentries.ts';
import { syncRequest } from './sync-request.ts';
import { transaction } from './transaction.ts';
import { treeDelete } from './tree-delete.ts';
import { virtualListView } from './virtual-list-view.ts';

/** Every control that Atrium knows. The root DSE lists these and nothing else. */
const kinds: readonly ControlKind<unknown>[] = [
  proxiedAuthorization,
  dontUseCopy,
  manageDsaIt,
  subentries,
  showDeleted,
  pagedResults,
  sorting,
  virtualListView,
  matchedValues,
  dereference,
  sessionTracking,
  assertion,
  preRead,
  postRead,
  permissiveModify,
  treeDelete,
  relax,
  transaction,
  syncRequest,
  persistentSearch,
  passwordPolicy,
  door,
  session,
  pageBehind,
];

const byOid: ReadonlyMap<string, ControlKind<unknown>> = new Map(kinds.map((kind) => [kind.oid, kind]));

/** What the root DSE names at this door. */
export function supportedControls(connection: Connection): string[] {
  return kinds.filter((kind) => isOffered(kind, connection)).map(({ oid }) => oid);
}

/**
 * Those controls of a request that count here; others are ignored.
 *
 * @throws Refusal `controlUnknown` (LDAP 12) for a critical one that does not (RFC 4511 §4.1.11); `controlMalformed` (2) for a value that cannot
 *                 be read and for one that comes twice
 */
export function recognizedControls(connection: Connection, operation: Operation, controls: readonly Control[]): Controls {
  if (controls.length === 0) return noControls;
  const values = new Map<ControlKind<unknown>, unknown>();
  const counted: Control[] = [];
  for (const control of controls) {
    const kind = byOid.get(control.oid);
    if (kind?.operations.includes(operation) === true && isOffered(kind, connection)) {
      if (values.has(kind)) throw malformed(control);
      values.set(kind, kind.read(control));
      counted.push(control);
    } else if (control.critical) throw refuse(errors.controlUnknown, { oid: control.oid });
  }
  const answers: Control[] = [];
  return {
    // Values are kept under the kind that read them.
    of: <T>(kind: ControlKind<T>) => values.get(kind) as T | undefined,
    has: (kind) => values.has(kind),
    counted,
    answer: (control) => answers.push(control),
    answers,
  };
}

function isOffered({ offered }: ControlKind<unknown>, connection: Connection): boolean {
  return offered === undefined || offered(connection);
}
