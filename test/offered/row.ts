import { utf8 } from '#base';
import { type Control, encodeBer, type Request } from '#ldap';
import { type Attributes, searchOf } from '../directory/driver.ts';
import { add } from '../writes/table.ts';
import type { Door, Peer } from './doors.ts';

/** What a row is tried with: connections by one door, bound as the administrator, as ada and as nobody. */
export interface Desk {
  readonly door: Door;
  readonly admin: Peer;
  readonly ada: Peer;
  readonly nobody: Peer;
  /** Another one, not bound. */
  another(): Promise<Peer>;
  /** A unit of its own with `cn=one` (description `first`, `second`) and `cn=two` below it. @returns its name */
  unit(): Promise<string>;
}

/** What is tried of one thing that the root DSE lists. */
export interface Row {
  /** An OID, or the name of a mechanism. */
  readonly id: string;
  readonly name: string;
  /** Where it is listed; everywhere when it does not say. */
  readonly doors?: readonly Door[];
  /** It does what it is for. What is not equal says what it did instead. */
  serves(desk: Desk): Promise<readonly [found: unknown, expected: unknown]>;
  /** Each is refused, with this code. */
  readonly refuses: readonly Refused[];
}

export type Refused = readonly [title: string, code: number, act: (desk: Desk) => Promise<{ readonly code: number }>];

export const suffix = 'dc=example,dc=com';
export const ada = `uid=ada,ou=people,${suffix}`;
export const alan = `uid=alan,ou=people,${suffix}`;
export const whoAmI: Request = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' };

export const control = (oid: string, value?: Uint8Array | string, critical = true): Control => ({
  oid,
  critical,
  ...(value !== undefined && { value: typeof value === 'string' ? utf8(value) : value }),
});

/** No value of any control or request: a sequence that is longer than what there is. */
export const unfit = Uint8Array.of(0x30, 0x05, 0x02, 0x01);

export const extended = (oid: string, value?: Uint8Array): Request => ({ kind: 'extendedRequest', oid, ...(value && { value }) });

export const search = (base: string, filter = '(objectClass=*)', more: Partial<Request & { kind: 'searchRequest' }> = {}): Request => ({
  ...searchOf(base, filter),
  ...more,
});

export const device = (dn: string, more: Attributes = {}): Request =>
  add(dn, { objectClass: 'device', cn: /^cn=([^,]*)/.exec(dn)?.[1] ?? '', ...more });

/** SEQUENCE { … }, as most values are. */
export const sequence = (write: Parameters<typeof encodeBer>[0]): Uint8Array => encodeBer((ber) => ber.sequence(() => void write(ber)));
