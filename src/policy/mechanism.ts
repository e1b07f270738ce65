/** A way to show who one is, as the authentication policy names it. */
export type Mechanism = (typeof mechanisms)[number];

/** All there are, in the order in which they are named to people. */
export const mechanisms = ['password', 'security-key', 'authenticator-app', 'recovery-code', 'email-code', 'email-link'] as const;
