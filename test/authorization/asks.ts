import { utf8 } from '#base';
import { type Control, encodeBer, type PartialAttribute, type Request } from '#ldap';
import { dereferenced, matching, paged, sortedBy, viewed } from '../directory/control-values.ts';
import { filterOf } from '../directory/driver.ts';

/** One request in a form that can be printed and read again. Filters are texts (RFC 4515). */
export type Ask = Search | Compare | Update | Password | Bind | Transaction;
export type Update = Add | Modify | Delete | Rename;

export interface Search {
  readonly op: 'search';
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub' | 'children';
  readonly filter: string;
  readonly attributes: readonly string[];
  readonly typesOnly?: true;
  readonly assertion?: string;
  readonly matched?: readonly string[];
  /** One attribute, with a minus in front for reverse. */
  readonly sort?: string;
  /** A view of so many entries from so far on, of a sorted list. */
  readonly view?: readonly [offset: number, after: number];
  /** So many entries a page. */
  readonly page?: number;
  readonly deref?: Readonly<Record<string, readonly string[]>>;
  /** Content synchronisation that does not go on, or a persistent search that is abandoned once it has shown what is there. */
  readonly follow?: 'sync' | 'persistent';
}

export interface Compare {
  readonly op: 'compare';
  readonly dn: string;
  readonly attribute: string;
  readonly value: string;
  readonly assertion?: string;
}

interface Reading {
  readonly assertion?: string;
  readonly preRead?: readonly string[];
  readonly postRead?: readonly string[];
}

export interface Add extends Reading {
  readonly op: 'add';
  readonly dn: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

export interface Modify extends Reading {
  readonly op: 'modify';
  readonly dn: string;
  readonly changes: readonly (readonly [kind: 'add' | 'delete' | 'replace', name: string, ...values: string[]])[];
  readonly relax?: true;
}

export interface Delete extends Reading {
  readonly op: 'delete';
  readonly dn: string;
  readonly tree?: true;
}

export interface Rename extends Reading {
  readonly op: 'rename';
  readonly dn: string;
  readonly rdn: string;
  readonly superior?: string;
}

export interface Password {
  readonly op: 'password';
  readonly dn: string;
  readonly old?: string;
  readonly fresh: string;
}

export interface Bind {
  readonly op: 'bind';
  readonly dn: string;
  readonly password: string;
}

/** Updates that are carried out together or not at all. */
export interface Transaction {
  readonly op: 'transaction';
  readonly updates: readonly Update[];
}

export function isUpdate(ask: Ask): ask is Update {
  return ask.op === 'add' || ask.op === 'modify' || ask.op === 'delete' || ask.op === 'rename';
}

/** A request as the protocol has it, of all but transactions. */
export function requestOf(ask: Exclude<Ask, Transaction>): Request {
  switch (ask.op) {
    case 'search':
      return {
        kind: 'searchRequest',
        baseObject: ask.base,
        scope: ask.scope,
        derefAliases: 'never',
        sizeLimit: 0,
        timeLimitS: 0,
        typesOnly: ask.typesOnly === true,
        filter: filterOf(ask.filter),
        attributes: ask.attributes,
      };
    case 'compare':
      return { kind: 'compareRequest', entry: ask.dn, description: ask.attribute, value: utf8(ask.value) };
    case 'add':
      return {
        kind: 'addRequest',
        entry: ask.dn,
        attributes: Object.entries(ask.attributes).map(([name, values]) => attribute(name, values)),
      };
    case 'modify':
      return {
        kind: 'modifyRequest',
        object: ask.dn,
        changes: ask.changes.map(([operation, name, ...values]) => ({ operation, attribute: attribute(name, values) })),
      };
    case 'delete':
      return { kind: 'delRequest', entry: ask.dn };
    case 'rename': {
      const moved = ask.superior === undefined ? {} : { newSuperior: ask.superior };
      return { kind: 'modifyDNRequest', entry: ask.dn, newRdn: ask.rdn, deleteOldRdn: true, ...moved };
    }
    case 'password':
      return { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value: passwordValue(ask) };
    case 'bind':
      return { kind: 'bindRequest', version: 3, name: ask.dn, authentication: { kind: 'simple', password: utf8(ask.password) } };
  }
}

/** RFC 3062 §2 */
function passwordValue({ dn, old, fresh }: Password): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn, 0x80);
      if (old !== undefined) ber.string(old, 0x81);
      ber.string(fresh, 0x82);
    }),
  );
}

function attribute(description: string, values: readonly string[]): PartialAttribute {
  return { description, values: values.map(utf8) };
}

export const oids = {
  assertion: '1.3.6.1.1.12',
  preRead: '1.3.6.1.1.13.1',
  postRead: '1.3.6.1.1.13.2',
  treeDelete: '1.2.840.113556.1.4.805',
  relax: '1.3.6.1.4.1.4203.666.5.12',
  proxied: '2.16.840.1.113730.3.4.18',
  session: '2.25.83716444157178576224225129172109131643.5.20',
  transaction: '1.3.6.1.1.21.2',
  sync: '1.3.6.1.4.1.4203.1.9.1.1',
  persistent: '2.16.840.1.113730.3.4.3',
} as const;

/** The controls of a request, but for those that say who asks. @param cookie  of the page before */
export function controlsOf(ask: Exclude<Ask, Transaction>, cookie?: Uint8Array): Control[] {
  const controls: Control[] = [];
  const add = (oid: string, value?: Uint8Array) => void controls.push({ oid, critical: true, ...(value === undefined ? {} : { value }) });
  if ('assertion' in ask && ask.assertion !== undefined) add(oids.assertion, asserted(ask.assertion));
  if ('preRead' in ask && ask.preRead !== undefined) add(oids.preRead, listed(ask.preRead));
  if ('postRead' in ask && ask.postRead !== undefined) add(oids.postRead, listed(ask.postRead));
  if (ask.op === 'delete' && ask.tree) add(oids.treeDelete);
  if (ask.op === 'modify' && ask.relax) add(oids.relax);
  if (ask.op !== 'search') return controls;
  if (ask.matched !== undefined) controls.push(matching(...ask.matched));
  if (ask.sort !== undefined) controls.push(sortedBy(`${ask.sort}:caseIgnoreOrderingMatch`));
  if (ask.view !== undefined) controls.push(viewed(0, ask.view[1], [ask.view[0], 0]));
  if (ask.page !== undefined) controls.push(paged(ask.page, cookie));
  if (ask.deref !== undefined) controls.push(dereferenced(ask.deref));
  if (ask.follow === 'sync')
    add(
      oids.sync,
      encodeBer((ber) => ber.sequence(() => ber.enumerated(1))),
    );
  if (ask.follow === 'persistent') add(oids.persistent, everyChange);
  return controls;
}

const everyChange = encodeBer((ber) =>
  ber.sequence(() => {
    ber.number(15);
    ber.boolean(false);
    ber.boolean(false);
  }),
);

function asserted(filter: string): Uint8Array {
  return encodeBer((ber) => ber.filter(filterOf(filter)));
}

function listed(names: readonly string[]): Uint8Array {
  return encodeBer((ber) => ber.sequence(() => names.forEach((name) => void ber.string(name))));
}
