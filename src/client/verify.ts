import { utf8 } from '#base';
import { type BerWriter, type Control, decodeBer, encodeBer, type Response, resultCodes } from '#ldap';
import type { SessionOf } from './actor.ts';
import type { Limited } from './limited.ts';
import { ClientRefusal } from './refusal.ts';

/** What somebody shows beside a password, and where. */
export interface Verification {
  readonly dn: string;
  readonly secret: /** Nothing is shown: whether rules of access let anybody sign in as the entry from there. */
    | { readonly kind: 'holder' }
    | { readonly kind: 'totp'; readonly code: string /** Steps of skew either side. */; readonly window: number }
    | { readonly kind: 'recovery'; readonly code: string }
    /** `credential` is the value of `stsTotpCredential`; it is written when the code proves it, and only with the right to write it. */
    | {
        readonly kind: 'enrolTotp';
        readonly credential: string;
        readonly code: string;
        readonly window: number;
        /** Refused (`held`) to who holds a second factor by then. */
        readonly onlyFirst?: true;
      };
  /** The web layer's door: `signin`. */
  readonly door: string;
  /** The browser's address. */
  readonly address: string;
  /** Whether nobody could read it on the way from the browser; not, when absent. */
  readonly isProtected?: boolean;
  /** For which an app is enrolled: before there is one, what was proved so far. */
  readonly session?: SessionOf;
}

export type Verified =
  /** Judged, spent and on disk. `left`: codes of a recovery set. */
  | { readonly kind: 'accepted'; readonly left?: number }
  /** `wrong` says nothing of why; `replay`: it is right, and was used; `absent`: there is no such factor; `held`: there is one already. */
  | { readonly kind: 'refused'; readonly why: 'wrong' | 'replay' | 'absent' | 'held' }
  | Limited;

export const verifyOid = '2.25.83716444157178576224225129172109131643.6.60';

const tags = { totp: 0xa0, recovery: 0xa1, enrolTotp: 0xa2, holder: 0xa3, left: 0x80, why: 0x80, onlyFirst: 0x80 } as const;

/** The value of the request, as the directory's `verify` reads it. */
export function verifyValue({ dn, secret }: Verification): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn);
      writeSecret(ber, secret);
    }),
  );
}

function writeSecret(ber: BerWriter, secret: Verification['secret']): void {
  switch (secret.kind) {
    case 'totp':
      ber.sequence(() => {
        ber.string(secret.code);
        ber.number(secret.window);
      }, tags.totp);
      return;
    case 'holder':
      ber.sequence(() => undefined, tags.holder);
      return;
    case 'recovery':
      ber.sequence(() => ber.string(secret.code), tags.recovery);
      return;
    case 'enrolTotp':
      ber.sequence(() => {
        ber.octets(utf8(secret.credential));
        ber.string(secret.code);
        ber.number(secret.window);
        if (secret.onlyFirst) ber.boolean(true, tags.onlyFirst);
      }, tags.enrolTotp);
      return;
  }
}

/** Controls of the request: the browser's door and address; to enrol, the person for whom it is done. */
export function verifyControls(asked: Verification, door: Control, onBehalf: readonly Control[]): readonly Control[] {
  return asked.secret.kind === 'enrolTotp' ? [door, ...onBehalf] : [door];
}

/** @throws ClientRefusal when nothing was judged: it could not be written, or may not be */
export function verifiedOf({ result, value }: Response & { readonly kind: 'extendedResponse' }): Verified {
  if (result.code === resultCodes.success) {
    const said = value && decodeBer(value, (ber) => ber.sequence(() => ({ left: ber.more ? ber.number(tags.left) : undefined })));
    return { kind: 'accepted', ...(said?.left === undefined ? {} : { left: said.left }) };
  }
  const said = value && decodeBer(value, (ber) => ber.sequence(() => ({ why: ber.string(tags.why) })));
  const why = whys.find((each) => each === said?.why);
  if (why === undefined) throw new ClientRefusal(result);
  return { kind: 'refused', why };
}

const whys = ['wrong', 'replay', 'absent', 'held'] as const;
