import { equalBytes, text, utf8 } from '#base';
import { formatRdn, type LdifContent, type PartialAttribute, parseDn, parseRdn, type Request } from '#ldap';
import { describe, normalizeDn, type Schema } from '#schema';
import { suffix } from '../directory/driver.ts';
import type { PlainDirectory, PlainStored } from '../directory/plain-search.ts';
import type { Client, Found } from './client.ts';

/** All entries in memory, kept up to date by carrying out here what was answered with success there. */
export class Model {
  readonly #schema: Schema;
  /** Another list after each change. */
  #entries: readonly PlainStored[];
  #contextCsn: string | undefined;

  private constructor(schema: Schema, entries: readonly PlainStored[]) {
    this.#schema = schema;
    this.#entries = entries;
  }

  /** User attributes are those that were written; the operational ones are read from the server, where they are made. */
  static async read(schema: Schema, content: readonly LdifContent[], administrator: Client): Promise<Model> {
    const model = new Model(schema, []);
    for (const { dn, attributes } of content) await model.#put(dn, attributes, administrator);
    await model.#readContext(administrator);
    return model;
  }

  get entries(): readonly PlainStored[] {
    return this.#entries;
  }

  get directory(): PlainDirectory {
    return { schema: this.#schema, anonymousRead: 'public', entries: this.#entries, contextCsn: this.#contextCsn };
  }

  uuidOf(dn: string): string {
    return this.#find(dn)?.uuid ?? '';
  }

  /** Carries out what the server answered with success. */
  async apply(request: Request, administrator: Client): Promise<void> {
    await this.#carryOut(request, administrator);
    await this.#readContext(administrator);
  }

  /** Which number a change has the server says: no entry has that of a delete. */
  async #readContext(administrator: Client): Promise<void> {
    const { attributes } = await readEntry(administrator, suffix);
    this.#contextCsn = text(attributes.find(({ description }) => description === 'contextCSN')?.values[0] ?? utf8(''));
  }

  async #carryOut(request: Request, administrator: Client): Promise<void> {
    switch (request.kind) {
      case 'addRequest':
        return await this.#put(request.entry, request.attributes, administrator);
      case 'delRequest': {
        const gone = this.#find(request.entry)?.dnKey;
        this.#remove(request.entry);
        return await this.#follow(gone, undefined, administrator);
      }
      case 'modifyRequest': {
        let attributes = this.#userOf(request.object);
        for (const { operation, attribute } of request.changes) attributes = this.#changed(attributes, operation, attribute);
        return await this.#put(this.#find(request.object)?.dn ?? '', attributes, administrator);
      }
      case 'modifyDNRequest': {
        const parent = (parseDn(request.entry) ?? []).slice(1);
        const old = parseDn(request.entry)?.[0] ?? [];
        const fresh = parseRdn(request.newRdn) ?? [];
        let attributes = this.#userOf(request.entry);
        if (request.deleteOldRdn) {
          for (const { type, value } of old) attributes = this.#changed(attributes, 'delete', { description: type, values: [value] });
        }
        for (const { type, value } of fresh) attributes = this.#changed(attributes, 'add', { description: type, values: [value] });
        const dn = [request.newRdn, ...parent.map(formatRdn)].join(',');
        const former = this.#find(request.entry)?.dnKey;
        this.#remove(request.entry);
        await this.#put(dn, attributes, administrator);
        return await this.#follow(former, this.#find(dn)?.dn, administrator);
      }
      case 'bindRequest':
      case 'unbindRequest':
      case 'searchRequest':
      case 'compareRequest':
      case 'abandonRequest':
      case 'extendedRequest':
        throw new Error(`${request.kind} changes nothing`);
    }
  }

  /** What names an entry that is renamed or deleted: the value becomes the new name, or goes; of a required attribute the last one becomes the empty name. */
  async #follow(former: Uint8Array | undefined, to: string | undefined, administrator: Client): Promise<void> {
    if (former === undefined) return;
    const names = (value: Uint8Array) => {
      const dn = parseDn(text(value) ?? '');
      const key = dn && normalizeDn(this.#schema, dn);
      return key !== undefined && equalBytes(key, former);
    };
    for (const { dn, attributes } of this.#entries) {
      if (!attributes.some(({ description, values }) => isFollowed(description) && values.some(names))) continue;
      const followed = this.#userOf(dn).flatMap((attribute) => {
        const { description, values } = attribute;
        if (!isFollowed(description) || !values.some(names)) return [attribute];
        const rest = values.filter((value) => !names(value));
        const more = to === undefined || rest.some((value) => this.#equal(description, value, utf8(to))) ? [] : [utf8(to)];
        const all = [...rest, ...more];
        if (all.length > 0) return [{ description, values: all }];
        return requiredKeys.has(description.toLowerCase()) ? [{ description, values: [utf8('')] }] : [];
      });
      await this.#put(dn, followed, administrator);
    }
  }

  #find(dn: string): PlainStored | undefined {
    const key = this.#keyOf(dn);
    return this.#entries.find((entry) => equalBytes(entry.dnKey, key));
  }

  #keyOf(dn: string): Uint8Array {
    const parsed = parseDn(dn);
    const key = parsed && normalizeDn(this.#schema, parsed);
    if (key === undefined) throw new Error(`${dn} is no name`);
    return key;
  }

  #userOf(dn: string): readonly PartialAttribute[] {
    return (this.#find(dn)?.attributes ?? []).filter(({ description }) => this.#isUser(description));
  }

  #isUser(description: string): boolean {
    return describe(this.#schema, description)?.type.usage === 'userApplications';
  }

  #remove(dn: string): void {
    const gone = this.#find(dn);
    this.#entries = this.#entries.filter((entry) => entry !== gone);
  }

  async #put(dn: string, attributes: readonly PartialAttribute[], administrator: Client): Promise<void> {
    const found = await readEntry(administrator, dn);
    const operational = found.attributes.filter(({ description }) => !computed.has(description));
    const uuid = text(operational.find(({ description }) => description === 'entryUUID')?.values[0] ?? utf8('')) ?? '';
    // The name as the server writes it: that it is this entry's is seen by its key.
    const dnKey = this.#keyOf(dn);
    if (!equalBytes(dnKey, this.#keyOf(found.dn))) throw new Error(`${dn} was asked for, ${found.dn} came`);
    const entry = { dn: found.dn, dnKey, uuid, attributes: [...attributes, ...operational] };
    const before = this.#find(dn);
    this.#entries = before === undefined ? [...this.#entries, entry] : this.#entries.map((each) => (each === before ? entry : each));
  }

  /** RFC 4511 §4.6, for changes that were answered with success. */
  #changed(
    attributes: readonly PartialAttribute[],
    operation: 'add' | 'delete' | 'replace' | 'increment',
    { description, values }: PartialAttribute,
  ): readonly PartialAttribute[] {
    const described = describe(this.#schema, description);
    const keyed = (one: PartialAttribute) => describe(this.#schema, one.description)?.key === described?.key;
    const held = attributes.find(keyed)?.values ?? [];
    const isGiven = (value: Uint8Array) => values.some((given) => this.#equal(described?.type.key ?? '', given, value));
    const next = {
      add: [
        ...held,
        ...values.filter((value) => operation === 'add' && !held.some((each) => this.#equal(described?.type.key ?? '', each, value))),
      ],
      delete: values.length === 0 ? [] : held.filter((value) => !isGiven(value)),
      replace: values,
      increment: held,
    }[operation];
    const rest = attributes.filter((one) => !keyed(one));
    return next.length === 0 ? rest : [...rest, { description: described?.description ?? description, values: next }];
  }

  #equal(type: string, a: Uint8Array, b: Uint8Array): boolean {
    const rule = this.#schema.attributeType(type)?.equality;
    const [left, right] = [rule?.normalize(a), rule?.normalize(b)];
    return left !== undefined && right !== undefined && equalBytes(left, right);
  }
}

/** Attributes whose values follow the names of entries, as Atrium documents it and slapo-refint is told to. */
export const followed = ['member', 'uniqueMember', 'owner', 'manager', 'secretary', 'seeAlso', 'roleOccupant'] as const;

/** Those of them that a class here requires. */
export const required: ReadonlySet<string> = new Set(['member', 'uniqueMember']);

const requiredKeys: ReadonlySet<string> = new Set([...required].map((name) => name.toLowerCase()));

const followedKeys: ReadonlySet<string> = new Set(followed.map((name) => name.toLowerCase()));

function isFollowed(description: string): boolean {
  return followedKeys.has(description.toLowerCase());
}

/** Worked out when they are read: the plain evaluation does so itself. */
const computed = new Set(['entryDN', 'subschemaSubentry', 'hasSubordinates', 'memberOf', 'contextCSN']);

async function readEntry(administrator: Client, dn: string): Promise<Found> {
  const { entries } = await administrator.ask({
    kind: 'searchRequest',
    baseObject: dn,
    scope: 'base',
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter: { kind: 'present', description: 'objectClass' },
    attributes: ['+'],
  });
  const [found] = entries;
  if (found === undefined) throw new Error(`${dn} was written and is not there`);
  return found;
}
