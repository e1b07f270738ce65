import { refuse } from '#catalogue';
import type { Request, Response } from '#ldap';
import { checkProtected, judge } from '../account.ts';
import type { Call } from '../call.ts';
import { noControls } from '../controls/kind.ts';
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
    const entry = entryNamed(engine, snapshot, request.name);
    // Asked before the judgement takes its time: it is of this state of the store.
    const version = entry && snapshot.readable(entry.id)?.version;
    const { recalled, ...judged } = await judge(call, snapshot, { realm, dn: request.name }, entry, password, teller);
    connection.identity = judged.identity;
    if (entry !== undefined && version !== undefined && recalled !== undefined && call.controls === noControls)
      engine.settled.keep(call, request.name, password, { ...judged, recalled, realm, snapshot, entry, version });
  }
  return { kind: 'bindResponse', result: done };
}
