/** Stands before the handle of a token that is a JWT. Nothing that is given out looks like it. */
const prefix = 'jwt ';

/** What the library is given for a token: the token, or for a JWT its handle, which is the whole of it. */
export function structuredHandle(token: string): string {
  return isStructured(token) ? `${prefix}${token.replaceAll('.', ' ')}` : token;
}

/** Whether a token has the form of a JWT: all others are drawn from letters that hold no dot. */
export function isStructured(token: string): boolean {
  return token.split('.').length === 3;
}

/** The JWT of a handle; `undefined` for what is none. */
export function structuredOf(handle: string): string | undefined {
  return handle.startsWith(prefix) ? handle.slice(prefix.length).replaceAll(' ', '.') : undefined;
}
