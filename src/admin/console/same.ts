import type { SearchOptions } from '#client';
import { formatFilter } from '#ldap';
import type { Piece, WebRequest } from '#web';
import { commandWordsOf } from '../operations/command-line.ts';
import type { Operation } from '../operations/row.ts';
import { inputFrom, type Shape, textOf } from './forms.ts';
import { atriumCommand, type Command, curlCommand, searchCommand, terminal, type Who } from './terminal.ts';

/** What else is shown of how the same is done. */
interface Beside {
  readonly who?: Who;
  /** What was searched for on the way. */
  readonly searches?: readonly SearchOptions[];
  /** The same as directory tools do it. */
  readonly tools?: readonly (Command | undefined)[];
}

/** The same call of the management API, of the command line, and of directory tools. */
export function sameOf(
  request: WebRequest,
  row: Operation,
  shape: Shape,
  values: Readonly<Record<string, string>>,
  { who, searches = [], tools = [] }: Beside = {},
): Piece {
  const input = Object.fromEntries(
    Object.entries(shape.properties).flatMap(([name, { default: standing }]) => {
      const value = values[name] ?? (shape.required.includes(name) ? '…' : textOf(standing));
      return value === '' ? [] : [[name, value]];
    }),
  );
  const path = row.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name] ?? '…')));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !row.path.includes(`:${name}`)));
  const isQuery = row.method === 'GET' || row.method === 'DELETE';
  const query = new URLSearchParams(rest as Record<string, string>).toString();
  const main = Object.values(values)[0];
  return terminal([
    ...(who === undefined ? [] : searches.map((search) => searchCommand(who, { ...search, filter: formatFilter(search.filter) }))),
    ...tools,
    isQuery
      ? curlCommand(request, row.method, query === '' ? path : `${path}?${query}`)
      : curlCommand(request, row.method, path, inputFrom(shape, rest)),
    row.terminal === undefined
      ? atriumCommand(request, ...row.command.split(' '), ...(main === undefined ? [] : [main]))
      : atriumCommand(request, ...commandWordsOf(row, inputFrom(shape, input))),
  ]);
}
