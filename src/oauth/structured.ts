import { structuredHandle } from './provider/handles.ts';

/**
 * The library introspects and revokes what it finds by its value, which a JWT is not. Its `jti` stands for it here: the adapter knows what was remembered of it,
 * and says nothing of one whose signature or issuer is not this server's own, since nothing is remembered of that.
 */
export function rewriteStructured(form: URLSearchParams): URLSearchParams {
  const [token, ...others] = form.getAll('token');
  // Of several the library says itself that there may be one.
  if (token !== undefined && others.length === 0) form.set('token', structuredHandle(token));
  return form;
}
