import type { OperandRow, OptionRow } from '#catalogue';
import type { Command } from './command.ts';
import type { ManagedMember, ManagedRow } from './managed-row.ts';
import { managedRows } from './managed-rows.ts';
import { json, limit, realm, yes } from './options.ts';

const elsewhere: Readonly<Record<string, OptionRow>> = {
  url: { value: 'URL', means: 'ask the service at this address, with a token, and not the one of this folder' },
  'token-file': { value: 'FILE', type: 'file', means: 'with --url: the access token stands in this file' },
  client: { value: 'ID', means: 'with --url: have a token issued to this client, whose secret is asked for' },
  'secret-file': { value: 'FILE', type: 'file', means: 'with --client: its secret stands in this file' },
};
const idempotencyKey: OptionRow = {
  value: 'KEY',
  means: 'make one thing alone, however often it is asked for with this key: what was answered first is answered again',
};
const setFile: OptionRow = {
  value: 'NAME=FILE',
  many: true,
  means: 'an attribute whose value stands in the first line of a file, or with - of standard input: so secrets are given',
};
const etag: OptionRow = { value: 'TAG', means: 'refuse where it was changed since it was read with this etag' };

/** The word that stands for a value. */
const words = { text: 'TEXT', number: 'NUMBER', flag: undefined, answer: 'WORD', texts: 'TEXT', attributes: 'NAME=VALUE' } as const;

function commandOf(row: ManagedRow): Command {
  const { means, more, members, paged, asks, editable, creates, examples } = row;
  const operands = members.filter(({ isOperand }) => isOperand).map(operandOf);
  return {
    means,
    ...(more === undefined ? {} : { more: [more] }),
    on: 'running',
    ...(operands.length === 0 ? {} : { operands }),
    options: {
      ...Object.fromEntries(members.filter(({ isOperand }) => !isOperand).flatMap(optionsOf)),
      ...(paged ? { limit } : {}),
      ...(editable ? { etag } : {}),
      ...(creates ? { 'idempotency-key': idempotencyKey } : {}),
      ...(asks === undefined ? {} : { yes }),
      realm,
      json,
      ...elsewhere,
    },
    ...(asks === undefined ? {} : { asks: asks.replace(/\{(\w+)\}/g, (_, member: string) => placeholderOf(row, member)) }),
    examples,
    run: async (given, context) => (await import('./managed-run.ts')).runManaged(row, given, context),
  };
}

function operandOf({ name, means, values }: ManagedMember): OperandRow {
  return { name, means, ...(values === undefined ? {} : { type: values }) };
}

function optionsOf({ name, kind, isRequired, values, standing, mayBeNull, means }: ManagedMember): (readonly [string, OptionRow])[] {
  const value = values === undefined ? words[kind] : 'WORD';
  const type = kind === 'answer' ? ['yes', 'no'] : values;
  const own: OptionRow = {
    means: kind === 'attributes' ? 'an attribute and its value; with nothing behind the = it is taken away' : means,
    ...(value === undefined ? {} : { value }),
    ...(type === undefined ? {} : { type }),
    ...(standing === undefined ? {} : { default: standing }),
    // One of --set and --set-file is enough.
    ...(isRequired && kind !== 'attributes' ? { required: true } : {}),
    ...(kind === 'texts' || kind === 'attributes' ? { many: true } : {}),
  };
  if (kind === 'attributes')
    return [
      [name, own],
      ['set-file', setFile],
    ];
  return [[name, own], ...(mayBeNull ? [[`no-${name}`, { means: `take back what --${name} has set` }] as const] : [])];
}

function placeholderOf({ members }: ManagedRow, member: string): string {
  return members.find((each) => each.member === member)?.name ?? member;
}

/** The commands that are made of the operations' rows, by their words. */
export const managedCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  Object.entries(managedRows).map(([words, row]) => [words, commandOf(row)]),
);
