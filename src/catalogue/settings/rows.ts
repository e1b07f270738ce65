/** One row of the settings table. Its key in the table is the setting's name, `area.name`. */
export interface SettingRow {
  /** The environment name as the specification writes it; not always derived from the name. */
  readonly env: string;
  readonly kind: 'integer' | 'boolean' | 'text' | 'choice' | 'list' | 'secret';
  /** In force when nothing sets it. `''` on an integer that may be empty means `undefined`. */
  readonly default: number | boolean | string | readonly string[];
  /** Bounds of an integer; for `text`, `secret` and the items of a `list`, of their length in characters. */
  readonly min?: number;
  readonly max?: number;
  /** An integer that may be left empty, such as the port of a listener that is switched off: its value is then `undefined`. */
  readonly mayBeEmpty?: true;
  /** The values of a `choice`, or those that a `list` may hold. */
  readonly values?: readonly string[];
  /** What is wrong with a text, a secret or an item of a list, in words that never repeat it; `undefined` when it is fit. Not asked for an empty text. */
  readonly check?: (given: string) => string | undefined;
  /** `runtime`: a change counts from the next use on; `restart`: only from the next start. */
  readonly applies: 'runtime' | 'restart';
  readonly scope: 'realm' | 'process';
  /** May not differ from its default in a realm in product mode (STS-CORE-0103). */
  readonly developmentOnly?: true;
  /** False while no code reads it yet. A test lists these; the list only shrinks. */
  readonly obeyed: boolean;
  readonly means: string;
}

export type SettingRows = Readonly<Record<string, SettingRow>>;

/** The type of a setting's value, from its row. */
export type SettingValue<Row extends SettingRow> = Row['kind'] extends 'integer'
  ? Row extends { readonly mayBeEmpty: true }
    ? number | undefined
    : number
  : Row['kind'] extends 'boolean'
    ? boolean
    : Row['kind'] extends 'list'
      ? readonly string[]
      : Row extends { readonly kind: 'choice'; readonly values: readonly (infer V)[] }
        ? V
        : string;

/**
 * The values in force for the rows of a table. Read a value when it is needed and do not keep it: a `runtime` setting may change.
 * A room asks for `SettingValues<typeof settings>` of its own rows; the gathered values satisfy it.
 */
export type SettingValues<Rows extends SettingRows> = { readonly [Name in keyof Rows]: SettingValue<Rows[Name]> };
