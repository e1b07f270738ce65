export { type Asked, type Demand, meetsDemand, readDemand, type Shown } from './demand.ts';
export { errors as sessionsErrors } from './errors.ts';
export { jobs as sessionsJobs } from './jobs.ts';
export type { Parked, ParkedRow, ParkRequest } from './parked.ts';
export { noProgress, type Progress, type Proven, type Role, type UnderWay } from './progress.ts';
export { deniedTarget, parseReturnTarget, type ReturnTarget, resumedTarget } from './return-target.ts';
export type { AuthenticationEvent, Session } from './session.ts';
export { type Begun, openSessions, type Sessions, type SessionsOptions, type SignedIn, type Visit } from './sessions.ts';
export { settings as sessionsSettings } from './settings.ts';
