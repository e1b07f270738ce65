export { jobs as realmsJobs } from './jobs.ts';
export { openRealms, type Realms, type RealmsOptions } from './realms.ts';
export { createRemoval, type Obligation, type RemovalOptions } from './removal.ts';
