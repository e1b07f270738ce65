export { createScheduler, type JobRun, type Scheduler, type SchedulerOptions, systemTimers, type Timers } from './scheduler.ts';
