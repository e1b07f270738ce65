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
