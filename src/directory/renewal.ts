import { text, utf8 } from '#base';
import { Refusal } from '#catalogue';
import type { StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { realmOf } from './realms.ts';
import { attributesOf } from './record.ts';
import { unnoticed } from './unnoticed.ts';
import { settleVerifiers, verifiersOf } from './verifiers.ts';
import { passwordKey, submit } from './write.ts';

/**
 * Puts a hash of ours in the place of another system's, and the verifiers that the password policy asks for beside it. The password does not change, nor does
 * anybody change it. It needs the entry to be as it was read: where somebody has changed it meanwhile, all stays as it is until the next time.
 *
 * @param password  the one that was found right
 * @returns the scheme of the hash that is gone; `undefined` when it was not replaced
 */
export async function renewHash(engine: Engine, entry: StoredEntry, password: Uint8Array, renewed: string): Promise<string | undefined> {
  try {
    const realm = realmOf(engine, engine.store.snapshot(), entry.dnKey) ?? engine.realms.default;
    const verifiers = await verifiersOf(engine, password, realm);
    // Read again: what was read before a pause is of the past.
    const snapshot = engine.store.snapshot();
    if (snapshot.byUuid(entry.uuid)?.csn !== entry.csn) return undefined;
    const attributes = attributesOf(engine.schema, entry);
    const was = attributes.get(passwordKey)?.values[0];
    if (was === undefined) return undefined;
    const hash = utf8(renewed);
    attributes.set(passwordKey, { description: 'userPassword', values: [hash] });
    settleVerifiers(attributes, was, hash, new Map([[hash, verifiers]]));
    const { kind } = await submit(engine, unnoticed(engine, snapshot, entry, attributes, new Set([passwordKey])));
    return kind === 'conflict' ? undefined : /^\{[^}]*\}/.exec(text(was) ?? '')?.[0];
  } catch (error) {
    // Too many hashes waiting, or a schema that changes: the sign-in is none the worse for it.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
