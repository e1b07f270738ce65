import { type ErrorRow, Refusal } from '#catalogue';
import { encodeBer } from '#ldap';

/** Why a code is not taken, for the web layer to choose its words by. */
type Why = 'wrong' | 'replay' | 'absent' | 'held';

const whyTag = 0x80;

/** A refusal whose answer says why in a form that programs read: SEQUENCE { why [0] OCTET STRING }. */
export class VerificationRefused extends Refusal {
  readonly value: Uint8Array;
  constructor(row: ErrorRow, why: Why) {
    super(row, {});
    this.value = encodeBer((ber) => ber.sequence(() => ber.string(why, whyTag)));
  }
}
