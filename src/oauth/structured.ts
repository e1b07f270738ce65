import { text } from '#base';
import { structuredHandle } from './provider/handles.ts';

/**
 * The library introspects and revokes what it finds by its value, which a JWT is not. Its `jti` stands for it here: the adapter knows what was remembered of it,
 * and says nothing of one whose signature or issuer is not this server's own, since nothing is remembered of that.
 */
export function rewriteStructured(body: Uint8Array): Uint8Array {
  const form = new URLSearchParams(text(body) ?? '');
  const token = form.get('token');
  if (token === null) return body;
  form.set('token', structuredHandle(token));
  return Buffer.from(form.toString());
}
