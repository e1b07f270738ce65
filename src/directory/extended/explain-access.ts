import { addressOctets } from '#base';
import { refuse } from '#catalogue';
import { type BerReader, type BerWriter, decodeAttributes, decodeBer, encodeBer } from '#ldap';
import { describe } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import { evaluate } from '../access/evaluate.ts';
import { builtInRows, type ListedRow } from '../access/listed.ts';
import type { Origin } from '../access/networks.ts';
import { type AttributeRight, type EntryRight, type Right, type Rule, rights } from '../access/rule.ts';
import { somebody, standingIn } from '../access/standing.ts';
import { identityOf } from '../access/supposed.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { entryOfId } from '../named.ts';
import { type Name, nameOf, type Realm } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

/** ExplainRequest: as [0] who, entry [1] its name, and perhaps strength [2], from [3], attribute [4], right [5]. ListRequest: suffix [6]. */
const tags = { as: 0x80, entry: 0x81, strength: 0x82, from: 0x83, attribute: 0x84, right: 0x85, suffix: 0x86 } as const;

interface Asked {
  readonly as: string;
  readonly entry: string;
  readonly strength: string | undefined;
  readonly from: string | undefined;
  readonly attribute: string | undefined;
  readonly right: string | undefined;
}

/** One right, and what decided about it. */
interface Row {
  readonly right: Right;
  /** None for the rights on the entry itself. */
  readonly attribute: string;
  readonly allowed: boolean;
  readonly by: 'protection' | 'rule' | 'built-in' | 'nothing';
  /** The rule's name, or why. */
  readonly name: string;
}

/**
 * Says which rule of access decides, and lists the built-in set, to those who manage the realm and to operators.
 *
 * Request: SEQUENCE { as [0], entry [1] OCTET STRING, strength [2], from [3], attribute [4], right [5] OCTET STRING OPTIONAL }. `as` is a DN, `u:` and a
 * uid, or nothing for anonymous, and whom one may not see is not there; `strength` words as in stsRuleStrength (`own-password` for who is somebody); `from` an address or `this-machine`, and
 * `+protected` behind it (by default from where the request comes). Answer: SEQUENCE { visible BOOLEAN, SEQUENCE OF SEQUENCE { right, attribute OCTET
 * STRING, allowed BOOLEAN, by, name OCTET STRING } }, `by` one of protection, rule, built-in, nothing; `attribute` empty for rights on the entry.
 * Without `attribute` it tells of all that the entry has. Or, request: SEQUENCE { suffix [6] OCTET STRING }, answer: SEQUENCE OF SEQUENCE { name OCTET
 * STRING, attributes PartialAttributeList }: the built-in set as that realm has it.
 *
 * @throws Refusal `accessMalformed` (2), `accessDenied` (50), `accessOfNobody` (32) for a name that nobody has, `entryAbsent` (32) for an entry in no realm
 */
export const explainAccess: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.20',
  name: 'explain access',
  perform(call, value) {
    const snapshot = call.engine.store.snapshot();
    const request =
      value && decodeBer(value, (ber) => ber.sequence(() => (ber.tag === tags.suffix ? ber.string(tags.suffix) : askedOf(ber))));
    if (request === undefined) throw refuse(errors.accessMalformed, { why: 'the value cannot be read' });
    if (typeof request === 'string') {
      const realm = managed(call, snapshot, nameOf(call.engine.schema, request));
      return answer((ber) => {
        for (const row of builtInRows(realm)) writeRow(ber, row);
      });
    }
    const name = nameOf(call.engine.schema, request.entry);
    const realm = managed(call, snapshot, name);
    const { visible, rows } = explained(call, snapshot, realm, name, request);
    return answer((ber) => {
      ber.boolean(visible);
      ber.sequence(() => {
        for (const row of rows) writeDecision(ber, row);
      });
    });
  },
};

function askedOf(ber: BerReader): Asked {
  const perhaps = (tag: number) => (ber.tag === tag ? ber.string(tag) : undefined);
  return {
    as: ber.string(tags.as),
    entry: ber.string(tags.entry),
    strength: perhaps(tags.strength),
    from: perhaps(tags.from),
    attribute: perhaps(tags.attribute),
    right: perhaps(tags.right),
  };
}

function answer(write: (ber: BerWriter) => void) {
  return { kind: 'extendedResponse', result: done, value: encodeBer((ber) => ber.sequence(() => write(ber))) } as const;
}

/** The realm of a name, for who manages it. What one may not be told is refused before anything is looked at. */
function managed({ engine, asker }: Call, snapshot: Snapshot, name: Name): Realm {
  const realm = realmOf(engine, snapshot, name.key);
  const { suffix } = realm ?? engine.realms.default;
  if (!asker.rightsOnName(suffix.key, snapshot).mayManage)
    throw refuse(errors.accessDenied, { why: 'rules of access are explained to those who manage the realm' });
  if (realm === undefined) throw refuse(errors.entryAbsent);
  return realm;
}

function explained(
  call: Call,
  snapshot: Snapshot,
  realm: Realm,
  { key }: Name,
  request: Asked,
): { visible: boolean; rows: readonly Row[] } {
  const { engine, connection } = call;
  const { schema, access, clock } = engine;
  const nowMs = clock.nowMs();
  const as = whoIs(call, snapshot, request.as);
  const origin = originOf(request.from, connection);
  const who = somebody(engine, identityOf(as, request.strength, nowMs, origin.address), origin, snapshot);
  const { book, subject, guard } = standingIn(engine, realm, who, snapshot);
  const entry = snapshot.byDnKey(key);
  const fits = (filter: NonNullable<Rule['filter']>) => entry !== undefined && access.fits(filter, entry, snapshot);
  const about = { subject, guard, nowMs, entry: { dnKey: key, isOwn: as !== undefined && as.uuid === entry?.uuid, fits } };

  const decide = (right: Right, attribute?: string): Row => {
    const type = attribute === undefined ? undefined : schema.attributeType(attribute);
    const decision = evaluate(book.rules, type === undefined ? { ...about, right } : { ...about, right, type });
    const said = { right, attribute: attribute ?? '', allowed: decision.allowed };
    if (decision.by === 'protection') return { ...said, by: 'protection', name: decision.protection.why };
    if (decision.by === 'nothing') return { ...said, by: 'nothing', name: 'no rule allows it' };
    return { ...said, by: decision.rule.isBuiltIn ? 'built-in' : 'rule', name: decision.rule.name };
  };
  const attributes = request.attribute === undefined ? attributesOf(call, entry) : [typeNamed(call, request.attribute)];
  const wanted = rightsOf(request.right, request.attribute !== undefined);
  const rows = wanted.flatMap((right) => (isAboutEntry(right) ? [decide(right)] : attributes.map((attribute) => decide(right, attribute))));
  const looks = ['read', 'search', 'compare'] as const;
  const visible = schema.attributeTypes.some(({ name }) => looks.some((right) => decide(right, name).allowed));
  return { visible, rows };
}

/** Whom they may not see is not there: who manages a realm is told nothing of the people of others. */
function whoIs({ engine, asker }: Call, snapshot: Snapshot, id: string): StoredEntry | undefined {
  if (id === '') return undefined;
  const entry = entryOfId(engine, snapshot, id, 'dn');
  if (entry === undefined || !asker.rightsAt(entry, snapshot).visible)
    throw refuse(errors.accessOfNobody, { who: id.replace(/^(?:u|dn):/i, '') });
  return entry;
}

/** From where: an address or `this-machine`, and `+protected` behind it; from where the request comes, without. @throws Refusal `accessMalformed` (2) */
export function originOf(from: string | undefined, own: Origin): Origin {
  if (from === undefined) return { address: own.address, loopback: own.loopback, secure: own.secure };
  const words = from.split('+').map((word) => word.trim());
  const where = words.find((word) => word !== 'protected') ?? '';
  const address = where === 'this-machine' ? '127.0.0.1' : where;
  if (words.length > 2 || addressOctets(address) === undefined)
    throw refuse(errors.accessMalformed, {
      why: `${from}: from is an address or this-machine, and +protected behind it where it comes by TLS`,
    });
  return { address, loopback: address === '::1' || address.startsWith('127.'), secure: words.includes('protected') };
}

function typeNamed({ engine }: Call, attribute: string): string {
  const type = engine.schema.attributeType(attribute);
  if (type === undefined) throw refuse(errors.attributeUnknown, { attribute });
  return type.name;
}

/** The types of all that an entry has; of one that is not there, what every entry has. */
function attributesOf({ engine: { schema } }: Call, entry: StoredEntry | undefined): readonly string[] {
  if (entry === undefined) return ['objectClass'];
  const stored = [entry.user, entry.operational, entry.secret].flatMap((part) =>
    decodeAttributes(part).map(({ description }) => description),
  );
  const names = [...stored, ...entry.large.map(({ description }) => description)].flatMap(
    (each) => describe(schema, each)?.type.name ?? [],
  );
  return [...new Set(names)].toSorted();
}

function isAboutEntry(right: Right): right is EntryRight {
  return right === 'auth' || right === 'enumerate' || right === 'add' || right === 'delete' || right === 'manage';
}

function rightsOf(right: string | undefined, hasAttribute: boolean): readonly Right[] {
  if (right === undefined) return hasAttribute ? rights.filter((each): each is AttributeRight => !isAboutEntry(each)) : rights;
  const found = rights.find((each) => each === right.toLowerCase());
  if (found === undefined) throw refuse(errors.accessMalformed, { why: `${right}: the rights are ${rights.join(', ')}` });
  return [found];
}

function writeDecision(ber: BerWriter, { right, attribute, allowed, by, name }: Row): void {
  ber.sequence(() => {
    ber.string(right);
    ber.string(attribute);
    ber.boolean(allowed);
    ber.string(by);
    ber.string(name);
  });
}

function writeRow(ber: BerWriter, { name, attributes }: ListedRow): void {
  ber.sequence(() => {
    ber.string(name);
    ber.sequence(() => {
      for (const [description, values] of attributes) {
        ber.sequence(() => {
          ber.string(description);
          ber.sequence(() => {
            for (const value of values) ber.string(value);
          }, setTag);
        });
      }
    });
  });
}

const setTag = 0x31;
