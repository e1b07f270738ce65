import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { identify } from '../account.ts';
import { dnTriedOf } from '../attempts.ts';
import { errors } from '../errors.ts';
import { entryOfId, realmOfId } from '../named.ts';
import { authorized } from '../taking.ts';
import type { SaslKind } from './kind.ts';

/** PLAIN (RFC 4616): a password in clear, so only where nobody else can read it, in development mode too. */
export const plain: SaslKind = {
  mechanism: 'PLAIN',
  offered: ({ connection }) => connection.secure,
  async begin(call, credentials, teller) {
    const { engine } = call;
    const [authzId, name, password, ...more] = credentials === undefined ? [] : (text(credentials)?.split('\0') ?? []);
    if (authzId === undefined || !name || !password || more.length > 0) throw refuse(errors.saslMalformed);
    teller.subject(name);
    const snapshot = engine.store.snapshot();
    const realm = realmOfId(engine, snapshot, name, 'uid');
    const entry = entryOfId(engine, snapshot, name, 'uid');
    const itself = await identify(call, snapshot, { realm, dn: dnTriedOf(engine, snapshot, entry, name) }, entry, utf8(password), teller);
    return { kind: 'done', identity: authorized(engine, engine.store.snapshot(), itself, authzId, call.connection) };
  },
};
