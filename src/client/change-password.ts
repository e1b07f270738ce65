import { encodeBer, type Result, resultCodes } from '#ldap';
import type { SessionOf } from './actor.ts';
import type { Limited } from './limited.ts';
import { ClientRefusal } from './refusal.ts';

/** One's own password, to be changed by who knows it. */
export interface PasswordChange {
  readonly dn: string;
  readonly session: SessionOf;
  /** The one that they have; `undefined` for who has none. */
  readonly old: string | undefined;
  readonly fresh: string;
  /** The web layer's door: `portal`. */
  readonly door: string;
}

/** `old`: the old one is wrong. `fresh`: the new one is not taken, and `says` why. */
export type PasswordChanged =
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly why: 'old' }
  | { readonly kind: 'refused'; readonly why: 'fresh'; readonly says: string }
  | Limited;

export const passwordModifyOid = '1.3.6.1.4.1.4203.1.11.1';

const tags = { user: 0x80, old: 0x81, fresh: 0x82 } as const;

/** PasswdModifyRequestValue (RFC 3062 §2). Without `old` whoever asks must have the right to write the password. */
export function passwordModifyValue({ dn, old, fresh }: Pick<PasswordChange, 'dn' | 'old' | 'fresh'>): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(`dn:${dn}`, tags.user);
      if (old !== undefined) ber.string(old, tags.old);
      ber.string(fresh, tags.fresh);
    }),
  );
}

/**
 * What became of it.
 *
 * @param limited  where the directory said so beside its words
 * @throws ClientRefusal when nothing was judged, or it may not be done
 */
export function passwordChangedOf(result: Result, limited: Limited | undefined): PasswordChanged {
  if (result.code === resultCodes.success) return { kind: 'changed' };
  if (limited !== undefined) return limited;
  // Not the one that was proved any more: somebody else has set another meanwhile.
  const isOther = result.code === resultCodes.noSuchAttribute;
  if (isOther || result.code === resultCodes.unwillingToPerform) return { kind: 'refused', why: 'old' };
  if (result.code === resultCodes.constraintViolation) return { kind: 'refused', why: 'fresh', says: result.diagnostic };
  throw new ClientRefusal(result);
}
