import { type ClientEntry, ClientRefusal, type OperatorsClient } from '#client';
import { type AppPassword, type AppPasswordScope, appPasswordAttributes, appPasswordScopes, appPasswordsOf } from '#holdings';
import type { Context } from './command.ts';
import { confirm } from './confirm.ts';
import { Absent, Failure, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { explain } from './operators.ts';
import { answer, withPerson } from './person-change.ts';
import { list } from './table.ts';

/** What a person's app passwords are asked: `add`, `list` or `revoke`. */
export async function appPasswords(given: Given, context: Context): Promise<number> {
  const action = given.need('ACTION');
  const name = given.texts('NAME')[0];
  if (action === 'add' && name === undefined) throw new Misuse('a new app password has a NAME');
  if (action === 'revoke' && (name === undefined) !== given.flag('all')) throw new Misuse('revoke takes the NAME or id of one, or --all');
  if (action === 'list' && name !== undefined) throw new Misuse('list takes no NAME');
  return await withPerson(given, context, async (person, client) => {
    const held = appPasswordsOf((await client.actor.read(person.dn, [...appPasswordAttributes])) ?? person);
    if (action === 'add') await add(given, context, person, client, name ?? '');
    else if (action === 'revoke') await revoke(given, context, person, client, held, name);
    else await show(given, context, held);
  });
}

async function add(given: Given, context: Context, { dn }: ClientEntry, { actor }: OperatorsClient, name: string): Promise<void> {
  const asked = given.texts('scope');
  const scopes = asked.length === 0 ? (['ldap'] as const) : asked.filter(isScope);
  const expires = given.texts('expires')[0];
  const [networks, program] = [given.texts('network'), given.texts('program')[0]];
  const made = await told('the app password was not made', () =>
    actor.makeAppPassword({
      ...{ dn, name, scopes },
      ...(expires === undefined ? {} : { expiresMs: momentOf(expires) }),
      ...(networks.length === 0 ? {} : { networks }),
      ...(program === undefined ? {} : { program }),
    }),
  );
  answer(given, context, `app password ${made.value}`, { dn, id: made.id, value: made.value, name, scopes });
}

function isScope(word: string): word is AppPasswordScope {
  return appPasswordScopes.some((scope) => scope === word);
}

/** A day, which begins at midnight UTC, or a time as RFC 3339 has it. */
function momentOf(text: string): number {
  const ms = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new Misuse(`--expires: ${text} is neither a day such as 2026-12-31 nor a time such as 2026-12-31T18:00Z`);
  return ms;
}

async function show(given: Given, context: Context, held: readonly AppPassword[]): Promise<void> {
  await list(held, given, context, {
    columns: [
      { head: 'ID', of: ({ id }) => id, telling: true },
      { head: 'NAME', of: ({ name }) => name },
      { head: 'FOR', of: ({ scopes, program }) => [scopes.join(','), program].filter((each) => each !== undefined).join(' ') },
      { head: 'FROM', of: ({ networks = ['anywhere'] }) => networks.join(',') },
      { head: 'ADDED', of: ({ addedMs }) => shown(addedMs) },
      { head: 'UNTIL', of: ({ expiresMs }) => shown(expiresMs) },
      { head: 'LAST USED', of: ({ lastUsedMs, lastUsedFrom = '' }) => `${shown(lastUsedMs)} ${lastUsedFrom}`.trim() },
    ],
    none: 'There is no app password.',
  });
}

function shown(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

async function revoke(
  given: Given,
  context: Context,
  person: ClientEntry,
  { actor }: OperatorsClient,
  held: readonly AppPassword[],
  wanted: string | undefined,
): Promise<void> {
  const { dn } = person;
  const [one, ...others] = held.filter(({ id, name }) => id === wanted || name === wanted);
  if (wanted !== undefined && one === undefined) throw new Absent(`${dn} has no app password ${JSON.stringify(wanted)}`);
  if (others.length > 0) throw new Failure(`${dn} has several app passwords ${JSON.stringify(wanted)}: name one by its id`);
  const what = wanted === undefined ? `all ${held.length} app passwords` : `the app password ${JSON.stringify(one?.name)}`;
  await confirm(`This revokes ${what} of ${dn}; programs that use it come in no more.`, person.one('uid') ?? dn, given, context);
  const count = await told('nothing was revoked', () => actor.revokeAppPassword(one === undefined ? { dn } : { dn, id: one.id }));
  answer(given, context, `revoked ${what} of ${dn}`, { dn, revoked: count });
}

async function told<T>(words: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ClientRefusal) throw new Failure(`${words}: ${explain(error)}`);
    throw error;
  }
}
