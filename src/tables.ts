import { adminErrors, operations as adminOperations, adminSettings, routeOf } from '#admin';
import { auditErrors, auditSettings } from '#audit';
import {
  type ErrorRow,
  type JobRow,
  listedErrors,
  type OperationRow,
  type RouteRow,
  reservedSettings,
  type SettingRows,
  serviceSettings,
  settingErrors,
} from '#catalogue';
import { clientErrors, clientSettings } from '#client';
import { commands } from '#commands';
import { credentialsErrors, credentialsSettings } from '#credentials';
import { directoryErrors, directoryJobs, directorySettings } from '#directory';
import { factorsErrors, factorsJobs, factorsSettings } from '#factors';
import { jobsErrors } from '#jobs';
import { keysErrors, keysSettings } from '#keys';
import { listenerErrors, listenerSettings } from '#listener';
import { mailErrors, mailJobs, mailSettings } from '#mail';
import { policySettings } from '#policy';
import { portalErrors, portalRoutes } from '#portal';
import { realmsErrors, realmsJobs, realmsSettings } from '#realms';
import { schemaErrors, schemaSettings } from '#schema';
import { sessionsErrors, sessionsJobs, sessionsSettings } from '#sessions';
import { signinErrors, signinRoutes, signinSettings } from '#signin';
import { stateSettings } from '#state';
import { storeErrors, storeSettings } from '#store';
import { tasksErrors } from '#tasks';
import { transferErrors } from '#transfer';
import { webErrors, webRoutes, webSettings } from '#web';
import { errors as ownErrors } from './errors.ts';

/** The same rows by the room that keeps them. */
export const settingTables: Readonly<Record<string, SettingRows>> = {
  admin: adminSettings,
  audit: auditSettings,
  catalogue: { ...serviceSettings, ...reservedSettings },
  client: clientSettings,
  credentials: credentialsSettings,
  directory: directorySettings,
  factors: factorsSettings,
  keys: keysSettings,
  listener: listenerSettings,
  mail: mailSettings,
  policy: policySettings,
  realms: realmsSettings,
  schema: schemaSettings,
  sessions: sessionsSettings,
  signin: signinSettings,
  state: stateSettings,
  store: storeSettings,
  web: webSettings,
};

/** Every route that `web` mounts, by room. */
export const routeTables: Readonly<Record<string, Readonly<Record<string, RouteRow>>>> = {
  admin: Object.fromEntries(adminOperations.map((row) => [row.name, routeOf(row)])),
  portal: portalRoutes,
  signin: signinRoutes,
  web: webRoutes,
};

/** Every job that runs by itself, by room. */
export const jobTables: Readonly<Record<string, Readonly<Record<string, JobRow>>>> = {
  directory: directoryJobs,
  factors: factorsJobs,
  mail: mailJobs,
  realms: realmsJobs,
  sessions: sessionsJobs,
};

/** Every operation that an operator can have done, by room. */
export const operationTables: Readonly<Record<string, Readonly<Record<string, OperationRow>>>> = {
  commands,
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
