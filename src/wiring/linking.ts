import type { DirectoryClient, SessionOf } from '#client';
import type { LinkAsked, LinkDesk } from '#directory';
import { appPasswordAttributes, appPasswordsOf } from '#holdings';
import { type Mail, parseMailAddress } from '#mail';
import type { People } from '#people';
import { verifiesPasswords } from '#policy';
import { linkTimeOf } from '#portal';
import type { Realms } from '#realms';
import type { Sessions } from '#sessions';
import { type Links, openHourly, openLinks } from '#state';
import { pathIn, type WebRealm, type WebRequest } from '#web';
import type { settings as rows } from '../settings.ts';
import type { Beneath } from './above.ts';
import type { Foundation } from './foundation.ts';
import { mayBeMailed } from './mailing.ts';

interface LinkParts {
  readonly foundation: Pick<Foundation, 'clock' | 'chance' | 'audit' | 'settings'>;
  readonly below: Pick<Beneath, 'state' | 'desks' | 'endConnections'>;
  readonly client: DirectoryClient;
  readonly realms: Realms<typeof rows>;
  readonly people: People;
  readonly sessions: Sessions;
  readonly mail: Mail;
  /** Where browsers reach the service; by a door where one is named. */
  readonly baseOf: (door?: WebRequest['door']) => string | undefined;
}

/** Links that activate and reset, for both sides of the LDAP interface: an operation below it issues them, pages above it spend them. */
export function linksOf(parts: LinkParts) {
  const { foundation, below, client, realms, people, mail, baseOf } = parts;
  const { clock, chance } = foundation;
  const links = openLinks({ state: below.state, clock, chance, settingsOf: realms.settingsOf });
  below.desks?.open({ links: linkDeskOf(parts, links), mails: { list: mail.list, retry: mail.retry, wake: mail.wake } });
  const asked = {
    perPerson: openHourly(below.state, clock, 'forgot-person'),
    perAddress: openHourly(below.state, clock, 'forgot-address'),
  };
  return {
    links,
    portal: {
      links,
      people,
      mail,
      asked,
      baseOf,
      audit: foundation.audit,
      mailsLinks: ({ realm, door }: Pick<WebRequest, 'realm' | 'door'>) =>
        verifiesPasswords(realm.mode) && mail.canSend(realm.id) && baseOf(door) !== undefined && mayBeMailed(foundation.settings),
      appPasswords: {
        list: async (dn: string) => {
          const entry = await client.as('self').read(dn, appPasswordAttributes);
          return entry === undefined ? [] : appPasswordsOf(entry).map(({ name }) => name);
        },
        revokeAll: (subject: { readonly dn: string; readonly session: SessionOf }) =>
          client.as(subject).revokeAppPassword({ dn: subject.dn }),
      },
      setPassword: (subject: { readonly dn: string; readonly session: SessionOf }, password: string) =>
        client.as(subject).setPassword(subject.dn, password),
    },
  };
}

const paths = { activation: '/portal/activate', reset: '/portal/reset-password' } as const;

function linkDeskOf({ foundation, below, realms, sessions, mail, baseOf }: LinkParts, links: Links): LinkDesk {
  const realmOf = async (id: string) => (id === realms.standing.id ? realms.standing : await realms.find(id));
  const mailed = async (realm: WebRealm, { kind, mailTo, entryUuid, correlationId }: LinkAsked, link: string, untilMs: number) => {
    const to = mailTo === undefined ? undefined : parseMailAddress(mailTo);
    if (to === undefined) return false;
    const fill = { link, time: linkTimeOf(untilMs - foundation.clock.nowMs()) };
    const subject = `urn:uuid:${entryUuid}`;
    return await mail.send({ realm: realm.id, realmName: realm.name, to, counted: to, kind, fill, untilMs, subject, correlationId });
  };
  return {
    hindrance: async ({ realm: id, mailTo }) => {
      if ((await realmOf(id)) === undefined) return 'the realm is not there any more';
      if (baseOf() === undefined) return 'nobody has said where browsers reach this service: set global.publicBaseUrl';
      if (mailTo === undefined) return undefined;
      if (!mayBeMailed(foundation.settings)) return 'a mail would lead its reader to their own machine: set global.publicBaseUrl';
      if (!mail.canSend(id)) return 'the realm has no mail server: set mail.smtpHost';
      return parseMailAddress(mailTo) === undefined ? 'the entry has no address that a mail could be sent to' : undefined;
    },
    issue: async (asked) => {
      const { realm: id, kind, entryUuid, hasPassword, mailTo, correlationId, from } = asked;
      const [realm, base] = [await realmOf(id), baseOf()];
      if (realm === undefined || base === undefined) return undefined;
      if (kind === 'reset') {
        await sessions.endAll(id, entryUuid, { ...from, correlationId });
        // A sign-in that waits for a second factor has shown the password that is gone.
        for (const { end } of sessions.endings) await end(id, entryUuid);
        await below.endConnections?.(entryUuid);
        await links.end(id, entryUuid);
      }
      const { token, untilMs } = await links.issue(id, { kind, entryUuid, hasPassword });
      const link = `${base}${pathIn(realm, paths[kind])}?link=${encodeURIComponent(token)}`;
      if (mailTo === undefined) return { link, untilMs };
      if (await mailed(realm, asked, link, untilMs)) return { untilMs };
      await (await links.claim(id, token))?.spend();
      return undefined;
    },
  };
}
