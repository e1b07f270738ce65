import type { AskingParts } from '#factors';
import type { SecurityKey } from '#holdings';
import type { Person } from '#people';
import type { Session } from '#sessions';
import { csrfField, facts, fillText, html, notice, type Page, type Piece, pathIn, type SafeHtml, type WebRealm } from '#web';
import { keysTexts as texts } from './keys-texts.ts';
import { timeHtml } from './times.ts';

/** What was done, as the list of keys says it afterwards. */
export const flashes = ['added', 'renamed', 'removed'] as const;
export type Flash = (typeof flashes)[number];

export interface KeysList {
  readonly realm: WebRealm;
  readonly person: Person;
  readonly keys: readonly { readonly key: SecurityKey; readonly handle: string }[];
  readonly session: Session;
  /** The roles in which a key may be added. */
  readonly offered: readonly SecurityKey['role'][];
  /** The person has as many keys as they may. */
  readonly isFull: boolean;
  readonly done: Flash | undefined;
  readonly nowMs: number;
}

const done: Readonly<Record<Flash, string>> = { added: texts.added_, renamed: texts.renamed_, removed: texts.removed_ };
