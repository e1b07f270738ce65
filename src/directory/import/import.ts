import { equalBytes, text, uuid4 } from '#base';
import { Refusal, refuse } from '#catalogue';
import { readStoredPassword, storedPassword } from '#credentials';
import { criticalControl, type LdifFault, type LdifRecord, type PartialAttribute } from '#ldap';
import { type AttributeType, checkEntry, checkUserModifiable, collectAttributes, parentKey, typeAt, typeOfKey } from '#schema';
import type { EntryRecord, Load } from '#store';
import { checkRuleAttributes, createRuleBounds, type RuleBounds } from '../access/check.ts';
import type { Rule } from '../access/rule.ts';
import { checkAppPasswords } from '../app-passwords.ts';
import { settleExpiry } from '../dynamic-entries.ts';
import { type Engine, hashCost } from '../engine.ts';
import { errors } from '../errors.ts';
import { checkPolicyAttributes } from '../policy-entries.ts';
import { type Name, nameOf, type Realm } from '../realm.ts';
import type { Realms } from '../realms.ts';
import { type Attributes, ownOperational, recordOf, stampNew } from '../record.ts';
import { checkRecoverySet } from '../recovery.ts';
import { checkSealable, sealAll } from '../sealing.ts';
import { subschemaKey } from '../subschema/stored.ts';
import type { Identity } from '../types.ts';
import { passwordKey, solePassword, writerName } from '../write.ts';
import { createKnownRealms, type KnownRealms, type RealmMaking } from './known.ts';
import { createNames } from './names.ts';
import { inPortions } from './portions.ts';

/** What of the engine an import needs: no open store. */
export type ImportDesk = Pick<
  Engine,
  'schema' | 'hasher' | 'clock' | 'chance' | 'settings' | 'csn' | 'sealer' | 'canMail' | 'mailTextFault'
> & {
  readonly realms: Realms;
  /** By what realms are made whose entries are among the records; without it such entries are refused. */
  readonly making?: RealmMaking;
  /** The rules of access that a realm has already; without it only those of the import are counted. */
  readonly rulesThere?: (realm: Realm) => readonly Rule[];
};

export interface ImportOptions {
  /** Told after each record how many entries were taken. */
  readonly onProgress?: (entries: number) => void;
  /** Told of what would be refused; without it the first refusal is thrown. */
  readonly onRefused?: (refusal: Refusal) => void;
  /** Told when the password of an entry is in clear and stays so, since nothing is kept. */
  readonly onUnhashed?: () => void;
  /** Whether what is taken is kept: else no password is hashed. By default when nobody is told of refusals. */
  readonly isKept?: boolean;
}

/** Operational attributes that an export wrote and an import takes back; others of their kind are made anew or worked out. */
const restored: ReadonlySet<string> = new Set([
  ...ownOperational,
  // What a password policy keeps of an account, as slapd does.
  ...['stsapppassword', 'stsapppasswordlastuse', 'stsrestoredtime'],
  ...['ststotplaststep', 'pwdchangedtime', 'pwdfailuretime', 'pwdgraceusetime', 'pwdhistory', 'pwdlastsuccess'],
]);
const worked = new Set([
  'entryttl',
  'entrydn',
  'subschemasubentry',
  'hassubordinates',
  'numsubordinates',
  'memberof',
  'contextcsn',
  'stsauthenticatorapp',
  'stsrecoverycodesleft',
  'stsapppasswordinfo',
  'stspasswordexpires',
  'stsadministersrealm',
]);

const hashesAtOnce = 8;
/** Entries behind one whose password is being hashed. */
const heldMax = 256;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Who imports: the service's owner, who may write everything. */
const importer: Identity = { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };

/** An entry that is checked, but for its place in the tree. */
interface Ready {
  readonly record: LdifRecord;
  readonly name: Name;
  readonly attributes: Attributes;
}

/** Whether an import takes values of a type: what clients may set, and what an export has of operational attributes. */
export function isImportable(type: AttributeType): boolean {
  return !worked.has(type.key) && (restored.has(type.key) || !type.noUserModification);
}

/**
 * Puts the entries of an LDIF file where they are loaded, by the same checks as an add. All or none is the business of who loads: this ends with
 * the first refusal.
 *
 * @param records  contents and additions, superiors before what is below them; what of the file cannot be read is refused
 * @returns how many entries were taken
 * @throws Refusal  `importRefused` with the line, the entry and why; LdifError from `records`; those of the store
 */
export async function importEntries(
  desk: ImportDesk,
  records: AsyncIterable<LdifRecord | LdifFault> | Iterable<LdifRecord | LdifFault>,
  target: Load,
  { onProgress, onRefused, onUnhashed, isKept = onRefused === undefined }: ImportOptions = {},
): Promise<{ readonly entries: number }> {
  const known = createKnownRealms(desk, target.existing);
  const taking = createTaking(desk, known, target);
  const bounds = createRuleBounds(desk.settings['ldap.accessRulesMax'], desk.rulesThere);
  let entries = 0;
  let hashing = 0;
  let held: { readonly each: Ready; readonly hashed: Promise<void> | undefined }[] = [];

  const refused = (error: unknown, { dn }: Pick<LdifRecord, 'dn'>) => {
    if (onRefused === undefined || !isOfRecord(error)) throw error;
    taking.skip(dn);
    onRefused(error);
  };
  const count = () => {
    entries++;
    onProgress?.(entries);
  };
  // A promise only where there is something to wait for: one for each entry would cost as much as to read it.
  const take = (each: Ready): Promise<void> | undefined => {
    let busy: Promise<void> | undefined;
    try {
      busy = taking.take(each);
    } catch (error) {
      refused(error, each.record);
      return undefined;
    }
    if (busy !== undefined) return busy.then(count);
    count();
    return undefined;
  };
  const release = async () => {
    const before = held;
    held = [];
    hashing = 0;
    await Promise.allSettled(before.map(({ hashed }) => hashed));
    for (const { each, hashed } of before) {
      try {
        await hashed;
      } catch (error) {
        refused(error, each.record);
        continue;
      }
      const busy = take(each);
      if (busy !== undefined) await busy;
    }
  };

  let isFirst = true;
  for await (const record of records) {
    if (record.kind === 'fault') {
      refused(notRead(record), record);
      continue;
    }
    let each: Ready;
    let hashed: Promise<void> | undefined;
    try {
      each = ready(desk, known, bounds, record, isFirst);
      // Who only wants to know whether it would be taken need not wait for a hash.
      hashed = hashPassword(desk, each, isKept ? undefined : (onUnhashed ?? (() => undefined)));
    } catch (error) {
      refused(error, record);
      continue;
    } finally {
      isFirst = false;
    }
    if (hashed === undefined && held.length === 0) {
      const busy = take(each);
      if (busy !== undefined) await busy;
      continue;
    }
    held.push({ each, hashed });
    if (hashed !== undefined) hashing++;
    if (hashing >= hashesAtOnce || held.length >= heldMax) await release();
  }
  await release();
  for (const record of known.frames(taking.isThere)) await take(ready(desk, known, bounds, record, false));
  return { entries };
}

function ready(desk: ImportDesk, known: KnownRealms, bounds: RuleBounds, record: LdifRecord, isFirst: boolean): Ready {
  const { schema } = desk;
  return explained(record, () => {
    if (record.kind !== 'content' && record.kind !== 'add') throw notImported(record, 'only entries and additions can be imported');
    if (criticalControl(record) !== undefined) throw notImported(record, 'critical controls are for ldapmodify');
    const name = nameOf(schema, record.dn);
    const isSubschema = equalBytes(name.key, subschemaKey);
    // By what it defines the others are read.
    if (isSubschema && !isFirst) throw notImported(record, 'the subschema can only be the first entry');
    if (!isSubschema && known.realms.owning(name.key) === undefined)
      throw notImported(record, `it is not below ${suffixesOf(known.realms)}`);
    const attributes = collectAttributes(schema, record.attributes);
    for (const key of attributes.keys()) {
      const type = typeAt(schema, key);
      if (worked.has(key)) attributes.delete(key);
      else if (type !== undefined && !restored.has(key)) checkUserModifiable(type);
      if (type !== undefined) checkSealable(type, attributes.get(key)?.values ?? []);
    }
    checkRecoverySet(attributes);
    checkAppPasswords(attributes);
    checkEntry(schema, { dn: name.dn, attributes });
    known.meet(name, attributes);
    const rule = checkRuleAttributes(schema, known.realms, { dn: name.text, dnKey: name.key }, attributes);
    if (rule !== undefined) bounds.take(rule, known.realms.owning(name.key) ?? known.realms.default);
    checkPolicyAttributes(desk, known.realms, name.key, attributes);
    return { record, name, attributes };
  });
}

/**
 * Puts the hash of a password that came in clear in its place, later; `undefined` when there is nothing to hash.
 *
 * @param judged  told of it, where nothing is to be hashed
 */
function hashPassword(desk: ImportDesk, { record, attributes }: Ready, judged: (() => void) | undefined): Promise<void> | undefined {
  for (const [key, { description, values }] of attributes) {
    if (!key.startsWith(passwordKey) || typeOfKey(key) !== passwordKey) continue;
    const value = explained(record, () => solePassword(values));
    const stored = explained(record, () => readStoredPassword(desk.hasher, value, 'any'));
    if (stored === undefined) judged?.();
    if (stored !== undefined || judged !== undefined) return undefined;
    return storedPassword(desk.hasher, hashCost(desk), value, 'any').then(
      (hash) => void attributes.set(key, { description, values: [hash] }),
      (error) => {
        throw error instanceof Refusal ? notImported(record, error.says) : error;
      },
    );
  }
  return undefined;
}

interface Taking {
  /** Gives an entry its place and hands it over. */
  take(each: Ready): Promise<void> | undefined;
  /** Remembers a name whose entry is refused, so that what is below it is not refused for that. */
  skip(dn: string): void;
  /** Whether an entry of that name was met, or is there. */
  isThere(dnKey: Uint8Array): boolean;
}

function createTaking(desk: ImportDesk, known: KnownRealms, { existing, put }: Load): Taking {
  const { schema, settings } = desk;
  const isRoot = known.isSuffix;
  const by = writerName(desk, importer);
  const names = createNames(isRoot);
  const chance = inPortions(desk.chance);

  /** The number of an entry that was met or is there. */
  function numberOf(key: Uint8Array): number | undefined {
    const met = names.find(key);
    if (met !== undefined) return met;
    const uuid = existing.uuidAt(key);
    if (uuid === undefined) return undefined;
    const above = isRoot(key) ? 0 : numberOfAbove(key);
    return above === undefined ? undefined : names.add(key, above, uuid);
  }

  function numberOfAbove(key: Uint8Array): number | undefined {
    return names.findAbove(key) ?? numberOf(parentKey(key) ?? key);
  }

  let above = { number: 0, uuid: '' };
  function uuidOfAbove(number: number): string | undefined {
    if (number === 0) return undefined;
    if (number !== above.number) above = { number, uuid: names.uuidOf(number) };
    return above.uuid;
  }

  return {
    isThere: (key) => names.find(key) !== undefined || existing.uuidAt(key) !== undefined,
    take({ record, name, attributes }) {
      const isSubschema = equalBytes(name.key, subschemaKey);
      const superior = isSubschema || isRoot(name.key) ? 0 : numberOfAbove(name.key);
      if (superior === undefined) throw notImported(record, 'there is no entry above it');
      if (names.find(name.key) !== undefined || existing.uuidAt(name.key) !== undefined)
        throw notImported(record, errors.entryExists.means);
      const given = givenUuid(record, attributes);
      if (given !== undefined && (names.hasUuid(given) || existing.has(given)))
        throw notImported(record, 'entryUUID: another entry has it');
      const uuid = given ?? uuid4(chance);
      const csn = (existing.keepsCsns ? firstText(attributes.get('entrycsn')) : undefined) ?? desk.csn.next();
      stampNew(schema, attributes, uuid, { csn, nowMs: desk.clock.nowMs(), by });
      settleExpiry(desk, known.realms.owning(name.key)?.settings ?? settings, attributes);
      explained(record, () => sealAll(desk, known.realms.owning(name.key) ?? desk.realms.default, uuid, attributes));
      const entry = recordOf(schema, { uuid, parent: uuidOfAbove(superior), name, csn }, attributes);
      if (octetsOf(entry) > settings['ldap.entryOctetsMax']) throw notImported(record, errors.entryTooLarge.says);
      names.add(name.key, superior, uuid);
      return put(entry);
    },
    skip(dn) {
      try {
        const { key } = nameOf(schema, dn);
        if (known.realms.owning(key) === undefined || numberOf(key) !== undefined) return;
        const superior = isRoot(key) ? 0 : numberOfAbove(key);
        if (superior !== undefined) names.add(key, superior, uuid4(chance));
      } catch (error) {
        // What has no name has nothing below it.
        if (!(error instanceof Refusal)) throw error;
      }
    },
  };
}

function suffixesOf({ all }: Realms): string {
  return all.map(({ suffix }) => suffix.text).join(' or ');
}

function octetsOf({ user, operational, secret }: EntryRecord): number {
  return user.length + operational.length + secret.length;
}

function givenUuid(record: LdifRecord, attributes: Attributes): string | undefined {
  const given = firstText(attributes.get('entryuuid'))?.toLowerCase();
  if (given !== undefined && !uuidForm.test(given)) throw notImported(record, 'entryUUID: it is not a UUID');
  return given;
}

function firstText(attribute: PartialAttribute | undefined): string | undefined {
  const value = attribute?.values[0];
  return value === undefined ? undefined : text(value);
}

function isOfRecord(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.row.code === errors.importRefused.code || error.row.code === errors.importUnread.code);
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

function notRead({ line, dn, why }: LdifFault): Refusal {
  return dn === '' ? refuse(errors.importUnread, { line, why }) : refuse(errors.importRefused, { line, dn, why });
}
