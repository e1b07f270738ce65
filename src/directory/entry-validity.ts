import { text } from '#base';
import { type Validity, validityOf } from '#holdings';
import { decodeAttributes } from '#ldap';
import type { StoredEntry } from '#store';

/** Whether, and when, anybody may be here as an entry. */
export function entryValidity({ operational }: Pick<StoredEntry, 'operational'>): Validity {
  const attributes = decodeAttributes(operational);
  return validityOf((name) => {
    const value = attributes.find(({ description }) => description.toLowerCase() === name.toLowerCase())?.values[0];
    return value === undefined ? undefined : (text(value) ?? '');
  });
}
