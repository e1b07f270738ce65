import { type Control, decodeBer, encodeBer, type Request, resultCodes } from '#ldap';
import type { Link } from './link.ts';
import { ClientRefusal } from './refusal.ts';

/** A change that may be one of several. */
export interface Update {
  readonly op: Extract<Request, { readonly kind: 'addRequest' | 'delRequest' | 'modifyRequest' | 'modifyDNRequest' }>;
  /** Its own, beside those that say for whom it is made. */
  readonly controls?: readonly Control[];
}

/** Which of the updates is why nothing was done, from 0, and why. */
export interface UpdateRefused {
  readonly at: number;
  readonly refusal: ClientRefusal;
}

const startOid = '1.3.6.1.1.21.1';
const specificationOid = '1.3.6.1.1.21.2';
const endOid = '1.3.6.1.1.21.3';

/**
 * Makes all updates, or none: each is judged as if those before it had been made (RFC 5805).
 *
 * @param link  one that nobody else uses meanwhile; of no use any more when this rejects otherwise than with a ClientRefusal
 * @param controls  under whose authority
 * @returns the first update that is refused; nothing when all are made
 * @throws ClientRefusal when it is no update's fault; Refusal STS-CORE-9100, 9101 when what became of them is not known
 */
export async function performTogether(
  link: Link,
  updates: readonly Update[],
  controls: readonly Control[],
  timeoutMs: number,
): Promise<UpdateRefused | undefined> {
  const begun = await link.perform({ kind: 'extendedRequest', oid: startOid }, controls, { timeoutMs });
  const identifier = begun.op.kind === 'extendedResponse' ? begun.op.value : undefined;
  if (begun.op.result.code !== resultCodes.success || identifier === undefined) throw new ClientRefusal(begun.op.result);
  const specification = [{ oid: specificationOid, critical: true, value: identifier }];
  const places = new Map<number, number>();
  const taken = await Promise.all(
    updates.map(({ op, controls: own = [] }, at) =>
      link.perform(op, [...specification, ...own], { timeoutMs, sent: (messageId) => places.set(messageId, at) }),
    ),
  );
  const failed = taken.findIndex(({ op }) => op.result.code !== resultCodes.success);
  const end = (commits: boolean) => {
    const value = encodeBer((ber) =>
      ber.sequence(() => {
        // RFC 5805 §2.3: TRUE is the default, and left out.
        if (!commits) ber.boolean(false);
        ber.octets(identifier);
      }),
    );
    return link.perform({ kind: 'extendedRequest', oid: endOid, value }, [], { timeoutMs });
  };
  if (failed >= 0) {
    await end(false);
    return { at: failed, refusal: new ClientRefusal((taken[failed] as (typeof taken)[number]).op.result) };
  }
  const { op } = await end(true);
  if (op.result.code === resultCodes.success) return undefined;
  const said =
    op.kind === 'extendedResponse' && op.value !== undefined ? decodeBer(op.value, (ber) => ber.sequence(() => ber.number())) : undefined;
  const at = said === undefined ? undefined : places.get(said);
  if (at === undefined) throw new ClientRefusal(op.result);
  return { at, refusal: new ClientRefusal(op.result) };
}
