import type { Audit } from '#audit';
import type { SignedIn, Visit } from '#sessions';
import { errors } from './errors.ts';

/** A person as the sign-in needs them. */
export interface Known extends SignedIn {
  readonly dn: string;
}

/** Where people are found, and made where the mode makes them. */
export interface Registry {
  /** The person of a typed name, made first in a mode that makes entries. */
  find(typed: string): Promise<Known | undefined>;
  /** The DN of nobody: a bind as it costs what a bind as somebody costs. */
  nobody(typed: string): string;
}

/** A bind that judges a password. */
export type Judge = (attempt: {
  readonly dn: string;
  readonly password: string;
  readonly door: string;
  readonly address: string;
}) => Promise<{ readonly kind: 'accepted' | 'refused' }>;

export interface PasswordDeps {
  readonly registry: Registry;
  readonly judge: Judge;
  readonly audit: Audit;
  readonly realm: string;
}

/** Longer names are nobody's. */
const userNameLengthMax = 256;

/**
 * Proves a person by their password. The directory alone judges it, by a bind.
 *
 * Unknown, wrong and disabled take the same path: one search, one bind, one answer.
 *
 * @returns the person, or `undefined` when the sign-in failed
 */
export async function provePassword(
  { registry, judge, audit, realm }: PasswordDeps,
  typed: string,
  password: string,
  visit: Visit,
): Promise<Known | undefined> {
  const person = typed.length > userNameLengthMax ? undefined : await registry.find(typed);
  const { kind } = await judge({ dn: person?.dn ?? registry.nobody(typed), password, door: 'signin', address: visit.address });
  const proven = kind === 'accepted' ? person : undefined;
  audit.record({
    realm,
    // What was typed is not told: people type passwords into the field of the name.
    subject: person?.dn ?? '',
    action: 'signin.password',
    outcome: proven === undefined ? 'refused' : 'success',
    ...(proven === undefined ? { error: errors.passwordRefused } : {}),
    summary: proven === undefined ? errors.passwordRefused.means : 'the password was accepted at the sign-in screen',
    ...visit,
  });
  return proven;
}
