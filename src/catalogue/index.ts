export { type Detail, type ErrorRange, type ErrorRow, Refusal, refuse } from './errors.ts';
export { gather } from './gather.ts';
export type { JobRow } from './jobs.ts';
export type { RouteRow } from './routes.ts';
export type { SettingRow, SettingRows, SettingValue, SettingValues } from './settings/rows.ts';
