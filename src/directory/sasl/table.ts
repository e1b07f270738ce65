import { refuse } from '#catalogue';
import type { Authentication, Response } from '#ldap';
import { resultCodes } from '#ldap';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import { external } from './external.ts';
import type { SaslKind, Step, Teller } from './kind.ts';
import { plain } from './plain.ts';
import { scramSha1, scramSha256 } from './scram.ts';

/**
 * Every SASL mechanism. The root DSE lists those that are offered where it is read, and nothing else. DIGEST-MD5 and CRAM-MD5 are left out on
 * purpose: they need passwords in clear, or what is as good, and MD5.
 */
const kinds: readonly SaslKind[] = [external, scramSha256, scramSha1, plain];

/** An exchange that waits for the client: one for each connection, gone with its next request, whatever that is. */
interface Exchange {
  readonly mechanism: string;
  readonly next: (credentials: Uint8Array | undefined, teller: Teller) => Promise<Step>;
}

/** What the root DSE names at this door. */
export function supportedMechanisms(call: Pick<Call, 'engine' | 'connection'>): string[] {
  return kinds.filter((kind) => kind.offered(call)).map(({ mechanism }) => mechanism);
}

/** More than any mechanism here has to say. */
const credentialsOctetsMax = 4096;

/**
 * One step of a bind by SASL (RFC 4513 §5.2.1).
 *
 * @param going  the exchange that waited when the request came; another mechanism begins anew
 * @throws Refusal `mechanismUnknown` (7), and what the mechanism refuses
 */
export async function saslBind(
  call: Call,
  { mechanism, credentials }: Authentication & { kind: 'sasl' },
  going: object | undefined,
  teller: Teller,
): Promise<Response> {
  const { connection } = call;
  const kind = kinds.find((each) => each.mechanism === mechanism && each.offered(call));
  if (kind === undefined) throw refuse(errors.mechanismUnknown);
  if (credentials !== undefined && credentials.length > credentialsOctetsMax) throw refuse(errors.saslMalformed);
  const waiting = going as Exchange | undefined;
  const step = await (waiting?.mechanism === mechanism ? waiting.next(credentials, teller) : kind.begin(call, credentials, teller));
  const shown = step.credentials === undefined ? {} : { serverSaslCreds: step.credentials };
  if (step.kind === 'done') {
    connection.identity = step.identity;
    return { kind: 'bindResponse', result: done, ...shown };
  }
  connection.exchange = { mechanism, next: step.next } satisfies Exchange;
  return { kind: 'bindResponse', result: { ...done, code: resultCodes.saslBindInProgress }, ...shown };
}
