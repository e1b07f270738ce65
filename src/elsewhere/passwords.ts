import { text, utf8 } from '#base';
import { type HashBounds, isBroken, isHash, parseForeign, parseHash } from '#keys';
import type { Draft } from './draft.ts';
import type { EntryNotes, NoteKind } from './report.ts';

type Judged = { readonly kept: Uint8Array; readonly note?: NoteKind } | { readonly left: NoteKind; readonly what: string };

/**
 * Passwords that can be judged here; one for each entry.
 *
 * @param bounds  what a hash may ask for
 */
export function settlePasswords(bounds: HashBounds, draft: Draft, notes: EntryNotes): void {
  for (const each of draft.attributes) {
    if (each.description.toLowerCase() !== 'userpassword') continue;
    const kept: Uint8Array[] = [];
    for (const value of each.values) {
      const judged = judge(value, bounds);
      if ('left' in judged) notes.note(judged.left, judged.what, 1);
      else if (kept.length > 0) notes.note('passwordMore', each.description, 1);
      else {
        kept.push(judged.kept);
        if (judged.note !== undefined) draft.changed.set(judged.kept, [judged.note, each.description]);
      }
    }
    each.values = kept;
  }
  draft.attributes = draft.attributes.filter(({ values }) => values.length > 0);
}

const scheme = /^\{([A-Za-z0-9./_-]{1,32})\}(\$[A-Za-z0-9]+\$)?/;

function judge(value: Uint8Array, bounds: HashBounds): Judged {
  const given = text(value);
  const found = given === undefined ? null : scheme.exec(given);
  if (value.length === 0 || value.includes(0)) return { left: 'badValue', what: 'userPassword' };
  // What is not marked as a hash is a password in clear, and so is what is marked as one.
  if (given === undefined || found === null) return { kept: value, note: 'passwordClear' };
  const name = `{${(found[1] as string).toUpperCase()}}`;
  if (name === '{CLEARTEXT}' || name === '{CLEAR}') {
    const clear = given.slice(found[0].length);
    return clear === '' ? { left: 'badValue', what: 'userPassword' } : { kept: utf8(clear), note: 'passwordClear' };
  }
  const { kind } = isHash(given) ? parseHash(given, bounds.costMaxOctets) : parseForeign(given, bounds);
  switch (kind) {
    case 'hash':
      return isBroken(given) ? { kept: value, note: 'passwordBroken' } : { kept: value };
    case 'uncomputable':
      return { left: 'passwordCost', what: name };
    case 'undecodable':
    case 'unknown':
      return { left: 'passwordHash', what: `${name}${found[2] ?? ''}` };
  }
}
