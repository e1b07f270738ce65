import { operations as adminOperations, consoleRoutesOf, routeOf } from '#admin';
import { type ErrorRow, type JobRow, listedErrors, type RouteRow, type SettingRows, serviceSettings, settingErrors } from '#catalogue';
import { errors as adminErrors } from './admin/errors.ts';
import { routes as adminRoutes } from './admin/routes.ts';
import { settings as adminSettings } from './admin/settings.ts';
import { errors as auditErrors } from './audit/errors.ts';
import { settings as auditSettings } from './audit/settings.ts';
import { errors as clientErrors } from './client/errors.ts';
import { settings as clientSettings } from './client/settings.ts';
import { errors as credentialsErrors } from './credentials/errors.ts';
import { settings as credentialsSettings } from './credentials/settings.ts';
import { errors as directoryErrors } from './directory/errors.ts';
import { jobs as directoryJobs } from './directory/jobs.ts';
import { settings as directorySettings } from './directory/settings.ts';
import { errors as ownErrors } from './errors.ts';
import { errors as factorsErrors } from './factors/errors.ts';
import { jobs as factorsJobs } from './factors/jobs.ts';
import { settings as factorsSettings } from './factors/settings.ts';
import { errors as jobsErrors } from './jobs/errors.ts';
import { errors as keysErrors } from './keys/errors.ts';
import { jobs as keysJobs } from './keys/jobs.ts';
import { settings as keysSettings } from './keys/settings.ts';
import { errors as listenerErrors } from './listener/errors.ts';
import { settings as listenerSettings } from './listener/settings.ts';
import { errors as mailErrors } from './mail/errors.ts';
import { jobs as mailJobs } from './mail/jobs.ts';
import { settings as mailSettings } from './mail/settings.ts';
import { errors as oauthErrors } from './oauth/errors.ts';
import { jobs as oauthJobs } from './oauth/jobs.ts';
import { routes as oauthRoutes } from './oauth/routes.ts';
import { settings as oauthSettings } from './oauth/settings.ts';
import { settings as policySettings } from './policy/settings.ts';
import { errors as portalErrors } from './portal/errors.ts';
import { routes as portalRoutes } from './portal/routes.ts';
import { errors as realmsErrors } from './realms/errors.ts';
import { jobs as realmsJobs } from './realms/jobs.ts';
import { settings as realmsSettings } from './realms/settings.ts';
import { errors as schemaErrors } from './schema/errors.ts';
import { settings as schemaSettings } from './schema/settings.ts';
import { errors as sessionsErrors } from './sessions/errors.ts';
import { jobs as sessionsJobs } from './sessions/jobs.ts';
import { settings as sessionsSettings } from './sessions/settings.ts';
import { errors as signinErrors } from './signin/errors.ts';
import { routes as signinRoutes } from './signin/routes.ts';
import { settings as stateSettings } from './state/settings.ts';
import { errors as storeErrors } from './store/errors.ts';
import { settings as storeSettings } from './store/settings.ts';
import { errors as tasksErrors } from './tasks/errors.ts';
import { jobs as tasksJobs } from './tasks/jobs.ts';
import { errors as transferErrors } from './transfer/errors.ts';
import { errors as webErrors } from './web/errors.ts';
import { routes as webRoutes } from './web/routes.ts';
import { settings as webSettings } from './web/settings.ts';

/** The same rows by the room that keeps them. */
export const settingTables: Readonly<Record<string, SettingRows>> = {
  admin: adminSettings,
  audit: auditSettings,
  catalogue: serviceSettings,
  client: clientSettings,
  credentials: credentialsSettings,
  directory: directorySettings,
  factors: factorsSettings,
  keys: keysSettings,
  listener: listenerSettings,
  mail: mailSettings,
  oauth: oauthSettings,
  policy: policySettings,
  realms: realmsSettings,
  schema: schemaSettings,
  sessions: sessionsSettings,
  state: stateSettings,
  store: storeSettings,
  web: webSettings,
};

/** Every route that `web` mounts, by room. */
export const routeTables: Readonly<Record<string, Readonly<Record<string, RouteRow>>>> = {
  admin: {
    ...adminRoutes,
    ...Object.fromEntries(adminOperations.map((row) => [row.name, routeOf(row)])),
    ...consoleRoutesOf(adminOperations),
  },
  oauth: oauthRoutes,
  portal: portalRoutes,
  signin: signinRoutes,
  web: webRoutes,
};

/** Every job that runs by itself, by room. */
export const jobTables: Readonly<Record<string, Readonly<Record<string, JobRow>>>> = {
  directory: directoryJobs,
  tasks: tasksJobs,
  factors: factorsJobs,
  keys: keysJobs,
  mail: mailJobs,
  oauth: oauthJobs,
  realms: realmsJobs,
  sessions: sessionsJobs,
};

/** Every refusal and failure that a room can raise, by room and name. */
export const errorTables: Readonly<Record<string, Readonly<Record<string, ErrorRow>>>> = {
  admin: adminErrors,
  audit: auditErrors,
  catalogue: settingErrors,
  client: clientErrors,
  credentials: credentialsErrors,
  directory: directoryErrors,
  factors: factorsErrors,
  jobs: jobsErrors,
  keys: keysErrors,
  listener: listenerErrors,
  mail: mailErrors,
  oauth: oauthErrors,
  portal: portalErrors,
  realms: realmsErrors,
  schema: schemaErrors,
  sessions: sessionsErrors,
  signin: signinErrors,
  store: storeErrors,
  tasks: tasksErrors,
  transfer: transferErrors,
  web: webErrors,
  main: ownErrors,
};

const raised: readonly ErrorRow[] = Object.values(errorTables).flatMap((table) => Object.values(table));
const raisedCodes = new Set<string>(raised.map(({ code }) => code));

/** Every error code that is described by itself. A room's row stands in place of the one that the specification's list has for its code. */
export const errorRows: readonly ErrorRow[] = [...raised, ...listedErrors.filter(({ code }) => !raisedCodes.has(code))];
