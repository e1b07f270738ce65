import type { OperatorsClient } from '#client';
import { grantWords } from './application-grants.ts';
import { Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { groups, need } from './lookup.ts';
import { hiddenIn, isSecret } from './secrets.ts';

/** Which attribute an option sets. */
export const optionAttributes: ReadonlyMap<string, string> = new Map([
  ['redirect-uri', 'stsRedirectUri'],
  ['post-logout-uri', 'stsPostLogoutRedirectUri'],
  ['grant', 'stsGrantType'],
  ['auth', 'stsTokenEndpointAuthMethod'],
  ['scope', 'stsAllowedScope'],
  ['resource', 'stsAllowedResource'],
  ['group', 'stsAllowedGroup'],
  ['url', 'stsApplicationUrl'],
  ['description', 'description'],
]);

/**
 * What was given of an application, by attribute. Groups are found before anything is written.
 *
 * @throws Misuse for what is no NAME=VALUE or is secret, Absent for a group that is not there
 */
export async function saidAttributes(given: Given, client: OperatorsClient, suffix: string): Promise<Map<string, string[]>> {
  const said = new Map<string, string[]>();
  const put = (name: string, values: readonly string[]) => {
    const known = [...said.keys()].find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
    if (values.length > 0) said.set(known, [...(said.get(known) ?? []), ...values]);
  };
  for (const [option, attribute] of optionAttributes) {
    const values = given.texts(option);
    if (option === 'group') for (const name of values) put(attribute, [(await need(client, suffix, groups, name, ['1.1'])).dn]);
    else if (option === 'grant') put(attribute, values.map(grantOf));
    else put(attribute, values);
  }
  const own = given.texts('attribute').length === 0 ? undefined : await hiddenIn(client);
  for (const text of given.texts('attribute')) {
    const at = text.indexOf('=');
    if (at <= 0) throw new Misuse(`--attribute is NAME=VALUE, not ${JSON.stringify(text)}`);
    const name = text.slice(0, at);
    if (isSecret(name, own))
      throw new Misuse(`--attribute takes no ${name}, which others would see on the command line: see atrium application secret`);
    put(name, [text.slice(at + 1)]);
  }
  return said;
}

function grantOf(word: string): string {
  return grantWords[word as keyof typeof grantWords];
}

/** A client id from a name: `Lunch Menu` is `lunch-menu`. @throws Misuse for a name that none can be made of */
export function applicationId(name: string): string {
  const id = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (id === '') throw new Misuse('no client id can be made of that name: give one with --client-id');
  return id.slice(0, 128);
}
