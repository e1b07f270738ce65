import { refuse } from '#catalogue';
import type { Request, Response } from '#ldap';
import { checkProtected, identify } from '../account.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { entryNamed, realmOfId } from '../named.ts';
import { nameOf } from '../realm.ts';
import { done } from '../result.ts';
import type { Teller } from '../sasl/kind.ts';
import { saslBind } from '../sasl/table.ts';

type BindRequest = Request & { kind: 'bindRequest' };

/**
 * Binds: anonymously, with a password, or by a SASL mechanism. The connection is anonymous before it succeeds.
 *
 * @param going  an exchange by SASL that waited for its next step when this request came
 * @throws Refusal  protocolError, invalidDNSyntax, unwillingToPerform (a name without a password), authMethodNotSupported,
 *                  confidentialityRequired, and invalidCredentials for whatever else is wrong
 */
export async function bind(call: Call, request: BindRequest, going: object | undefined, teller: Teller): Promise<Response> {
  const { connection, engine } = call;
  if (request.version !== 3) throw refuse(errors.protocolVersion);
  const { authentication } = request;
  if (authentication.kind === 'sasl') return await saslBind(call, authentication, going, teller);
  const { password } = authentication;
  if (password.length === 0) {
    if (request.name !== '') throw refuse(errors.bindWithoutPassword);
  } else {
    const snapshot = engine.store.snapshot();
    const realm = realmOfId(engine, snapshot, request.name, 'dn');
    checkProtected(call, realm);
    nameOf(engine.schema, request.name);
    connection.identity = await identify(
      call,
      snapshot,
      { realm, dn: request.name },
      entryNamed(engine, snapshot, request.name),
      password,
      teller,
    );
  }
  return { kind: 'bindResponse', result: done };
}
