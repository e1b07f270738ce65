import { fillText } from '#web';
import type { Issuer } from '../issuer.ts';
import { isManagementApi } from '../provider/resources.ts';

/** Words of the consent page. `{names}` are filled in. */
export const consentTexts = {
  title: 'Allow {application}?',
  words: '{application} asks to use your account. It would get:',
  asks: 'Application',
  resource: 'To use at',
  there: 'At {resource}:',
  managementApi: 'the management API of this service, {resource}',
  who: 'You are',
  allow: 'Allow',
  cancel: 'Cancel',
  later: 'You can withdraw this at any time, in your account under Applications.',
  otherwise: 'If you did not expect this, cancel it: nothing is told then.',
  goneTitle: 'This question is over',
  goneWords: 'It was answered already, or it waited too long. Go back to the application and sign in again.',
  refusedTitle: 'This could not be kept',
  refusedWords: 'The directory does not let you allow this. Ask your administrator.',
  home: 'Your account',
} as const;

/** Where access is asked for (RFC 8707), as people are told: of what others run nothing is known but its address. */
export function resourceText(issuer: Issuer, resource: string): string {
  return isManagementApi(issuer, resource) ? fillText(consentTexts.managementApi, { resource }) : resource;
}

/** What each scope gives an application, as people are told. */
const scopeWords: Readonly<Record<string, string>> = {
  openid: 'who you are: a number that stands for your account',
  profile: 'your name, your user name and your language',
  email: 'your mail address',
  phone: 'your phone number',
  address: 'your postal address',
  groups: 'the groups that you are in',
  offline_access: 'all of this while you are away, too, until you withdraw it',
  'admin:read': 'to read what you may read as an administrator',
  'admin:write': 'to change what you may change as an administrator',
};

export function scopeText(scope: string): string {
  return (Object.hasOwn(scopeWords, scope) ? scopeWords[scope] : undefined) ?? `what it calls “${scope}”`;
}
