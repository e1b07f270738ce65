import { text as textOf, utf8 } from '#base';
import type { OperatorsClient } from '#client';
import type { LdifContent, Modification, PartialAttribute } from '#ldap';
import { type Canonical, type Definition, definitionKinds, loadSchema, readDefinitions, type SchemaText } from '#schema';

/** The name under which every directory of ours describes its schema. */
export const subschema = 'cn=Subschema';

/** The definitions of a running directory, and whether any was added while it ran. */
export interface Held {
  readonly definitions: readonly Definition[];
  readonly isOwn: boolean;
  readonly attributes: readonly PartialAttribute[];
}

/** Reads the schema of a running directory. @throws ClientRefusal */
export async function readHeld(client: OperatorsClient): Promise<Held> {
  const filter = { kind: 'present' as const, description: 'objectClass' };
  const { entries } = await client.actor.search({ base: subschema, scope: 'base', filter, attributes: ['*', '+'] });
  const attributes = entries[0]?.attributes ?? [];
  const definitions = definitionKinds.flatMap(({ keyword, attribute }) =>
    attributes
      .filter(({ description }) => description === attribute)
      .flatMap(({ values }) => values)
      .map((value, at) => ({ keyword, text: textOf(value) ?? '', file: `${subschema}, ${attribute}`, line: at + 1 })),
  );
  // What no entry keeps has no entryUUID.
  return { definitions, isOwn: attributes.some(({ description }) => description === 'entryUUID'), attributes };
}

/** Those that no file has. */
export function ownDefinitions({ definitions }: Held, files: readonly SchemaText[]): Definition[] {
  const idOf = (definition: Definition) => `${definition.keyword} ${readOne(definition)?.id}`;
  const inFiles = new Set(files.flatMap(readDefinitions).map(idOf));
  const isBuiltIn = ({ keyword, text: definition }: Definition) => keyword === 'ldapsyntax' && !definition.includes(' X-SUBST ');
  return definitions.filter((each) => !isBuiltIn(each) && !inFiles.has(idOf(each)));
}

/** What is kept of the subentry beside definitions; an export has the rest only with the other operational attributes. */
const keptAlways = ['objectClass', 'cn', 'subtreeSpecification'];
const keptOperational = ['entryUUID', 'entryCSN', 'createTimestamp', 'modifyTimestamp', 'creatorsName', 'modifiersName'];

/** The record of definitions with which an export begins, as that of a stopped service does. */
export function subschemaRecord({ attributes }: Held, own: readonly Definition[], operational: boolean): LdifContent {
  const names = [...keptAlways, ...(operational ? keptOperational : [])];
  const kept = names.flatMap((name) => attributes.find(({ description }) => description === name) ?? []);
  return { kind: 'content', line: 0, dn: subschema, attributes: [...kept, ...additions(own).map(({ attribute }) => attribute)] };
}

/** What becomes of definitions that are to be imported. */
export interface ImportPlan {
  readonly added: readonly Definition[];
  /** There already, with the same meaning. */
  readonly known: readonly Definition[];
  /** There already and defined otherwise: the directory's own stays. */
  readonly different: readonly Definition[];
  /** Rules that this directory does not have, and of which the definitions to be added are relieved. */
  readonly without: readonly { readonly definition: Definition; readonly rule: string }[];
}

/**
 * Sorts definitions by what is there, and holds those that are not against the whole.
 *
 * @throws Refusal schemaInvalid with file and line, for what the directory would refuse
 */
export function planImport({ definitions: held }: Held, given: readonly Definition[]): ImportPlan {
  const there = indexOf(held);
  const plan = {
    added: [] as Definition[],
    known: [] as Definition[],
    different: [] as Definition[],
    without: [] as ImportPlan['without'][number][],
  };
  const seen = new Map<string, Canonical>(there.byId);
  for (const each of given) {
    const { definition, rules } = withoutUnknownRules(each, there);
    const canonical = readOne(definition);
    const id = `${definition.keyword} ${canonical?.id}`;
    const known = seen.get(id);
    if (canonical !== undefined && known !== undefined) {
      (isSame(known, canonical, there) ? plan.known : plan.different).push(definition);
      continue;
    }
    if (canonical !== undefined) seen.set(id, canonical);
    for (const rule of rules) plan.without.push({ definition, rule });
    plan.added.push(definition);
  }
  // Syntaxes of which only code can say what they are come with the program: those need not be built here.
  const standing = held.filter(({ keyword, text: definition }) => keyword !== 'ldapsyntax' || definition.includes(' X-SUBST '));
  loadSchema([], [...standing, ...plan.added]);
  return plan;
}

/** The one change that adds definitions: all of them or none. */
export function additions(added: readonly Definition[]): Modification[] {
  return definitionKinds
    .map(({ keyword, attribute }) => ({
      description: attribute,
      values: added.filter((each) => each.keyword === keyword).map((each) => utf8(each.text)),
    }))
    .filter(({ values }) => values.length > 0)
    .map((attribute) => ({ operation: 'add', attribute }));
}

interface Index {
  readonly byId: ReadonlyMap<string, Canonical>;
  /** OIDs by the names of types, classes and rules. */
  readonly oids: ReadonlyMap<string, string>;
  readonly rules: ReadonlySet<string>;
}

function indexOf(held: readonly Definition[]): Index {
  const byId = new Map<string, Canonical>();
  const oids = new Map<string, string>();
  for (const definition of held) {
    const canonical = readOne(definition);
    if (canonical === undefined) continue;
    byId.set(`${definition.keyword} ${canonical.id}`, canonical);
    for (const name of canonical.names) oids.set(name.toLowerCase(), canonical.id);
  }
  const { matchingRules } = loadSchema([]);
  const rules = new Set(matchingRules.flatMap(({ oid, name }) => [oid, name.toLowerCase()]));
  for (const { oid, name } of matchingRules) oids.set(name.toLowerCase(), oid);
  return { byId, oids, rules };
}

function readOne({ keyword, text: definition }: Definition): Canonical | undefined {
  const read = definitionKinds.find((kind) => kind.keyword === keyword)?.read(definition);
  return read?.kind === 'parsed' ? read.value : undefined;
}

/** What a definition may be described with and mean the same: nothing that an entry, a search or a comparison depends upon. */
const describing = new Set(['description', 'extensions', 'lengthMax', 'names']);

function isSame(one: Canonical, other: Canonical, { oids }: Index): boolean {
  const form = (value: unknown): unknown => {
    if (typeof value === 'string') return oids.get(value.toLowerCase()) ?? value.toLowerCase();
    return Array.isArray(value) ? value.map((each) => String(form(each))).sort() : value;
  };
  const fields = ({ row }: Canonical) =>
    Object.entries(row)
      .filter(([name]) => !describing.has(name))
      .map(([name, value]) => [name, form(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(fields(one)) === JSON.stringify(fields(other));
}

const ruleFields = { equality: 'EQUALITY', ordering: 'ORDERING', substrings: 'SUBSTR' } as const;

/** The definition in its one way of writing, without the rules of which only slapd knows. */
function withoutUnknownRules(definition: Definition, { rules }: Index) {
  const canonical = readOne(definition);
  if (canonical === undefined) return { definition, rules: [] };
  const unknown: string[] = [];
  let text = canonical.text;
  for (const [field, keyword] of Object.entries(ruleFields)) {
    const rule = canonical.row[field];
    if (typeof rule !== 'string' || rules.has(rule.toLowerCase())) continue;
    unknown.push(rule);
    text = text.replace(` ${keyword} ${rule}`, '');
  }
  return { definition: { ...definition, text }, rules: unknown };
}
