import type { ExampleRow } from '#catalogue';

/** A member of an operation's input as it is given here: as an operand, or as an option. */
export interface ManagedMember {
  readonly member: string;
  readonly place: 'path' | 'query' | 'body';
  readonly name: string;
  readonly isOperand: boolean;
  readonly kind: 'text' | 'number' | 'flag' | 'answer' | 'texts' | 'attributes';
  readonly isRequired: boolean;
  readonly values?: readonly string[];
  readonly standing?: string;
  readonly mayBeNull?: true;
  readonly means: string;
}

/**
 * A command that has a running service do an operation of its table: what this process needs to know of the row without loading what the service needs for
 * it. `node test/commands/manual.ts` writes these from the rows, and a test holds them against each other.
 */
export interface ManagedRow {
  /** Of the operation: `sessions.list`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  readonly means: string;
  readonly more?: string;
  readonly members: readonly ManagedMember[];
  /** A member of the answer whose things stand in a table. */
  readonly list?: { readonly of: string; readonly columns: readonly string[] };
  /** Whether the answer comes page by page. */
  readonly paged: boolean;
  readonly asks?: string;
  readonly editable: boolean;
  /** Whether it makes something, and takes an `Idempotency-Key`. */
  readonly creates: boolean;
  readonly examples: readonly ExampleRow[];
}
