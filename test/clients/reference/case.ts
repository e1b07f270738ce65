import type { LdapTool, LdapUtilsTarget } from '../../support/ldap-utils.ts';

/** Everything that is to be tried: controls, extended operations and mechanisms, by the names that people give them. */
export const subjects = [
  ...['paged results', 'sorting', 'virtual list view', 'assertion', 'pre-read', 'post-read', 'matched values', 'dereference'],
  ...['proxied authorization', 'ManageDsaIT', 'subentries', 'dontUseCopy', 'relax', 'tree delete', 'permissive modify', 'session tracking'],
  ...['transactions', 'persistent search', 'content synchronisation', 'criticality'],
  ...['WhoAmI', 'Password Modify', 'Cancel', 'StartTLS', 'dynamic refresh', 'unknown request'],
  ...['EXTERNAL', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-1', 'authzId', 'DIGEST-MD5', 'CRAM-MD5'],
] as const;

export type Subject = (typeof subjects)[number];

/** One call of one of OpenLDAP's tools, made of both servers. */
export interface Case {
  readonly of: Subject;
  readonly title: string;
  readonly tool: LdapTool;
  /** Someone by name and password, `admin` unless said; `nobody`; or a bind by SASL. */
  readonly as?: string | (Omit<LdapUtilsTarget, 'url' | 'caFile' | 'certFile' | 'keyFile'> & { readonly certificate?: true });
  readonly door?: 'ldap' | 'ldaps' | 'StartTLS' | 'ldapi';
  readonly args?: readonly string[];
  /** Its standard input. */
  readonly input?: string;
  /** A search that goes on until it is ended. */
  readonly lasts?: Lasting;
  /** The row of docs/slapd-differences.md that explains why the answers differ. */
  readonly differs?: Difference;
}

/** A row: its topic, and how what stands under `slapd` begins. Where the result codes differ, both are said. */
export interface Difference {
  readonly row: readonly [topic: string, slapd: string];
  readonly codes?: { readonly atrium: number; readonly slapd: number };
}

/** The same result in other words: nothing but the diagnostic text differs. */
export const words: Difference = { row: ['diagnostic texts', 'its own words'] };

export interface Lasting {
  /** What it prints before something is done. */
  readonly until: string;
  readonly meanwhile: 'interrupt' | readonly [tool: LdapTool, args: readonly string[], input?: string];
  /** What it prints before it is ended; one that is interrupted ends by itself. */
  readonly and?: string;
}
