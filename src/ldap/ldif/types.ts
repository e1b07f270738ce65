import type { Control, Modification, PartialAttribute } from '../message/types.ts';

interface Numbered {
  /** The line of the file on which the record begins, from 1; 0 in a record that was not read. */
  readonly line: number;
  readonly dn: string;
}

/** An entry as it is (RFC 2849, ldif-attrval-record). Values of one attribute are gathered, in the order given. */
export interface LdifContent extends Numbered {
  readonly kind: 'content';
  readonly attributes: readonly PartialAttribute[];
}

/** What is to be done to an entry (RFC 2849, ldif-change-record). */
export type LdifChange =
  | (Numbered & { readonly kind: 'add'; readonly controls: readonly Control[]; readonly attributes: readonly PartialAttribute[] })
  | (Numbered & { readonly kind: 'delete'; readonly controls: readonly Control[] })
  | (Numbered & { readonly kind: 'modify'; readonly controls: readonly Control[]; readonly changes: readonly Modification[] })
  | (Numbered & {
      readonly kind: 'modrdn';
      readonly controls: readonly Control[];
      readonly newRdn: string;
      readonly deleteOldRdn: boolean;
      readonly newSuperior?: string;
    });

export type LdifRecord = LdifContent | LdifChange;

/** The first control of a record that must be obeyed or the record refused (RFC 4511 §4.1.11). */
export function criticalControl(record: LdifRecord): Control | undefined {
  return record.kind === 'content' ? undefined : record.controls.find(({ critical }) => critical);
}

/** A record that cannot be read, of a file that is read on behind it. */
export interface LdifFault extends Numbered {
  readonly kind: 'fault';
  /** `line` is the one that is wrong; `dn` is empty where no name was read. */
  readonly why: string;
}

/** What one record may be. Memory in use is bounded by these, whatever the size of the file. */
export interface LdifLimits {
  /** Octets of one line after unfolding. */
  readonly lineOctetsMax: number;
  /** Octets of all lines of one record. */
  readonly recordOctetsMax: number;
  /** Values of one record, over all its attributes. */
  readonly valuesMax: number;
  /** Takes names of attributes with underscores, of which RFC 4512 §1.4 knows nothing: some servers write them. */
  readonly looseNames?: boolean;
}

/** LDIF that cannot be read: where and why. */
export class LdifError extends Error {
  readonly line: number;
  readonly why: string;
  /** Whether what stands behind it cannot be told to be records any more. */
  readonly endsFile: boolean;
  constructor(line: number, why: string, endsFile = false) {
    super(`line ${line}: ${why}`);
    this.line = line;
    this.why = why;
    this.endsFile = endsFile;
  }
}
