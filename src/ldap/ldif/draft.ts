import { isNumericOid } from '../description.ts';
import { modifyOperations } from '../message/tags.ts';
import type { Control, Modification } from '../message/types.ts';
import { type Name, type Names, nameOf } from './names.ts';
import { LdifError, type LdifRecord } from './types.ts';

/** An attribute being gathered. */
interface Gathered {
  readonly description: string;
  readonly values: Uint8Array[];
}

interface ModificationDraft {
  readonly operation: Modification['operation'];
  readonly name: Name;
  readonly attribute: Gathered;
}

/** A record of which not all lines were read. */
export interface Draft {
  readonly line: number;
  readonly dn: string;
  kind: LdifRecord['kind'] | undefined;
  octets: number;
  values: number;
  readonly controls: Control[];
  readonly attributes: Gathered[];
  /** The lower-case description of each of `attributes`. */
  readonly keys: string[];
  /** The same as a map, made when there are many. */
  places: Map<string, number> | undefined;
  readonly changes: ModificationDraft[];
  /** Whether the last of `changes` still takes values. */
  open: boolean;
  newRdn: string | undefined;
  deleteOldRdn: boolean | undefined;
  newSuperior: string | undefined;
}

/** Up to this many attributes are found by looking at each. */
const scannedMax = 48;

export function createDraft(line: number, dn: string): Draft {
  return {
    line,
    dn,
    kind: undefined,
    octets: 0,
    values: 0,
    controls: [],
    attributes: [],
    keys: [],
    places: undefined,
    changes: [],
    open: false,
    newRdn: undefined,
    deleteOldRdn: undefined,
    newSuperior: undefined,
  };
}

/** Adds a value to the attribute of that name, which need not be the last one. */
export function addValue(draft: Draft, name: Name, value: Uint8Array): void {
  const { attributes, keys } = draft;
  let place = attributes.length - 1;
  if (keys[place] !== name.lower) place = placeOf(draft, name.lower);
  if (place >= 0) {
    attributes[place]?.values.push(value);
    return;
  }
  draft.places?.set(name.lower, attributes.length);
  keys.push(name.lower);
  attributes.push({ description: name.text, values: [value] });
}

function placeOf(draft: Draft, key: string): number {
  if (draft.keys.length <= scannedMax) return draft.keys.indexOf(key);
  draft.places ??= new Map(draft.keys.map((one, place) => [one, place]));
  return draft.places.get(key) ?? -1;
}

/** One line of a modify record, but for the `-` line: a value of the modification begun, or what begins the next. */
export function addModifyLine(draft: Draft, names: Names, line: number, name: Name, value: Uint8Array): void {
  const current = draft.changes.at(-1);
  if (draft.open && current) {
    if (name.lower !== current.name.lower) throw new LdifError(line, `a value of ${current.name.text} expected, or a line with -`);
    current.attribute.values.push(value);
    return;
  }
  const operation = modifyOperations.find((one) => one === name.lower);
  if (!operation) throw new LdifError(line, 'add, delete, replace or increment expected');
  const target = nameOf(names, Buffer.from(value.buffer, value.byteOffset, value.length), 0, value.length);
  if (!target) throw new LdifError(line, 'attribute description expected');
  draft.changes.push({ operation, name: target, attribute: { description: target.text, values: [] } });
  draft.open = true;
}

/** One line of a modrdn record: newrdn, deleteoldrdn and newsuperior, in this order (RFC 2849, change-moddn). */
export function addModrdnLine(draft: Draft, line: number, name: Name, text: () => string): void {
  if (name.lower === 'newrdn' && draft.newRdn === undefined) {
    draft.newRdn = text();
  } else if (name.lower === 'deleteoldrdn' && draft.newRdn !== undefined && draft.deleteOldRdn === undefined) {
    const flag = text();
    if (flag !== '0' && flag !== '1') throw new LdifError(line, 'deleteoldrdn is 0 or 1');
    draft.deleteOldRdn = flag === '1';
  } else if (name.lower === 'newsuperior' && draft.deleteOldRdn !== undefined && draft.newSuperior === undefined) {
    draft.newSuperior = text();
  } else {
    throw new LdifError(line, `${name.text} is out of place`);
  }
}

const controlLine = /^([0-9.]+)(?: +(true|false))?(?: *(:[:<]?) *(.*))?$/s;

/** `oid [true|false] [value-spec]`, from octets that were read as Latin-1 (RFC 2849, control). */
export function parseControl(line: number, latin1: string): Control {
  const [, oid, critical, mark, value] = controlLine.exec(latin1) ?? [];
  if (oid === undefined || !isNumericOid(oid)) throw new LdifError(line, 'control is malformed');
  if (mark === ':<') throw new LdifError(line, 'values from URLs are refused');
  const control = { oid, critical: critical === 'true' };
  if (mark === undefined) return control;
  return { ...control, value: mark === '::' ? fromBase64(line, value ?? '') : new Uint8Array(Buffer.from(value ?? '', 'latin1')) };
}

export function fromBase64(line: number, text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' });
  } catch {
    throw new LdifError(line, 'value is not base64');
  }
}

/** The record, when no line of it is missing. */
export function finish(draft: Draft, line: number): LdifRecord {
  const { dn, controls, attributes } = draft;
  const head = { line: draft.line, dn };
  switch (draft.kind) {
    case 'content':
      return { kind: 'content', ...head, attributes };
    case 'add':
      if (attributes.length === 0) throw new LdifError(line, 'the entry to add has no attributes');
      return { kind: 'add', ...head, controls, attributes };
    case 'delete':
      return { kind: 'delete', ...head, controls };
    case 'modify':
      return {
        kind: 'modify',
        ...head,
        controls,
        changes: draft.changes.map(({ operation, attribute }) => ({ operation, attribute })),
      };
    case 'modrdn': {
      const { newRdn, deleteOldRdn, newSuperior } = draft;
      if (newRdn === undefined) throw new LdifError(line, 'newrdn is missing');
      if (deleteOldRdn === undefined) throw new LdifError(line, 'deleteoldrdn is missing');
      return { kind: 'modrdn', ...head, controls, newRdn, deleteOldRdn, ...(newSuperior !== undefined && { newSuperior }) };
    }
    case undefined:
      throw new LdifError(line, controls.length > 0 ? 'changetype is missing' : 'the entry has no attributes');
  }
}
