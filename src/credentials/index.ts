export { errors as credentialsErrors } from './errors.ts';
export { type Account, type Judgement, judgePassword, type Presented } from './judge.ts';
export { settings as credentialsSettings } from './settings.ts';
export { isStoredPassword, readStoredPassword, storedPassword } from './stored.ts';
