import { text } from '#base';
import { type ErrorRow, refuse } from '#catalogue';
import { type Account, judgePassword } from '#credentials';
import { decodeAttributes, type Request, type Result } from '#ldap';
import { protectsPasswords } from '#policy';
import { isWithin } from '#schema';
import type { StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { door } from '../controls/door.ts';
import { type Engine, hashCost } from '../engine.ts';
import { errors } from '../errors.ts';
import { type Name, nameOf } from '../realm.ts';
import { done } from '../result.ts';
import type { Identity } from '../types.ts';
import { passwordKey } from '../write.ts';

type BindRequest = Request & { kind: 'bindRequest' };

export const anonymous: Identity = { dn: undefined, uuid: undefined, strength: 'anonymous' };

/** For the audit beside the refusal: what was wrong with a stored hash. */
export type ReportFault = (fault: ErrorRow) => void;

/**
 * Binds: anonymously, with a password, or by the operators' socket itself. The connection is anonymous before it succeeds.
 *
 * @throws Refusal  protocolError, invalidDNSyntax, unwillingToPerform (a name without a password), authMethodNotSupported,
 *                  confidentialityRequired, and invalidCredentials for whatever else is wrong
 */
export async function bind(call: Call, request: BindRequest, report: ReportFault): Promise<Result> {
  const { connection } = call;
  if (request.version !== 3) throw refuse(errors.protocolVersion);
  const { authentication } = request;
  if (authentication.kind === 'sasl') {
    connection.identity = external(call, authentication);
    return done;
  }
  const { password } = authentication;
  if (password.length === 0) {
    if (request.name !== '') throw refuse(errors.bindWithoutPassword);
    return done;
  }
  connection.identity = await withPassword(call, request.name, password, report);
  return done;
}

/** SASL EXTERNAL (RFC 4422 appendix A): whoever may open the operators' socket is the operator. */
function external({ connection }: Call, { mechanism, credentials }: { mechanism: string; credentials?: Uint8Array }): Identity {
  if (connection.door !== 'operators' || mechanism !== 'EXTERNAL') throw refuse(errors.mechanismUnknown);
  if (credentials !== undefined && credentials.length > 0) throw refuse(errors.externalIdentity);
  return { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };
}

async function withPassword(call: Call, dn: string, password: Uint8Array, report: ReportFault): Promise<Identity> {
  const { engine, connection } = call;
  const mode = engine.settings['global.mode'];
  if (protectsPasswords(mode) && !connection.secure && !connection.loopback) throw refuse(errors.passwordUnprotected);
  const name = nameOf(engine.schema, dn);
  const outer = call.controls.of(door);

  const snapshot = engine.store.snapshot();
  const entry = entryOf(engine, name);
  const account = entry === undefined ? undefined : accountOf(entry);
  const judgement = await judgePassword(engine.hasher, hashCost(engine), { password, account, mode, mayChangeHere: outer !== undefined });
  if (judgement.kind === 'refused') {
    if (judgement.fault !== undefined) report(judgement.fault);
    throw refuse(judgement.row);
  }
  await engine.store.durable(snapshot.number);
  return { dn: entry?.dn, uuid: entry?.uuid, strength: 'ownPassword' };
}

function entryOf(engine: Engine, name: Name): StoredEntry | undefined {
  if (name.key.length === 0 || !isWithin(name.key, engine.realm.suffix.key)) return undefined;
  return engine.store.snapshot().byDnKey(name.key);
}

/** What an entry says about signing in as it. */
export function accountOf(entry: StoredEntry): Account {
  const first = (part: Uint8Array, key: string) =>
    decodeAttributes(part).find(({ description }) => description.toLowerCase() === key)?.values[0];
  const hash = first(entry.secret, passwordKey);
  const reset = first(entry.operational, 'pwdreset');
  return {
    passwordHash: hash === undefined ? undefined : text(hash),
    disabled: first(entry.operational, 'pwdaccountlockedtime') !== undefined,
    mustChange: reset !== undefined && text(reset) === 'TRUE',
  };
}
