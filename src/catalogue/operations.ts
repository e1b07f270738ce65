/** What may be given for an operand or an option: any text, the path of a file, a number above 0, or one of some words. */
export type ValueType = 'text' | 'file' | 'count' | readonly string[];

/** What stands in its place behind a command's name. */
export interface OperandRow {
  /** In capitals: `FILE`. */
  readonly name: string;
  readonly means: string;
  readonly type?: ValueType;
  readonly optional?: true;
  /** Takes all that follow; the last operand alone. */
  readonly many?: true;
}

/** What is given by name. Its key in the table is the name without dashes. */
export interface OptionRow {
  readonly means: string;
  /** The word for its value: `NUMBER`. An option without one is a flag. */
  readonly value?: string;
  readonly type?: ValueType;
  /** What holds where it is not given, as one would give it. */
  readonly default?: string;
  readonly required?: true;
  /** May be given several times. */
  readonly many?: true;
}

/** A line for a shell. Each is run by a test, in a folder where the files that it names are. */
export interface ExampleRow {
  readonly line: string;
  /** What it does, where the line does not say it: "the people of Berlin, with their addresses". */
  readonly does?: string;
  /** The exit status, where it is not 0. */
  readonly status?: number;
}

/**
 * What an operation works on: a running service or, where none runs, a stopped one's folder (`either`); a running service alone; a stopped one's
 * folder alone; the folder's files, whether a service runs or not (`files`); nothing of it (`none`).
 */
export type WorksOn = 'either' | 'running' | 'stopped' | 'files' | 'none';

/**
 * One row of the operation table: something that an operator can have done. Its key in the table is the operation's name. The command line is the first
 * of its faces; parsing, help, completion and documentation read the same row.
 */
export interface OperationRow {
  /** In one line: "add a person". */
  readonly means: string;
  /** More about it, a paragraph each. */
  readonly more?: readonly string[];
  readonly on: WorksOn;
  readonly operands?: readonly OperandRow[];
  readonly options?: Readonly<Record<string, OptionRow>>;
  readonly examples: readonly ExampleRow[];
  /** What it destroys, where it destroys something that cannot be had again; then it asks before, and has the option `yes`. */
  readonly destroys?: string;
  /** What will happen, in sentences, where it is asked before something is done that destroys nothing; it has the option `yes`, too. */
  readonly asks?: string;
  /** What is special about an exit status here; they mean the same everywhere. */
  readonly exits?: Readonly<Record<number, string>>;
}
