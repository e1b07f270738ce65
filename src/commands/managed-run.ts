import type { Context } from './command.ts';
import { confirm } from './confirm.ts';
import { Absent, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { attributesGiven, refuseHidden } from './managed-attributes.ts';
import { type Answer, type Asking, openManagement } from './managed-call.ts';
import type { ManagedMember, ManagedRow } from './managed-row.ts';
import { write } from './output.ts';
import { list, pageOf, printable } from './table.ts';

/** What one call answers at most of a list. */
const pageMax = 200;

/**
 * Has a running service do an operation and shows what it answers: a list as a table, all of its pages; anything else member by member.
 *
 * @throws Misuse, Unconfirmed, Unreachable; Absent and Failure in the service's own words
 */
export async function runManaged(row: ManagedRow, given: Given, context: Context): Promise<number> {
  const asking = await askingOf(row, given, context);
  if (row.asks !== undefined) await confirm(willHappen(row, given), confirmedBy(row, given), given, context);
  await using management = await openManagement(row.scope, given, context);
  if (row.members.some(({ kind }) => kind === 'attributes')) await refuseHidden(given, management);
  const { realm } = management;
  const ask = async (more: Readonly<Record<string, string>>) =>
    await management.ask({ ...asking, query: [...asking.query, ...Object.entries(more)] });
  if (row.list !== undefined) {
    const { of, columns } = row.list;
    await list<Answer>(pages(row, of, given, ask), given, context, {
      columns: columns.map((name, at) => ({ head: headOf(name), of: (thing) => textOf(thing[name]), telling: at === 0 })),
      none: `There is nothing to list in the realm ${realm}.`,
    });
    return 0;
  }
  const { ok: _, ...answer } = await ask({});
  if (answer['found'] === false) throw new Absent(printable(textOf(answer['why'])));
  await show(answer, given, context);
  return 0;
}

/** What is sent, by where it stands. @throws Misuse */
async function askingOf({ method, path, members }: ManagedRow, given: Given, context: Context): Promise<Asking> {
  const query: [string, string][] = [];
  const body: [string, unknown][] = [];
  let at = path;
  for (const member of members) {
    const value = member.kind === 'attributes' ? await attributesFor(member, given, context) : givenFor(member as PlainMember, given);
    if (value === undefined) continue;
    if (member.place === 'path') at = at.replace(`:${member.member}`, encodeURIComponent(String(value)));
    else if (member.place === 'body') body.push([member.member, value]);
    else for (const each of Array.isArray(value) ? value : [value]) query.push([member.member, String(each)]);
  }
  const takesBody = method !== 'GET' && method !== 'DELETE';
  return { method, path: at, query, ...(takesBody ? { body: Object.fromEntries(body) } : {}) };
}

async function attributesFor({ isRequired }: ManagedMember, given: Given, context: Context): Promise<unknown> {
  if (isRequired && given.texts('set').length + given.texts('set-file').length === 0)
    throw new Misuse('--set NAME=VALUE is missing, or --set-file NAME=FILE');
  return await attributesGiven(given, context);
}

type PlainMember = ManagedMember & { readonly kind: Exclude<ManagedMember['kind'], 'attributes'> };

function givenFor({ name, kind, mayBeNull }: PlainMember, given: Given): unknown {
  if (mayBeNull && given.flag(`no-${name}`)) {
    if (given.text(name) !== undefined) throw new Misuse(`--${name} and --no-${name} say two things`);
    return null;
  }
  const [text] = given.texts(name);
  if (text === undefined) return undefined;
  switch (kind) {
    case 'text':
      return text;
    case 'flag':
      return true;
    case 'answer':
      return text === 'yes';
    case 'texts':
      return given.texts(name);
    case 'number':
      if (!/^\d{1,15}$/.test(text)) throw new Misuse(`--${name} is a whole number, not ${JSON.stringify(text)}`);
      return Number(text);
  }
}

function willHappen({ asks = '', members }: ManagedRow, given: Given): string {
  return printable(
    asks.replace(/\{(\w+)\}/g, (_, named: string) => {
      const member = members.find((each) => each.member === named);
      return (member === undefined ? undefined : given.text(member.name)) ?? named;
    }),
  );
}

/** Who goes on types what it is about, or the realm where it is about that. */
function confirmedBy({ members }: ManagedRow, given: Given): string {
  const first = members.find(({ isOperand }) => isOperand);
  return first === undefined ? given.need('realm') : given.need(first.name);
}

type Ask = (more: Readonly<Record<string, string>>) => Promise<Answer>;

/** All things of a list, or as many as are wanted, asked for page by page as they are read. */
async function* pages({ paged }: ManagedRow, of: string, given: Given, ask: Ask): AsyncGenerator<Answer> {
  const wanted = paged ? given.count('limit') : undefined;
  let left = wanted ?? Number.POSITIVE_INFINITY;
  let after: string | undefined;
  do {
    const page = await ask({
      ...(paged ? { limit: String(Math.min(left, pageMax)) } : {}),
      ...(after === undefined ? {} : { after }),
    });
    const things = (page[of] ?? []) as readonly Answer[];
    yield* things.slice(0, left);
    left -= things.length;
    after = page['next'] as string | undefined;
  } while (after !== undefined && left > 0);
}

/** `lastUsed` as the head of a column. */
function headOf(name: string): string {
  return name
    .replace(/_/g, ' ')
    .replace(/[A-Z]/g, (letter) => ` ${letter}`)
    .toUpperCase();
}

async function show(answer: Answer, given: Given, { stdout }: Context): Promise<void> {
  if (given.flag('json')) return await write(stdout, `${JSON.stringify(answer)}\n`);
  const members = Object.values(answer);
  const [only] = members;
  const isOne = members.length === 1 && typeof only === 'object' && only !== null && !Array.isArray(only);
  await write(stdout, pageOf([...linesOf(isOne ? only : answer, '')]));
}

/** Each value in a line, by where it stands: `authn.firstFactors`, `routes.3.path`. */
function* linesOf(value: object, above: string): Generator<readonly [label: string, value: string]> {
  for (const [name, each] of Object.entries(value)) {
    const label = `${above}${printable(name)}`;
    if (typeof each !== 'object' || each === null || isPlain(each)) yield [label, textOf(each)];
    else yield* linesOf(each, `${label}.`);
  }
}

function isPlain(value: object): boolean {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
}

/** A value in words. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return isPlain(value) ? value.map(textOf).join(', ') : `${value.length}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
