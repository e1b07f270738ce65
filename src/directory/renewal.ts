import { text, utf8 } from '#base';
import { Refusal } from '#catalogue';
import type { Snapshot, StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { changeOf, editedLists, settleLists } from './lists.ts';
import { nameOf } from './realm.ts';
import { realmOf } from './realms.ts';
import { attributesOf, stampChanged } from './record.ts';
import { settleVerifiers, verifiersOf } from './verifiers.ts';
import { passwordKey, submit } from './write.ts';

/** The password does not change, nor does anybody change it: of all that is kept of a change, only the number of the commit moves. */
const kept = new Set(['modifytimestamp', 'modifiersname']);

/**
 * Puts a hash of ours in the place of another system's, and the verifiers that the password policy asks for beside it. It needs the entry to be as it was
 * read: where somebody has changed it meanwhile, all stays as it is until the next time.
 *
 * @param password  the one that was found right
 * @returns the scheme of the hash that is gone; `undefined` when it was not replaced
 */
export async function renewHash(
  engine: Engine,
  snapshot: Snapshot,
  entry: StoredEntry,
  password: Uint8Array,
  renewed: string,
): Promise<string | undefined> {
  const { schema, clock, csn: csns } = engine;
  try {
    const verifiers = await verifiersOf(engine, password, realmOf(engine, snapshot, entry.dnKey) ?? engine.realms.default);
    const attributes = attributesOf(schema, entry);
    const was = attributes.get(passwordKey)?.values[0];
    if (was === undefined) return undefined;
    const hash = utf8(renewed);
    attributes.set(passwordKey, { description: 'userPassword', values: [hash] });
    settleVerifiers(attributes, was, hash, new Map([[hash, verifiers]]));
    const lists = editedLists(schema, snapshot, entry);
    settleLists(schema, attributes, entry, lists);
    const csn = csns.next();
    stampChanged(attributes, { csn, nowMs: clock.nowMs(), by: '' }, kept);
    const place = { uuid: entry.uuid, parent: entry.parent, name: { ...nameOf(schema, entry.dn), text: entry.dn }, csn };
    const { change } = changeOf(schema, place, attributes, lists, entry);
    const { kind } = await submit(engine, { expected: [{ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn }], changes: [change] });
    return kind === 'conflict' ? undefined : /^\{[^}]*\}/.exec(text(was) ?? '')?.[0];
  } catch (error) {
    // Too many hashes waiting, or a schema that changes: the sign-in is none the worse for it.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
