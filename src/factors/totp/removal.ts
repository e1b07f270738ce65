import { type Changing, replaceFactor, type Writing } from '../written.ts';

/** Takes a person's authenticator app away, in their name. @throws Refusal `factorNotWritten` */
export function removeApp(writing: Writing, changing: Changing): Promise<void> {
  const said = { action: 'authn.app.remove', summary: 'the authenticator app was removed' };
  return replaceFactor(writing, changing, { attribute: 'stsTotpCredential', values: [] }, said);
}
