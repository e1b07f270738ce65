/** In which mode a realm is. The service's own default is `product`. */
export type Mode = 'development' | 'product';

/** The one password that development mode refuses, so that a failed sign-in can be tried out. */
export const reservedPassword = 'invalid';

/** True when a presented password is held against the stored hash. Otherwise any but `reservedPassword` is taken for an entry that exists. */
export function verifiesPasswords(mode: Mode): boolean {
  return mode === 'product';
}

/** True when a password that is set must keep the password policy of its realm. Old ones are kept in either mode. */
export function enforcesPasswords(mode: Mode): boolean {
  return mode === 'product';
}

/** True when a password may only come over a protected connection or from this machine itself. */
export function protectsPasswords(mode: Mode): boolean {
  return mode === 'product';
}

/**
 * True when a password that must be changed first is refused at every door but the sign-in screen.
 *
 * @see specification document 1, "Development and product mode"
 */
export function refusesPasswordsToChange(mode: Mode): boolean {
  return mode === 'product';
}

/** True when what must be read again to judge by it, as the secret of an authenticator app, lies sealed under the key-encryption key. */
export function sealsSecrets(mode: Mode): boolean {
  return mode === 'product';
}

/** True when the sign-in screen makes the entry of a person who has none. */
export function makesEntries(mode: Mode): boolean {
  return mode === 'development';
}

/**
 * The mode in force in a realm: its own, or the service's.
 *
 * @param given  the realm's `stsRealmMode`; anything but a mode counts as nothing given
 */
export function modeOf(given: string | undefined, service: Mode): Mode {
  const mode = given?.toLowerCase();
  return mode === 'development' || mode === 'product' ? mode : service;
}
