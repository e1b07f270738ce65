import { refuse } from '#catalogue';
import type { Request, Response } from '#ldap';
import type { About } from '../audit.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import type { Connection } from '../types.ts';
import { makeAppPassword, revokeAppPassword } from './app-passwords.ts';
import { countConnections } from './connections.ts';
import { endTransaction } from './end-transaction.ts';
import { explainAccess } from './explain-access.ts';
import { issueLink } from './issue-link.ts';
import type { ExtendedKind } from './kind.ts';
import { mailQueue } from './mail-queue.ts';
import { passwordModify } from './password-modify.ts';
import { refresh } from './refresh.ts';
import { restorePerson } from './restore-person.ts';
import { showSecret } from './show-secret.ts';
import { openSigningKeys, rotateSigningKeys } from './signing-keys.ts';
import { startTransaction } from './start-transaction.ts';
import { verify } from './verify.ts';
import { wakeMails } from './wake-mails.ts';
import { whoAmI } from './who-am-i.ts';
import { why } from './why.ts';

/** Every extended operation of the directory. The root DSE lists these, those that the listener answers by itself, and nothing else. */
const kinds: readonly ExtendedKind[] = [
  whoAmI,
  passwordModify,
  startTransaction,
  endTransaction,
  refresh,
  explainAccess,
  restorePerson,
  why,
  showSecret,
  verify,
  issueLink,
  mailQueue,
  wakeMails,
  makeAppPassword,
  revokeAppPassword,
  openSigningKeys,
  rotateSigningKeys,
  countConnections,
];

/** What the root DSE names at this door, beside what the listener itself answers. */
export function supportedExtensions(connection: Connection): string[] {
  return kinds.filter((kind) => isOffered(kind, connection)).map(({ oid }) => oid);
}

/** @throws Refusal `extensionUnknown` (LDAP protocolError, RFC 4511 §4.12), and what the operation refuses */
export function extended(
  call: Call,
  { oid, value }: Request & { kind: 'extendedRequest' },
  tell: (summary: string) => void,
  about: (about: About) => void,
): Response | Promise<Response> {
  const kind = kinds.find((each) => each.oid === oid);
  if (kind === undefined || !isOffered(kind, call.connection)) throw refuse(errors.extensionUnknown, { oid });
  return kind.perform(call, value, tell, about);
}

function isOffered({ offered }: ExtendedKind, connection: Connection): boolean {
  return offered === undefined || offered(connection);
}
