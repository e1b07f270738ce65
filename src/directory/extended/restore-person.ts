import { utf8 } from '#base';
import { Refusal, refuse } from '#catalogue';
import { decodeBer, encodeBer } from '#ldap';
import { checkEntry, collectAttributes, type Schema, typeOfKey } from '#schema';
import type { StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { noControls } from '../controls/kind.ts';
import { errors } from '../errors.ts';
import { membersByName } from '../life/members.ts';
import { deletedIn, type KeptKind } from '../life/told.ts';
import { keptIn, saidBy } from '../life/tombstones.ts';
import { find } from '../lookup.ts';
import { remove } from '../operations/delete.ts';
import { write } from '../operations/write.ts';
import { nameOf, superiorOf } from '../realm.ts';
import { type Attributes, ownOperational, recordOf, stampChanged } from '../record.ts';
import { done } from '../result.ts';
import { commit, type Decision, type Look, writerName } from '../write.ts';
import type { ExtendedKind } from './kind.ts';

/**
 * Restores a person, a group or an application that was deleted: the entry as it was, with its entryUUID, and without what was signed in with; and the values
 * that named it, as far as the entries are there that had them, and who asks may write these. Of a group's members those come back that are there.
 *
 * Request: SEQUENCE { name OCTET STRING } of what is kept of them. Answer: SEQUENCE { name OCTET STRING, back SEQUENCE OF OCTET STRING, lost SEQUENCE OF OCTET
 * STRING }: names of entries that name them again, and those of `stsDeletedReference` that do not. Who asks manages what is kept, and may add the entry.
 * What is kept goes last: a restoration that was cut short is finished by the next.
 *
 * @throws Refusal `restoreMalformed` (2), `entryAbsent` (32), `accessDenied` (50), `entryExists` (68) for a name that is somebody else's by now, `restoreRefused` (53),
 *                 and what the schema or uniqueness refuses
 */
export const restorePerson: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.75',
  name: 'restore person',
  async perform(call, value, tell) {
    const { engine, asker } = call;
    const asked = value && decodeBer(value, (ber) => ber.sequence(() => ({ dn: ber.string() })));
    if (asked === undefined) throw refuse(errors.restoreMalformed);
    const snapshot = engine.store.snapshot();
    const { entry: stone, rights } = find(engine, asker, snapshot, asked.dn);
    const deleted = deletedIn(stone.dn);
    if (deleted === undefined) throw refuse(errors.restoreRefused, { why: 'this is nothing that was deleted' });
    if (!rights.mayManage || !rights.mayDelete) throw refuse(errors.accessDenied, { why: 'what is kept of this entry may not be managed' });
    const dn = saidBy(stone, 'stsDeletedDN')[0] ?? '';
    await commit(engine, (look) => restored(call, look, stone.uuid, deleted));
    const { back, lost } = await referAgain(call, stone, dn);
    await commit(engine, remove({ ...call, controls: noControls }, { kind: 'delRequest', entry: stone.dn }));
    tell(`restored ${dn}, named by ${back.length} entries again, by ${lost.length} no more`);
    const answer = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(dn);
        for (const names of [back, lost])
          ber.sequence(() => {
            for (const each of names) ber.string(each);
          });
      }),
    );
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

/** The entry as it was; nothing is left to do where it is back already. */
function* restored(
  call: Call,
  look: Look,
  stoneUuid: string,
  { uuid, kind }: { readonly uuid: string; readonly kind: KeptKind },
): Generator<undefined, Decision> {
  const { engine, asker } = call;
  const { schema, clock } = engine;
  const attributes = keptAttributes(schema, look().byUuid(stoneUuid));
  if (kind === 'group') yield* membersByName(engine, look, attributes, look().byUuid(stoneUuid)?.dnKey ?? new Uint8Array());
  const snapshot = look();
  const stone = snapshot.byUuid(stoneUuid);
  if (stone === undefined) throw refuse(errors.entryAbsent);
  const name = nameOf(schema, saidBy(stone, 'stsDeletedDN')[0] ?? '');
  const there = snapshot.byUuid(uuid);
  if (there !== undefined) {
    if (Buffer.compare(there.dnKey, name.key) === 0) return { target: uuid, expected: [], changes: [] };
    throw refuse(errors.restoreRefused, { why: 'another entry has the entryUUID by now' });
  }
  const superior = superiorOf(schema, name);
  const parent = superior && snapshot.byDnKey(superior.key);
  if (parent === undefined) throw refuse(errors.restoreRefused, { why: `${superior?.text ?? 'its superior'} is not there any more` });
  if (snapshot.byDnKey(name.key) !== undefined) throw refuse(errors.entryExists);
  const rights = asker.rightsOnNew(name.key, { dn: name.dn, attributes }, snapshot);
  if (!rights.mayAdd || !rights.mayManage) throw refuse(errors.accessDenied, { why: 'this entry may not be added here' });
  for (const key of attributes.keys()) {
    const type = schema.attributeType(typeOfKey(key));
    if (type !== undefined && !ownOperational.has(key) && !type.noUserModification && !rights.mayWrite(type))
      throw refuse(errors.accessDenied, { why: `${type.name} may not be given to an entry here` });
  }
  checkEntry(schema, { dn: name.dn, attributes });
  const [csn, nowMs] = [engine.csn.next(), clock.nowMs()];
  stampChanged(attributes, { csn, nowMs, by: writerName(engine, asker.identity) });
  // To the millisecond: two that follow each other are two.
  const restoredAt = new Date(nowMs).toISOString().replace(/[-:T]/g, '');
  attributes.set(restoredTimeKey, { description: 'stsRestoredTime', values: [utf8(restoredAt)] });
  return {
    target: uuid,
    expected: [
      { kind: 'unchanged', uuid: stone.uuid, csn: stone.csn },
      { kind: 'unchanged', uuid: parent.uuid, csn: parent.csn },
      { kind: 'absent', dnKey: name.key },
      { kind: 'unused', uuid },
    ],
    changes: [{ kind: 'put', entry: recordOf(schema, { uuid, parent: parent.uuid, name, csn }, attributes) }],
  };
}

const restoredTimeKey = 'stsrestoredtime';

function keptAttributes(schema: Schema, stone: StoredEntry | undefined): Attributes {
  return stone === undefined ? new Map() : new Map(collectAttributes(schema, keptIn(stone)));
}

/** Gives the values back that went with the entry, each by a write of who asks. */
async function referAgain(call: Call, stone: StoredEntry, dn: string): Promise<{ back: string[]; lost: string[] }> {
  const { engine } = call;
  const [back, lost]: [string[], string[]] = [[], []];
  for (const reference of saidBy(stone, 'stsDeletedReference')) {
    const [attribute = '', uuid = ''] = reference.split(' ');
    const entry = engine.store.snapshot().byUuid(uuid);
    if (entry === undefined) {
      lost.push(reference);
      continue;
    }
    try {
      const values = [utf8(dn)];
      const changes = [{ operation: 'add', attribute: { description: attribute, values } }] as const;
      await write({ ...call, controls: noControls }, { kind: 'modifyRequest', object: entry.dn, changes });
      back.push(entry.dn);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // A restoration that was cut short had given it back.
      if (error.row.sees.ldap === attributeOrValueExists) back.push(entry.dn);
      else lost.push(reference);
    }
  }
  return { back, lost };
}

const attributeOrValueExists = 20;
