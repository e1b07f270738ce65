export { errors as tasksErrors } from './errors.ts';
export { startTasks, type TaskOptions, type Tasks } from './start.ts';
