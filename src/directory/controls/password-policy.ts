import { type ErrorRow, Refusal } from '#catalogue';
import { credentialsErrors } from '#credentials';
import { encodeBer, type Request } from '#ldap';
import { errors } from '../errors.ts';
import { type ControlKind, type Controls, readMark } from './kind.ts';

/**
 * Password policy (draft-behera-ldap-password-policy-10 §6): who asks for it is told in a form that programs read what the policy has to do with the answer. To
 * somebody whose password is not right it says nothing, and no more of an account that is disabled than of one that nobody has.
 */
export const passwordPolicy: ControlKind<true> = {
  oid: '1.3.6.1.4.1.42.2.27.8.5.1',
  name: 'password policy',
  operations: ['bindRequest', 'addRequest', 'modifyRequest', 'extendedRequest'],
  read: readMark,
};

/** What goes along with a bind that succeeds. */
export type PolicyWarning =
  | { readonly kind: 'expires'; readonly inS: number }
  /** How often the password that has expired is let in after this time. */
  | { readonly kind: 'grace'; readonly left: number };

const warnings = new WeakMap<Controls, PolicyWarning>();

/** Keeps a warning for the final answer, where somebody asks for it. */
export function warnOfPassword(controls: Controls, warning: PolicyWarning): void {
  if (controls.has(passwordPolicy)) warnings.set(controls, warning);
}

/** The errors of the control, by their numbers. 1, an account that is locked, is never told: the answer to such a bind is that to a wrong password. */
const codes = {
  passwordExpired: 0,
  changeAfterReset: 2,
  passwordModNotAllowed: 3,
  mustSupplyOldPassword: 4,
  insufficientPasswordQuality: 5,
  passwordTooShort: 6,
  passwordTooYoung: 7,
  passwordInHistory: 8,
} as const;

const byRow: ReadonlyMap<ErrorRow['code'], keyof typeof codes> = new Map([
  [errors.passwordExpired.code, 'passwordExpired'],
  [credentialsErrors.passwordToChange.code, 'changeAfterReset'],
  [errors.passwordFixed.code, 'passwordModNotAllowed'],
  [errors.oldPasswordMissing.code, 'mustSupplyOldPassword'],
  [errors.passwordWeak.code, 'insufficientPasswordQuality'],
  [errors.passwordCommon.code, 'insufficientPasswordQuality'],
  [credentialsErrors.passwordUnfit.code, 'insufficientPasswordQuality'],
  [credentialsErrors.hashNotAccepted.code, 'insufficientPasswordQuality'],
  [errors.passwordYoung.code, 'passwordTooYoung'],
  [errors.passwordUsed.code, 'passwordInHistory'],
  [errors.passwordSame.code, 'passwordInHistory'],
]);

const tags = { warning: 0xa0, expires: 0x80, grace: 0x81, error: 0x81 } as const;
const passwordModifyOid = '1.3.6.1.4.1.4203.1.11.1';

/** Sends the control along with the final answer, where the request brought it and is one that can be about a password. */
export function answerPasswordPolicy(controls: Controls | undefined, op: Request, refusal?: unknown): void {
  if (controls?.has(passwordPolicy) !== true) return;
  if (op.kind === 'extendedRequest' && op.oid !== passwordModifyOid) return;
  const warning = refusal === undefined ? warnings.get(controls) : undefined;
  const error = refusal instanceof Refusal ? errorOf(refusal) : undefined;
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      if (warning !== undefined)
        ber.sequence(
          () => (warning.kind === 'expires' ? ber.number(warning.inS, tags.expires) : ber.number(warning.left, tags.grace)),
          tags.warning,
        );
      if (error !== undefined) ber.number(codes[error], tags.error);
    }),
  );
  controls.answer({ oid: passwordPolicy.oid, critical: false, value });
}

function errorOf({ row, detail }: Refusal): keyof typeof codes | undefined {
  if (row.code === errors.passwordWeak.code && detail['rule'] === 'length') return 'passwordTooShort';
  return byRow.get(row.code);
}
