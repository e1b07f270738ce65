export { startTasks, type TaskOptions, type Tasks } from './start.ts';
