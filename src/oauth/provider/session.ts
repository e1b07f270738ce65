import { meetsDemand } from '#policy';
import type { AuthenticationEvent, Session } from '#sessions';
import type { Demands } from './demands.ts';
import type { OidcLibrary, Provider } from './library.ts';

/** The event of a session by which a request may stand: the latest that is what it asks for, or else the latest. */
export function eventFor({ events }: Pick<Session, 'events'>, { demand, maxAgeS }: Demands, nowMs: number): AuthenticationEvent {
  const isYoung = ({ whenMs }: AuthenticationEvent) => maxAgeS === undefined || nowMs - whenMs <= maxAgeS * 1000;
  const latest = events.at(-1);
  if (latest === undefined) throw new Error('a session without an authentication');
  return events.findLast((event) => isYoung(event) && meetsDemand(event, demand)) ?? latest;
}

/**
 * Puts a session of this service in the place of the library's own. What the library keeps in a session for the length of a request it keeps in this one; it is
 * never saved.
 *
 * @param find  the live session of a request, of somebody who may be here
 */
export function outsideSession(
  provider: Provider,
  find: (ctx: Parameters<OidcLibrary['Provider']['prototype']['Session']['get']>[0]) => Promise<Session | undefined>,
) {
  const Inner = provider.Session as unknown as new () => {
    uid: string;
    loginAccount(details: object): void;
  } & Record<string, unknown>;
  // The library finds its storage by this name.
  const Outer = class Session extends Inner {
    readonly #kept = new Map<string, Record<string, unknown>>();

    static async get(ctx: Parameters<typeof find>[0]): Promise<unknown> {
      const found = await find(ctx);
      const session = new Outer();
      if (found !== undefined) {
        const event = found.events.at(-1);
        session.loginAccount({
          accountId: found.subject,
          loginTs: Math.floor((event?.whenMs ?? found.createdMs) / 1000),
          acr: event?.acr,
          amr: event?.amr,
        });
        session.uid = found.sid;
        Object.defineProperty(session, 'found', { value: found });
      }
      const methods = {
        authorizationFor: (clientId: string) => {
          const known = session.#kept.get(clientId) ?? {};
          session.#kept.set(clientId, known);
          return known;
        },
        // Every application is told the same sid: it is the session's own.
        sidFor: () => session.uid,
        save: async () => '',
        persist: async () => '',
        destroy: async () => undefined,
      };
      for (const [name, value] of Object.entries(methods)) Object.defineProperty(session, name, { value });
      ctx.oidc.entity('Session', session as never);
      return session;
    }

    static async findByUid(): Promise<undefined> {
      return undefined;
    }
  };
  Object.defineProperty(provider, 'Session', { value: Outer });
}
