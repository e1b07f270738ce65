import type { OperandRow, OptionRow } from '#catalogue';

/** Options that several commands have, so that they are named and mean the same everywhere. */
export const json: OptionRow = { means: 'answer as JSON: one object, or one in each line where there may be several' };
export const realm: OptionRow = { value: 'ID', default: 'default', means: 'the realm it is about' };
/** Which realm a command is about. */
export const realmOperand: OperandRow = { name: 'ID', means: 'the realm: default, or the id of another one' };
export const limit: OptionRow = { value: 'NUMBER', type: 'count', means: 'no more than so many' };
export const dryRun: OptionRow = { means: 'say what would be done, and write nothing' };
/** Of every command that destroys: `confirm` asks where it is not given. */
export const yes: OptionRow = { means: 'do it without asking' };
