/** What became of what a note is about: it is not in Atrium, it is there in another form, or it is there and was not in the source. */
export type Outcome = 'left' | 'otherwise' | 'supplied';

interface NoteRow {
  readonly outcome: Outcome;
  readonly means: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Everything that an import from elsewhere does not carry over as it is. Whatever is left out or changed has a row here. */
export const noteKinds = {
  computed: { outcome: 'left', means: 'the directory works it out by itself' },
  superseded: { outcome: 'left', means: 'another attribute of the entry says the same' },
  server: { outcome: 'left', means: 'about the other server itself or its replication' },
  configuration: { outcome: 'left', means: 'the configuration of the other server, in the files of its schema' },
  access: {
    outcome: 'left',
    means: 'access rules of the other server',
    advice: 'write access rules of Atrium’s own below ou=accessRules: docs/access.md',
  },
  role: { outcome: 'left', means: 'roles and classes of service', advice: 'make groups of them' },
  policy: { outcome: 'left', means: 'password policies that have no counterpart here', advice: 'set ou=passwordPolicies' },
  policyEntry: {
    outcome: 'otherwise',
    means: 'password policies are kept as entries, and are not in force',
    advice: 'set ou=passwordPolicies',
  },
  passwordState: { outcome: 'left', means: 'counters and times of passwords that are not kept here' },
  passwordHash: {
    outcome: 'left',
    means: 'passwords whose hash cannot be judged here',
    advice: 'give these people another password: atrium person set-password UID --generate{realm}',
  },
  passwordCost: {
    outcome: 'left',
    means: 'passwords whose hash asks for more work than keys.foreignRoundsMax or keys.hashCostMaxMiB allows',
    advice: 'raise the setting and import again',
  },
  passwordBroken: {
    outcome: 'otherwise',
    means: 'passwords kept by MD5, which whoever reads the folder finds out: they become scrypt hashes when these people sign in',
    advice: 'have them sign in soon, or give them another password: atrium doctor counts those that are left',
  },
  passwordMore: { outcome: 'left', means: 'second passwords of an entry: one is kept' },
  passwordClear: { outcome: 'otherwise', means: 'passwords in clear: they are kept as scrypt hashes' },
  passwordNone: {
    outcome: 'supplied',
    means: 'people who have no password and cannot sign in',
    advice: 'give them one: atrium person set-password UID --generate{realm}',
  },
  locked: {
    outcome: 'otherwise',
    means: 'accounts that are locked: here they stay disabled until somebody enables them',
    advice: 'delete pwdAccountLockedTime',
  },
  unknownAttribute: { outcome: 'left', means: 'attributes that no schema defines', advice: 'give their schema with --schema' },
  unknownClass: { outcome: 'left', means: 'object classes that no schema defines', advice: 'give their schema with --schema' },
  definition: { outcome: 'left', means: 'definitions of the schema that cannot be had here' },
  definitionPart: { outcome: 'otherwise', means: 'definitions without a matching rule that is not there' },
  classSecond: { outcome: 'left', means: 'structural classes beside another one: an entry has one chain of them' },
  classUnmet: { outcome: 'left', means: 'classes whose required attributes the entry does not have' },
  classSupplied: { outcome: 'supplied', means: 'a structural class for entries that were left without one' },
  valueSupplied: { outcome: 'supplied', means: 'a value that a class asks for and the entry did not have' },
  notAllowed: { outcome: 'left', means: 'attributes that none of the entry’s classes allows' },
  readOnly: { outcome: 'left', means: 'attributes that nobody but the directory writes' },
  badValue: { outcome: 'left', means: 'values that do not fit the syntax of their attribute' },
  surplus: { outcome: 'left', means: 'further values of attributes that have one' },
  twice: { outcome: 'left', means: 'values that the entry has already' },
  renamed: { outcome: 'otherwise', means: 'attributes that have another name here' },
  suffix: { outcome: 'otherwise', means: 'names that lead below the other suffix: they lead below the realm’s' },
  suffixName: { outcome: 'left', means: 'the value that named the other suffix' },
  suffixSupplied: { outcome: 'supplied', means: 'the value that names the realm’s suffix' },
  administrator: {
    outcome: 'left',
    means: 'the entry that has the built-in administrator’s name',
    advice: 'set admin.bootstrapUsername to another name to carry it over',
  },
  standing: { outcome: 'left', means: 'entries that the realm has already' },
  outside: { outcome: 'left', means: 'entries outside of the suffix' },
  orphan: { outcome: 'left', means: 'entries without an entry above them, or below one that is left out' },
  name: { outcome: 'left', means: 'entries whose name cannot be read by the schema' },
  refused: { outcome: 'left', means: 'entries that the schema refuses' },
  group: { outcome: 'otherwise', means: 'groups that gave rights there, and give none here', advice: 'write access rules, or name a role' },
} as const satisfies Readonly<Record<string, NoteRow>>;

export type NoteKind = keyof typeof noteKinds;

/** What a note is about, gathered over all entries. */
export interface Note {
  readonly kind: NoteKind;
  readonly outcome: Outcome;
  readonly means: string;
  readonly advice?: string;
  /** The attribute, class or scheme; empty where the kind says it all. */
  readonly what: string;
  readonly entries: number;
  readonly values: number;
  /** The first of them, by the line where the entry begins. Values are never shown: these may be secrets. */
  readonly examples: readonly Example[];
}

export interface Example {
  readonly line: number;
  readonly dn: string;
}

export interface Summary {
  readonly entries: { readonly read: number; readonly carried: number };
  /** `read` is `kept` and `otherwise` and `left`; `supplied` comes besides. */
  readonly values: {
    readonly read: number;
    readonly kept: number;
    readonly otherwise: number;
    readonly left: number;
    readonly supplied: number;
  };
  readonly notes: readonly Note[];
}

const examplesMax = 3;
/** Beyond so many, a note of a kind is not told from the others of it: names of attributes come from the file. */
const notesMax = 2000;

/** What happens to one entry, until it is known whether it is carried over. */
export interface EntryNotes {
  note(kind: NoteKind, what: string, values: number): void;
  /** With all that was noted. */
  carried(): void;
  /** Without anything of it. */
  left(kind: NoteKind, what?: string): void;
}

export interface Tally {
  /** @param values  how many values the entry has */
  entry(place: Example, values: number): EntryNotes;
  /** About values of no entry: of a configuration, or of a definition. */
  note(kind: NoteKind, what: string, values: number, place: Example): void;
  summary(): Summary;
}

interface Counted {
  readonly kind: NoteKind;
  readonly what: string;
  entries: number;
  values: number;
  last: Example | undefined;
  readonly examples: Example[];
}

export function createTally(): Tally {
  const notes = new Map<string, Counted>();
  const values = { read: 0, kept: 0, otherwise: 0, left: 0, supplied: 0 };
  const entries = { read: 0, carried: 0 };

  function count(kind: NoteKind, given: string, number: number, place: Example): void {
    const what = notes.size >= notesMax && !notes.has(`${kind} ${given}`) ? '' : given;
    let counted = notes.get(`${kind} ${what}`);
    if (counted === undefined) {
      counted = { kind, what, entries: 0, values: 0, last: undefined, examples: [] };
      notes.set(`${kind} ${what}`, counted);
    }
    counted.values += number;
    if (counted.last === place) return;
    counted.last = place;
    counted.entries++;
    if (counted.examples.length < examplesMax) counted.examples.push(place);
  }

  return {
    entry(place, read) {
      const pending: { readonly kind: NoteKind; readonly what: string; readonly values: number }[] = [];
      entries.read++;
      values.read += read;
      return {
        note: (kind, what, number) => void pending.push({ kind, what, values: number }),
        carried() {
          entries.carried++;
          let rest = read;
          for (const { kind, what, values: number } of pending) {
            const { outcome } = noteKinds[kind];
            values[outcome] += number;
            if (outcome !== 'supplied') rest -= number;
            count(kind, what, number, place);
          }
          values.kept += rest;
        },
        left(kind, what = '') {
          values.left += read;
          count(kind, what, read, place);
        },
      };
    },
    note: (kind, what, number, place) => count(kind, what, number, place),
    summary: () => ({
      entries: { ...entries },
      values: { ...values },
      notes: [...notes.values()].map(({ kind, what, entries: number, values: all, examples }) => ({
        kind,
        ...noteKinds[kind],
        what,
        entries: number,
        values: all,
        examples,
      })),
    }),
  };
}
