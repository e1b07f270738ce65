import { text, uuid4 } from '#base';
import { Refusal, refuse } from '#catalogue';
import type { LdifRecord, PartialAttribute } from '#ldap';
import { checkEntry, collectAttributes, isWithin, parentKey, typeOfKey } from '#schema';
import type { Change, Expectation, Snapshot } from '#store';
import type { Asker } from './access/asker.ts';
import { askerOf } from './access/asker.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { withPreparedPasswords } from './operations/add.ts';
import { type Name, nameOf } from './realm.ts';
import { type Attributes, recordOf, stampNew } from './record.ts';
import type { Identity } from './types.ts';
import { checkSettable, commit, preparePasswords, writerName } from './write.ts';

export interface ImportOptions {
  /** Told after each commit how many entries are in. */
  readonly onProgress?: (entries: number) => void;
  /** Entries of one commit. */
  readonly batchMax?: number;
}

/** Operational attributes that an export wrote and an import takes back; others of their kind are made anew or worked out. */
const restored = new Set(['entryuuid', 'entrycsn', 'createtimestamp', 'modifytimestamp', 'creatorsname', 'modifiersname']);
const worked = new Set([
  'structuralobjectclass',
  'entrydn',
  'subschemasubentry',
  'hassubordinates',
  'numsubordinates',
  'memberof',
  'contextcsn',
]);

const batchMaxStanding = 256;
const hashesAtOnce = 8;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Who imports: the service's owner, who may write everything. */
const importer: Identity = { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };

/**
 * Adds the entries of an LDIF file, by the same checks as an add and in commits of a few hundred. What was committed before a refusal stays.
 *
 * @param records  contents and additions, superiors before what is below them
 * @returns how many entries were added
 * @throws Refusal  `importRefused` with the line, the entry and why; LdifError from `records`; those of the store
 */
export async function importEntries(
  engine: Engine,
  records: AsyncIterable<LdifRecord> | Iterable<LdifRecord>,
  { onProgress, batchMax = batchMaxStanding }: ImportOptions = {},
): Promise<{ readonly entries: number }> {
  const asker = askerOf(engine, importer);
  let entries = 0;
  let batch: Ready[] = [];
  const flush = async () => {
    await write(engine, asker, batch);
    entries += batch.length;
    batch = [];
    onProgress?.(entries);
  };
  for await (const record of records) {
    batch.push(ready(engine, record));
    if (batch.length >= batchMax) await flush();
  }
  if (batch.length > 0) await flush();
  return { entries };
}

/** An entry that is checked, but for its place in the tree. */
interface Ready {
  readonly record: LdifRecord;
  readonly name: Name;
  readonly attributes: Attributes;
}

function ready(engine: Engine, record: LdifRecord): Ready {
  const { schema, realm } = engine;
  return explained(record, () => {
    if (record.kind !== 'content' && record.kind !== 'add') throw notImported(record, 'only entries and additions can be imported');
    const name = nameOf(schema, record.dn);
    if (!isWithin(name.key, realm.suffix.key)) throw notImported(record, `it is not below ${realm.suffix.text}`);
    const attributes = collectAttributes(schema, record.attributes);
    for (const key of [...attributes.keys()]) {
      const type = schema.attributeType(typeOfKey(key));
      if (worked.has(key)) attributes.delete(key);
      else if (type !== undefined && !restored.has(key)) checkSettable(type);
    }
    checkEntry(schema, { dn: name.dn, attributes });
    return { record, name, attributes };
  });
}

/** Hashes what is to be hashed, then writes all of the batch or nothing. */
async function write(engine: Engine, asker: Asker, batch: readonly Ready[]): Promise<void> {
  for (let at = 0; at < batch.length; at += hashesAtOnce) {
    const some = batch.slice(at, at + hashesAtOnce);
    await Promise.all(some.map((each) => hashPasswords(engine, asker, each)));
  }
  await commit(engine, (snapshot) => decide(engine, asker, snapshot, batch));
}

async function hashPasswords(engine: Engine, asker: Asker, { record, attributes }: Ready): Promise<void> {
  try {
    withPreparedPasswords(attributes, await preparePasswords({ engine, asker }, [...attributes.values()]));
  } catch (error) {
    throw error instanceof Refusal ? notImported(record, error.says) : error;
  }
}

function decide(engine: Engine, asker: Asker, snapshot: Snapshot, batch: readonly Ready[]) {
  const { schema, realm } = engine;
  const by = writerName(engine, asker.identity);
  const uuids = new Map<string, string>();
  const taken = new Set<string>();
  const expected: Expectation[] = [];
  const changes: Change[] = [];
  const superiors = new Set<string>();

  const parentOf = ({ record, name }: Ready): string | undefined => {
    if (name.key.length === realm.suffix.key.length) return undefined;
    const key = parentKey(name.key);
    if (key === undefined) return undefined;
    const own = uuids.get(keyText(key));
    if (own !== undefined) return own;
    const parent = snapshot.byDnKey(key);
    if (parent === undefined) throw notImported(record, 'there is no entry above it');
    if (!superiors.has(parent.uuid)) expected.push({ kind: 'unchanged', uuid: parent.uuid, csn: parent.csn });
    superiors.add(parent.uuid);
    return parent.uuid;
  };

  for (const each of batch) {
    const { record, name } = each;
    if (uuids.has(keyText(name.key)) || snapshot.byDnKey(name.key) !== undefined) throw notImported(record, errors.entryExists.says);
    const attributes: Attributes = new Map(each.attributes);
    const uuid = uuidOf(engine, each);
    if (taken.has(uuid) || snapshot.byUuid(uuid) !== undefined) throw notImported(record, 'entryUUID: another entry has it');
    const parent = parentOf(each);
    const csn = firstText(attributes.get('entrycsn')) ?? engine.csn.next();
    stampNew(schema, attributes, uuid, { csn, nowMs: engine.clock.nowMs(), by });
    uuids.set(keyText(name.key), uuid);
    taken.add(uuid);
    expected.push({ kind: 'absent', dnKey: name.key });
    changes.push({ kind: 'put', entry: recordOf(schema, { uuid, parent, name, csn }, attributes) });
  }
  return { expected, changes };
}

function uuidOf(engine: Engine, { record, attributes }: Ready): string {
  const given = firstText(attributes.get('entryuuid'))?.toLowerCase();
  if (given === undefined) return uuid4(engine.chance);
  if (!uuidForm.test(given)) throw notImported(record, 'entryUUID: it is not a UUID');
  return given;
}

function firstText(attribute: PartialAttribute | undefined): string | undefined {
  const value = attribute?.values[0];
  return value === undefined ? undefined : text(value);
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

/** Says of every refusal in which record it was. */
function explained<T>(record: LdifRecord, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Refusal) || error.row.code === errors.importRefused.code) throw error;
    throw notImported(record, error.says);
  }
}

function notImported({ line, dn }: LdifRecord, why: string): Refusal {
  return refuse(errors.importRefused, { line, dn, why });
}
