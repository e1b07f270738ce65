declare const brand: unique symbol;

/** A value that was parsed at the door: `type SessionId = Brand<string, 'SessionId'>`. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
