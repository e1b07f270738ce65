import type { Chance, Clock } from '#base';
import type { Environment, OperationRow } from '#catalogue';
import type { DialectName, Summary as ElsewhereSummary } from '#elsewhere';
import type { LdifChange, LdifContent, LdifFault, LdifRecord } from '#ldap';
import type { SchemaText } from '#schema';
import type { OpenedRealm } from '#transfer';
import type { Given } from './given.ts';

/** Where a running service can be reached; URLs with the real ports. What is switched off is absent. */
export interface Addresses {
  readonly ldap?: string;
  readonly ldaps?: string;
  /** `ldapi://` of the operators' socket. */
  readonly operators?: string;
  readonly http?: string;
  readonly https?: string;
}

/** A service that may be used. */
export interface Running {
  readonly addresses: Addresses;
  readonly suffix: string;
  /** The built-in administrator's password when this start generated it; it is not to be had again. */
  readonly generatedPassword?: string;
  /** Ends the service after what is open is closed. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly environment: Environment;
}

/** How a start ends: with a service, or with lines for the operator. */
export type Started =
  | { readonly kind: 'running'; readonly service: Running }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** A web process beside a service. */
export interface RunningBeside {
  /** Its own. */
  readonly addresses: Addresses;
  /** Resolves when the service beside which it runs has ended, or begun anew. */
  readonly gone: Promise<void>;
  stop(): Promise<void>;
}

/** How a start beside a service ends; `absent` when there is none. */
export type StartedBeside =
  | { readonly kind: 'running'; readonly service: RunningBeside }
  | { readonly kind: 'absent'; readonly why: string }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** What the settings say of where a service is and what it holds. */
export type Located =
  | {
      readonly kind: 'located';
      readonly suffix: string;
      readonly administratorUid: string;
      readonly operatorsSocket: string | undefined;
      /** Of the management API, for operators. */
      readonly managementSocket: string | undefined;
      readonly exchange: string;
      /** Bounds of judging a password against a hash. */
      readonly hashing: { readonly queueMax: number; readonly costMaxMiB: number; readonly foreignRoundsMax: number };
    }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

export interface ImportFolderOptions {
  /** With what of the file cannot be read: `onRefused` is told of it, and without that the import ends there. */
  readonly records: AsyncIterable<LdifRecord | LdifFault>;
  /** Told how many entries were taken so far. */
  readonly onProgress: (entries: number) => void;
  /** Told of what would be refused, with line, entry, attribute and rule; without it the first of them ends the import. */
  readonly onRefused?: (why: string) => void;
}

/** How an import into a folder ends: with all entries, or with none. */
export type Imported =
  | {
      readonly kind: 'imported';
      readonly entries: number;
      /** The built-in administrator's password when a realm was made for the entries and the password generated. */
      readonly password: string | undefined;
    }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

export interface ElsewhereOptions {
  readonly from: DialectName;
  /** The id of the realm that it is brought into. */
  readonly to: string;
  /** Begins to read the file anew. */
  readonly open: () => AsyncIterable<LdifRecord>;
  /** The schema that comes with it: LDIF by its name, or slapd's form. */
  readonly schemas: readonly SchemaText[];
  /** Whether definitions can be added where some were added before: a running service takes them, an import into a folder does not. */
  readonly takesDefinitions: boolean;
}

/** The tree of another server as it is to be in a realm; `absent` when there is no such realm. */
export type ConvertedElsewhere =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'converted';
      /** The subschema subentry with the definitions that the realm's folder has not and the tree needs. */
      readonly definitions: LdifContent | undefined;
      readonly records: AsyncIterable<LdifContent>;
      /** The built-in administrator's password when a realm is made with them and the password generated. */
      readonly password: string | undefined;
      /** The suffixes there and here. */
      readonly from: string;
      readonly to: string;
      /** What became of all values of the source, when the records have been read. */
      readonly summary: () => ElsewhereSummary;
    }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

export interface ExportFolderOptions {
  readonly secrets: boolean;
  readonly operational: boolean;
  /**
   * Given the text piece by piece, whose octets are used again when it resolves, with the entries so far, and how far that is of all in a unit of
   * its own where that is known.
   */
  readonly onText: (text: Uint8Array, entries: number, done: number, total: number | undefined) => Promise<void>;
}

/** How an export of a folder ends; `absent` when it holds no realm. */
export type Exported =
  | { readonly kind: 'exported'; readonly entries: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** Damage in the files of a folder. */
export interface Damage {
  readonly kind: 'page' | 'index' | 'tree' | 'identity' | 'schema' | 'sealed' | 'value' | 'log';
  /** What is wrong and where. */
  readonly what: string;
}

export interface ExaminationOptions {
  readonly tell: (damage: Damage) => void;
  readonly onProgress: (entries: number, total: number) => void;
}

/** How an examination ends; `absent` when there is no file of entries. */
export type Examined =
  | {
      readonly kind: 'examined';
      readonly entries: number;
      readonly indexRows: number;
      /** False when an older version made the indexes: the next start makes them anew, so that they were not compared. */
      readonly indexCompared: boolean;
      readonly changes: number;
      /** How many passwords are kept in which way, by scheme; the most frequent first. */
      readonly passwords: Readonly<Record<string, number>>;
      /** Mails that were given up and are still told of. */
      readonly mailsFailed: number;
      /** What is wrong with how realms send mail, a sentence each. */
      readonly mailFaults: readonly string[];
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

export type Repaired =
  | { readonly kind: 'repaired' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** What a backup holds, or a folder after a restore. */
export interface Kept {
  readonly entries: number;
  /** The number of the newest change. */
  readonly number: number;
  readonly epoch: number;
}

type Pages = (done: number, total: number) => void;

/** How a backup ends; `absent` when there is no file of entries. */
export type BackedUp =
  | (Kept & { readonly kind: 'backedUp'; readonly octets: number })
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

export interface MetadataAsked {
  /** Path of a blob; nothing for the one in use. */
  readonly file: string | undefined;
  readonly install: boolean;
}

/** What authenticator metadata say, once they are verified; `absent` when none are in use. */
export type MetadataShown =
  | {
      readonly kind: 'shown';
      readonly number: number;
      readonly nextUpdate: string;
      readonly models: number;
      readonly reported: readonly {
        readonly aaguid: string | undefined;
        readonly description: string | undefined;
        readonly status: string;
      }[];
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** How a restore ends; `occupied` when the folder has entries or state and they were not to be moved. */
export type Restored =
  | (Kept & { readonly kind: 'restored'; readonly aside: string | undefined })
  | { readonly kind: 'occupied' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** A change of the log. */
export interface Logged {
  readonly number: number;
  readonly csn: string;
  readonly entryUuid: string;
  readonly records: readonly LdifChange[];
}

/** The change log at one moment. */
export interface ChangeLog extends Disposable {
  readonly epoch: number;
  /** 0 when there is no change. */
  readonly oldest: number;
  readonly newest: number;
  changes(afterNumber: number): Iterable<Logged>;
}

export type OpenedLog =
  | { readonly kind: 'open'; readonly log: ChangeLog }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** The folder of a stopped service, open in this process; `absent` when it has no directory. */
export type OpenedFolder =
  | {
      readonly kind: 'open';
      /** Whoever connects to it is an operator. */
      readonly socketPath: string;
      readonly close: () => Promise<void>;
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** What a command may touch. Everything from outside the process comes through here. */
export interface Context {
  readonly environment: Environment;
  /** The installation's folder, in which `schema/` and `ldif/` lie. */
  readonly root: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly start: (options: StartOptions) => Promise<Started>;
  /** Starts a web process beside the service of the folder. */
  readonly startBeside: () => Promise<StartedBeside>;
  readonly locate: () => Located;
  /** The schema files by which a service on this folder starts. */
  readonly schemaFiles: () => Promise<readonly SchemaText[]>;
  /** Opens the folder of a stopped service to be asked over LDAP by this process alone. */
  readonly openStopped: () => Promise<OpenedFolder>;
  /** Gives every entry of a folder that no service has open as LDIF. */
  readonly exportEntries: (options: ExportFolderOptions) => Promise<Exported>;
  /** Opens a realm for reading, beside a running service or without one. */
  readonly openRealm: (options: { readonly id: string; readonly secrets: boolean }) => Promise<OpenedRealm>;
  /** Adds all of the entries to a folder that no service has open, or none. */
  readonly importEntries: (options: ImportFolderOptions) => Promise<Imported>;
  /** Reads the tree of another server as what it is to be in a realm of the folder, beside a running service or without one. */
  readonly convertElsewhere: (options: ElsewhereOptions) => Promise<ConvertedElsewhere>;
  /** The same without writing anything, beside a running service or without one. */
  readonly tryImport: (options: ImportFolderOptions) => Promise<Imported>;
  /** Looks for damage in the folder's files beside a running service or without one; writes nothing. */
  readonly examine: (options: ExaminationOptions) => Promise<Examined>;
  /** Makes the indexes of a folder that no service has open anew. */
  readonly repair: () => Promise<Repaired>;
  /** Opens the change log, beside a running service or without one. */
  readonly openLog: () => Promise<OpenedLog>;
  /** Copies the entries into a new file, beside a running service or without one. */
  readonly backUp: (file: string, onProgress: Pages) => Promise<BackedUp>;
  /** Puts a backup into a folder that no service has open. */
  readonly restore: (file: string, options: { readonly replace: boolean; readonly onProgress: Pages }) => Promise<Restored>;
  /** Verifies authenticator metadata, and installs them if that is asked. */
  readonly metadata: (asked: MetadataAsked) => Promise<MetadataShown>;
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly untilSignal: () => Promise<void>;
}

/** An operation as the command line does it. */
export interface Command extends OperationRow {
  /**
   * @returns the exit status, one of `exits`
   * @throws Misuse, Failure, Absent, Unreachable, Unconfirmed; ClientRefusal and Refusal are told in a line, too
   */
  readonly run: (given: Given, context: Context) => Promise<number>;
}
