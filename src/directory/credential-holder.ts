import { text, utf8 } from '#base';
import type { Attributes } from './record.ts';

const credentialIdKey = 'stscredentialid';
const holderClass = 'stsCredentialHolder';

/**
 * Makes an entry that gets its first credential id one of the class that may have some: who may write what they sign in with need not be allowed to say
 * of what classes their entry is.
 *
 * @param old  the entry before the change
 */
export function becomeHolder(attributes: Attributes, old: Attributes): void {
  const classes = attributes.get('objectclass');
  if (classes === undefined || old.has(credentialIdKey) || !attributes.has(credentialIdKey)) return;
  if (classes.values.some((value) => text(value)?.toLowerCase() === holderClass.toLowerCase())) return;
  attributes.set('objectclass', { description: classes.description, values: [...classes.values, utf8(holderClass)] });
}
