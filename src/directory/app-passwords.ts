import { equalBytes, text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { appPasswordsFault, printStoredAppPassword, type StoredAppPassword, storedAppPasswords } from '#credentials';
import { printAppPassword } from '#holdings';
import type { StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { type Attributes, attributesOf } from './record.ts';

/** What an entry keeps of the passwords of programs: hashes, secret as a password itself, and, beside them, when each was last used. */
export const appPassword = 'stsAppPassword';
export const appPasswordKey = appPassword.toLowerCase();
const lastUse = 'stsAppPasswordLastUse';
export const lastUseKey = lastUse.toLowerCase();

/** When an app password was last used, as `stsAppPasswordLastUse` says it: `<id> <milliseconds> <door> <address>`. */
export interface LastUse {
  readonly id: string;
  readonly atMs: number;
  readonly door: string;
  readonly from: string;
}

const lastUseForm = /^([\w-]{1,64}) (\d{1,15}) ([\w-]{1,32}) (\S{0,100})$/;

export function appPasswordsIn(attributes: Attributes): readonly StoredAppPassword[] {
  return storedAppPasswords(attributes.get(appPasswordKey)?.values ?? []);
}

/** @throws Refusal `valueRefused` (19) for values from elsewhere that the directory could not have written */
export function checkAppPasswords(attributes: Attributes): void {
  const why = appPasswordsFault(attributes.get(appPasswordKey)?.values ?? []);
  if (why !== undefined) throw refuse(errors.valueRefused, { attribute: appPassword, why });
}

export function lastUsesIn(attributes: Attributes): readonly LastUse[] {
  return (attributes.get(lastUseKey)?.values ?? []).flatMap((value) => {
    const [, id, atMs, door, from = ''] = lastUseForm.exec(text(value) ?? '') ?? [];
    return id === undefined || door === undefined ? [] : { id, atMs: Number(atMs), door, from };
  });
}

/** Sets which app passwords an entry keeps; of one that goes nothing stays. */
export function setAppPasswords(
  attributes: Attributes,
  kept: readonly StoredAppPassword[],
  print: (one: StoredAppPassword) => Uint8Array,
): void {
  set(attributes, appPassword, kept.map(print));
  setLastUses(
    attributes,
    lastUsesIn(attributes).filter(({ id }) => kept.some((each) => each.id === id)),
  );
}

/** With which of them somebody came in, for the audit trail. */
export function byWords({ name }: Pick<StoredAppPassword, 'name'>): string {
  return `with the app password ${JSON.stringify(name)}`;
}

export function setLastUses(attributes: Attributes, uses: readonly LastUse[]): void {
  set(
    attributes,
    lastUse,
    uses.map(({ id, atMs, door, from }) => utf8(`${id} ${atMs} ${door} ${from}`)),
  );
}

function set(attributes: Attributes, description: string, values: readonly Uint8Array[]): void {
  if (values.length === 0) attributes.delete(description.toLowerCase());
  else attributes.set(description.toLowerCase(), { description, values });
}

/** `stsAppPasswordInfo`: all but the hashes, with when each was last used. */
export function appPasswordInfoOf({ schema }: Pick<Engine, 'schema'>, entry: StoredEntry | undefined): readonly string[] {
  if (entry === undefined || entry.secret.length === 0) return [];
  const attributes = attributesOf(schema, entry);
  const uses = lastUsesIn(attributes);
  return appPasswordsIn(attributes).map(({ hash: _, ...shown }) => {
    const use = uses.find(({ id }) => id === shown.id);
    if (use === undefined) return printAppPassword(shown);
    const from = use.from === '' ? {} : { lastUsedFrom: use.from };
    return printAppPassword({ ...shown, lastUsedMs: use.atMs, lastUsedDoor: use.door, ...from });
  });
}

/** Those of before that are not there, or differ in anything that is judged of them. */
export function changedIds(before: readonly StoredAppPassword[], after: readonly StoredAppPassword[]): readonly string[] {
  const kept = new Map(after.map((each) => [each.id, printStoredAppPassword(each)]));
  return before.filter((each) => !equalBytes(kept.get(each.id) ?? new Uint8Array(), printStoredAppPassword(each))).map(({ id }) => id);
}
