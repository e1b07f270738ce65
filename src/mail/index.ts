export { type MailAddress, parseMailAddress } from './address.ts';
export { type ChangesOptions, tellChanges } from './changes.ts';
export { errors as mailErrors } from './errors.ts';
export { failedMailRows, type MailShown, type Retried } from './failed.ts';
export { jobs as mailJobs } from './jobs.ts';
export { faultOfMailText, type GivenText } from './letter.ts';
export { type Letter, type Mail, type MailOptions, openMail } from './mail.ts';
export { settings as mailSettings } from './settings.ts';
export type { LetterKind } from './texts.ts';
