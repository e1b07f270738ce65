import { utf8 } from '#base';
import type { Filter } from '#ldap';

/**
 * Filters are built as structures and travel as BER: no value is ever spliced into filter text, so that no character of it means anything.
 */
export function equals(description: string, value: string): Filter {
  return { kind: 'equality', description, value: utf8(value) };
}

export function present(description: string): Filter {
  return { kind: 'present', description };
}

export function allOf(...filters: readonly Filter[]): Filter {
  return { kind: 'and', filters };
}

export function anyOf(...filters: readonly Filter[]): Filter {
  return { kind: 'or', filters };
}

/** Follows names from entry to entry: a group in which an entry is, itself or by way of other groups (LDAP_MATCHING_RULE_IN_CHAIN). */
export function inChain(description: string, dn: string): Filter {
  return { kind: 'extensible', rule: '1.2.840.113556.1.4.1941', description, value: utf8(dn), dnAttributes: false };
}
