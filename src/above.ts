import { join } from 'node:path';
import { text, utf8 } from '#base';
import { connectDirectory } from '#client';
import type { Addresses } from '#commands';
import { directoryJobs } from '#directory';
import { createScheduler } from '#jobs';
import { hmacSha256 } from '#keys';
import { parseDn } from '#ldap';
import { openPeople } from '#people';
import { createPortalHandlers, portalRoutes } from '#portal';
import { openSessions, sessionsJobs } from '#sessions';
import { createSigninHandlers, signinRoutes } from '#signin';
import { openState } from '#state';
import { openStateStore } from '#store';
import { bindRoutes, createCsrf, startWeb, type WebRoute } from '#web';
import type { Below } from './below.ts';
import type { Foundation } from './foundation.ts';

/** The default realm, as audit rows name it. */
const realm = 'default';
const csrfKeyOctets = 32;

/** Starts all that stands above the LDAP interface and reaches the directory through it alone. */
export async function startAbove(foundation: Foundation, below: Below): Promise<Addresses> {
  const { settings, clock, chance, timers, log, audit, dataDir, open } = foundation;
  const stateStore = openStateStore({ file: join(dataDir, 'state.sqlite'), settings, clock, epoch: below.epoch });
  open.defer(() => stateStore.close());
  const state = openState({ store: stateStore, clock });
  const sessions = openSessions({ state, clock, chance, audit, settings });

  const jobs = createScheduler({ clock, timers, log, secondsOf: (name) => secondsOf(settings, name) });
  jobs.add('sessions.sweep', sessionsJobs['sessions.sweep'], () => sessions.sweep());
  jobs.add('directory.expire', directoryJobs['directory.expire'], below.expire);
  jobs.start();
  open.defer(() => jobs.close());

  const client = connectDirectory({ ...below.web, clock, settings, log });
  open.defer(() => client.close());
  const people = openPeople({ client, suffix: below.suffix, mode: () => settings['global.mode'] });

  const csrf = createCsrf(csrfKeyOf(foundation));
  const mode = settings['global.mode'];
  const ldapUrl = below.addresses.ldap ?? below.addresses.ldaps;
  const routes: readonly WebRoute[] = [
    ...bindRoutes(
      signinRoutes,
      createSigninHandlers({
        registry: people,
        judge: (presented) => client.judge(presented),
        mode,
        sessions,
        csrf,
        clock,
        chance,
        audit,
        realm,
      }),
    ),
    ...bindRoutes(
      portalRoutes,
      createPortalHandlers({
        realm,
        mode,
        sessions,
        readOwn: (session, attributes) => people.readOwn(session, attributes),
        csrf,
        clock,
        ldapUrl: () => ldapUrl,
      }),
    ),
  ];
  const web = await startWeb({
    settings,
    mode,
    realm: { id: realm, name: displayName(below.suffix) },
    routes,
    ...(below.certificate === undefined ? {} : { tls: below.certificate }),
    csrf,
    audit,
    log,
    chance,
  });
  open.defer(() => web.stop());
  return web.addresses;
}

/** The same after a restart, so that a page left open goes on working; without a key-encryption key only until the end of this start. */
function csrfKeyOf({ settings, chance }: Foundation): Uint8Array {
  const kek = settings['keys.kek'];
  return kek === '' ? chance.octets(csrfKeyOctets) : hmacSha256(utf8(kek), 'form tokens');
}

function secondsOf(settings: Foundation['settings'], name: string): number {
  const value: unknown = Object.hasOwn(settings, name) ? settings[name as keyof typeof settings] : undefined;
  if (typeof value !== 'number') throw new Error(`a job asks for ${name}, which is no number of seconds`);
  return value;
}

/** What people call the realm: the domain of its suffix (RFC 2247), or the value that names it. */
function displayName(suffix: string): string {
  const values = (parseDn(suffix) ?? []).flatMap((rdn) =>
    rdn.map(({ type, value }) => ({ type: type.toLowerCase(), value: text(value) ?? '' })),
  );
  const domain = values.filter(({ type }) => type === 'dc');
  return domain.length > 0 ? domain.map(({ value }) => value).join('.') : (values[0]?.value ?? suffix);
}
