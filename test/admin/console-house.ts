import { type Clock, systemClock } from '#base';
import { systemTimers, type Timers } from '#jobs';
import { addPerson, asAdministrator, type TestPerson } from '../flows/people.ts';
import { ask, cookieOf, hiddenOf, openScreen, type RawAnswer, submit } from '../flows/raw.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';

export type Cookies = Readonly<Record<string, string>>;

/** A running Atrium with somebody of no role, somebody who may look and somebody who may change, each just signed in. */
export interface ConsoleHouse extends AsyncDisposable {
  readonly atrium: TestAtrium;
  readonly base: string;
  readonly nobody: Cookies;
  readonly reader: Cookies;
  readonly writer: Cookies;
  /** Whose session that is. */
  readonly writerIs: TestPerson;
  /** A person who has just signed in. */
  signIn(person: TestPerson): Promise<Cookies>;
  get(target: string, cookies?: Cookies): Promise<RawAnswer>;
  post(target: string, form: Readonly<Record<string, string>>, cookies: Cookies): Promise<RawAnswer>;
  /** Sends the form of a page as its browser would: with its token. */
  send(target: string, form: Readonly<Record<string, string>>, cookies: Cookies): Promise<RawAnswer>;
}

export async function openConsoleHouse(
  settings: Readonly<Record<string, string>> = {},
  clock: Clock = systemClock,
  timers: Timers = systemTimers,
): Promise<ConsoleHouse> {
  const atrium = await startTestAtrium({ clock, timers, settings: { STS_SECURITY_RATE_PER_ADDRESS: '1000', ...settings } });
  const base = atrium.addresses.http ?? '';
  const signIn = async ({ uid, password }: TestPerson): Promise<Cookies> => {
    const session = cookieOf(await submit(base, await openScreen(base), uid, password), 'sts_session');
    if (session === undefined) throw new Error(`${uid} could not sign in`);
    return { sts_session: session };
  };
  const [plain, looks, acts] = [
    await addPerson(atrium, 'plain', 'Plain Person'),
    await addPerson(atrium, 'looks', 'Lo Oks'),
    await addPerson(atrium, 'acts', 'Ac Ts'),
  ];
  // Before the groups: an administrator is offered a second factor on the way in, and roles are read at each request.
  const [nobody, reader, writer] = [await signIn(plain), await signIn(looks), await signIn(acts)];
  await asAdministrator(atrium, async (client) => {
    const group = `ou=groups,${atrium.suffix}`;
    await client.add(`cn=nested,${group}`, { objectClass: ['groupOfNames'], cn: 'nested', member: acts.dn });
    const { Attribute, Change } = await import('ldapts');
    const joined = (dn: string) => new Change({ operation: 'add', modification: new Attribute({ type: 'member', values: [dn] }) });
    await client.modify(`cn=Admin Read,${group}`, joined(looks.dn));
    await client.modify(`cn=Admin Write,${group}`, joined(`cn=nested,${group}`));
  });
  const get = (target: string, cookies: Cookies = {}) => ask(base, target, { cookies });
  const post = (target: string, form: Readonly<Record<string, string>>, cookies: Cookies) =>
    ask(base, target, { method: 'POST', form, cookies });
  return {
    ...{ atrium, base, nobody, reader, writer, writerIs: acts, signIn, get, post },
    send: async (target, form, cookies) => post(target, { ...form, csrf: hiddenOf(await get(target, cookies), 'csrf') }, cookies),
    [Symbol.asyncDispose]: () => atrium[Symbol.asyncDispose](),
  };
}
