/** What a signing key is used for: `current` signs, `next` will, `previous` did and is still published, `revoked` is not. */
export const keyStates = ['current', 'next', 'previous', 'revoked'] as const;
export type KeyState = (typeof keyStates)[number];
