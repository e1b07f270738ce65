export { jobs as tasksJobs } from './jobs.ts';
export { startTasks, type TaskOptions, type Tasks } from './start.ts';
