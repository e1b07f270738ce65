import { directoryJobs } from '#directory';
import { type Attestation, factorsJobs } from '#factors';
import { createScheduler, type Scheduler } from '#jobs';
import { keysJobs } from '#keys';
import { type Mail, mailJobs, tellChanges } from '#mail';
import { type Oauth, oauthJobs } from '#oauth';
import { type Realms, realmsJobs } from '#realms';
import { type Sessions, sessionsJobs } from '#sessions';
import { tasksJobs } from '#tasks';
import type { settings as rows } from '../settings.ts';
import type { Beneath } from './above.ts';
import type { Foundation } from './foundation.ts';

/** What works by itself above the LDAP interface. */
interface Working {
  readonly sessions: Sessions;
  readonly attestation: Attestation;
  readonly mail: Mail;
  readonly removal: () => Promise<string>;
  readonly realms: Realms<typeof rows>;
  readonly oauth: Oauth;
}

/** Starts what this process does by itself: all jobs in the service, those of scope `process` in a web process beside it. */
export function startJobs(foundation: Foundation, { certificate, jobs: below }: Beneath, working: Working): void {
  const { settings, live, clock, timers, log, open } = foundation;
  const jobs = createScheduler({ clock, timers, log, secondsOf: (name) => secondsOf(settings, name) });
  if (certificate !== undefined) jobs.add('tls.renew', keysJobs['tls.renew'], certificate.look);
  if (below !== undefined) addService(foundation, jobs, below, working);
  jobs.start();
  const leave = live.changed((names) => jobs.replan(names));
  open.defer(async () => leave());
  // With a key that goes: what lies under it should not wait.
  if (settings['keys.previousKek'] !== '') void jobs.run('directory.reseal');
  open.defer(() => jobs.close());
}

function addService(
  { settings, clock, log }: Foundation,
  jobs: Scheduler,
  below: NonNullable<Beneath['jobs']>,
  { sessions, attestation, mail, removal, realms, oauth }: Working,
): void {
  const tellOfChanges = tellChanges({
    notices: below.notices,
    mail,
    clock,
    log,
    nameOf: async (id) => (id === realms.standing.id ? realms.standing : await realms.find(id))?.name,
  });
  jobs.add('sessions.sweep', sessionsJobs['sessions.sweep'], () => sessions.sweep());
  jobs.add('directory.expire', directoryJobs['directory.expire'], below.expire);
  jobs.add('factors.metadata', factorsJobs['factors.metadata'], () => attestation.refresh(settings));
  jobs.add('mail.send', mailJobs['mail.send'], async () => {
    // Those that nobody was there to tell when they came.
    await tellOfChanges();
    return mail.run();
  });
  jobs.add('oauth.logout', oauthJobs['oauth.logout'], oauth.tellLogouts);
  jobs.add('realms.removal', realmsJobs['realms.removal'], removal);
  jobs.add('directory.purge', directoryJobs['directory.purge'], below.purge);
  jobs.add('directory.reseal', directoryJobs['directory.reseal'], below.reseal);
  jobs.add('directory.removeRealms', directoryJobs['directory.removeRealms'], below.removeRealms);
  jobs.add('tasks.sweep', tasksJobs['tasks.sweep'], below.sweepUploads);
}

function secondsOf(settings: Foundation['settings'], name: string): number {
  const value: unknown = Object.hasOwn(settings, name) ? settings[name as keyof typeof settings] : undefined;
  if (typeof value !== 'number') throw new Error(`a job asks for ${name}, which is no number of seconds`);
  return value;
}
