export { errors as jobsErrors } from './errors.ts';
export { createScheduler, type JobRun, type Scheduler, type SchedulerOptions, systemTimers, type Timers } from './scheduler.ts';
