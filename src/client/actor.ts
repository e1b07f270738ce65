import { utf8 } from '#base';
import {
  type Control,
  decodeBer,
  encodeBer,
  type Filter,
  type Modification,
  type PartialAttribute,
  type Request,
  resultCodes,
} from '#ldap';
import {
  type AppPasswordAsked,
  type AppPasswordMade,
  madeOf,
  makeAppPasswordOid,
  makeValue,
  revokeAppPasswordOid,
  revokedOf,
  revokeValue,
} from './app-passwords.ts';
import { passwordModifyOid, passwordModifyValue } from './change-password.ts';
import { type ClientEntry, entryOf } from './entry.ts';
import type { Performed, PerformOptions } from './link.ts';
import { ClientRefusal } from './refusal.ts';
import {
  type KeyRotated,
  type OpenedKey,
  openedKeysOf,
  openKeysValue,
  openSigningKeysOid,
  type RotationAsked,
  rotatedOf,
  rotateKeysValue,
  rotateSigningKeysOid,
} from './signing-keys.ts';
import type { Update } from './together.ts';

/** Whose authority a request is under: a person's, as the directory judges it (RFC 4370), or the web layer's own. */
export type Subject = { readonly dn: string; readonly session?: SessionOf } | 'self';

/** The session for which the web layer acts: rules of access may ask for its strength. */
export interface SessionOf {
  /** How many factors its person has signed in with. */
  readonly factors: number;
  /** When they last did, in milliseconds since 1970. */
  readonly authenticatedMs: number;
  /** Of the browser that asks. */
  readonly address: string;
  /** Whether nobody can read on the way what is between the browser and the web layer. */
  readonly isProtected: boolean;
}

export interface SearchOptions {
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub' | 'children';
  readonly filter: Filter;
  /** Empty or absent: all user attributes; `+` for the operational ones. */
  readonly attributes?: readonly string[];
  readonly sizeLimit?: number;
  /** Seconds that the directory may take; without, as many as it allows. */
  readonly timeLimitS?: number;
  readonly typesOnly?: boolean;
  /** What is kept of deleted people is found, too. */
  readonly showDeleted?: true;
}

export interface PageOptions extends Omit<SearchOptions, 'sizeLimit'> {
  /** Entries of a page; fewer when `client.entriesMax` is less. */
  readonly size: number;
  /** Where the page before ended. */
  readonly behind?: Uint8Array;
}

export interface FoundPage {
  readonly entries: readonly ClientEntry[];
  /** Where it ended, when there is more. */
  readonly next?: Uint8Array;
}

export interface Found {
  readonly entries: readonly ClientEntry[];
  /** False when there was more than the limit allowed. */
  readonly complete: boolean;
}

/** What may be done in the directory under one authority. Each refusal of the directory is a `ClientRefusal`. */
export interface Actor {
  search(options: SearchOptions): Promise<Found>;
  /** A page of a search, in the directory's own order. Nothing is kept of it there: the next one may be asked for at any time, by any process. */
  page(options: PageOptions): Promise<FoundPage>;
  /** One entry; `undefined` when there is none, or none that the subject may see. */
  read(dn: string, attributes?: readonly string[]): Promise<ClientEntry | undefined>;
  compare(dn: string, description: string, value: Uint8Array): Promise<boolean>;
  add(dn: string, attributes: readonly PartialAttribute[]): Promise<void>;
  /** @param asserted  what must be true of the entry (RFC 4528); the refusal is `assertionFailed` (122) */
  modify(dn: string, changes: readonly Modification[], asserted?: Filter): Promise<void>;
  rename(
    dn: string,
    to: { readonly newRdn: string; readonly deleteOldRdn: boolean; readonly newSuperior?: string },
    asserted?: Filter,
  ): Promise<void>;
  delete(dn: string, asserted?: Filter): Promise<void>;
  /** A change as it stands, with controls of its own. */
  change(update: Update): Promise<void>;
  /** An extended operation (RFC 4511 §4.12). @returns the value of its answer */
  extended(oid: string, value: Uint8Array): Promise<Uint8Array | undefined>;
  /** Sets a password (RFC 3062), as the directory judges it. */
  setPassword(dn: string, password: string): Promise<void>;
  /**
   * Lets the directory make an app password.
   *
   * @throws ClientRefusal  50 without the right, which for one's own takes a fresh session, of two factors where two are held; 53 where none may be made; 19 for
   *                        what is unfit, or one too many
   */
  makeAppPassword(asked: AppPasswordAsked): Promise<AppPasswordMade>;
  /** Revokes one, or all without an id. @returns how many @throws ClientRefusal  50 without the right, 16 for one that is not there */
  revokeAppPassword(which: { readonly dn: string; readonly id?: string }): Promise<number>;
  /** Has the directory make a password that keeps the policy in force, set it and say it (RFC 3062). */
  generatePassword(dn: string): Promise<string>;
  /**
   * Opens the keys by which tokens of a realm are signed, and has made what it lacks of some algorithms: the web layer's own alone.
   *
   * @throws ClientRefusal  53 where there is no key-encryption key, or the realm is being removed; 32 for no realm
   */
  openSigningKeys(suffix: string, algorithms: readonly string[]): Promise<readonly OpenedKey[]>;
  /** Rotates them. @throws ClientRefusal  50 for who does not manage the realm, 53 for an emergency that is not confirmed */
  rotateSigningKeys(asked: RotationAsked): Promise<readonly KeyRotated[]>;
  /** The authorization identity as the directory sees it (RFC 4532): `dn:…`, or empty for nobody. */
  whoAmI(): Promise<string>;
}

/** Sends a request over some connection. */
export type Perform = (op: Request, controls: readonly Control[], options: Pick<PerformOptions, 'onPart'>) => Promise<Performed>;

const proxiedAuthorizationOid = '2.16.840.1.113730.3.4.18';
const assertionOid = '1.3.6.1.1.12';
const showDeletedOid = '1.2.840.113556.1.4.417';
const pageOid = '2.25.83716444157178576224225129172109131643.5.120';
const whoAmIOid = '1.3.6.1.4.1.4203.1.11.3';

const sessionOid = '2.25.83716444157178576224225129172109131643.5.20';

/** The directory takes it on the web layer's socket alone: SEQUENCE { factors INTEGER, authenticated OCTET STRING, address [0] OCTET STRING,
 * protected [1] BOOLEAN DEFAULT FALSE }. */
function sessionControl({ factors, authenticatedMs, address, isProtected }: SessionOf): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(factors);
      ber.string(String(authenticatedMs));
      ber.string(address, 0x80);
      if (isProtected) ber.boolean(true, 0x81);
    }),
  );
  return { oid: sessionOid, critical: true, value };
}

/**
 * Says for whom a request is made.
 *
 * @see RFC 4370 §3: the control is always critical; its value is an authzId (RFC 4513 §5.2.1.8), not BER
 */
export function onBehalf({ dn, session }: { readonly dn: string; readonly session?: SessionOf }): readonly Control[] {
  const proxied = { oid: proxiedAuthorizationOid, critical: true, value: utf8(`dn:${dn}`) };
  return session === undefined ? [proxied] : [proxied, sessionControl(session)];
}

/** The acting view of a subject. */
export function actorOf(subject: Subject, perform: Perform, entriesMax: () => number): Actor {
  const controls = subject === 'self' ? [] : onBehalf(subject);
  const answered = async (
    op: Request,
    expected: readonly number[] = [resultCodes.success],
    { more = [], ...options }: Pick<PerformOptions, 'onPart'> & { readonly more?: readonly Control[] } = {},
  ) => {
    const performed = await perform(op, [...controls, ...more], options);
    if (!expected.includes(performed.op.result.code)) throw new ClientRefusal(performed.op.result);
    return performed;
  };
  const ask = async (...asked: Parameters<typeof answered>) => (await answered(...asked)).op;
  const extended = async (oid: string, value?: Uint8Array) => {
    const op = await ask({ kind: 'extendedRequest', oid, ...(value === undefined ? {} : { value }) });
    return op.kind === 'extendedResponse' ? op.value : undefined;
  };
  const collect = async (options: SearchOptions, expected: readonly number[], more: readonly Control[]) => {
    const entries: ClientEntry[] = [];
    const wider = options.showDeleted === true ? [{ oid: showDeletedOid, critical: true }, ...more] : more;
    const done = await answered(searchRequest(options), expected, {
      more: wider,
      onPart: ({ op }) => void (op.kind === 'searchResultEntry' && entries.push(entryOf(op.object, op.attributes))),
    });
    return { entries, done };
  };
  const search = async (options: SearchOptions): Promise<Found> => {
    const sizeLimit = Math.min(options.sizeLimit ?? entriesMax(), entriesMax());
    const { entries, done } = await collect({ ...options, sizeLimit }, [resultCodes.success, resultCodes.sizeLimitExceeded], []);
    return { entries, complete: done.op.result.code === resultCodes.success };
  };
  const page = async ({ size, behind, ...options }: PageOptions): Promise<FoundPage> => {
    const asked = pageControl(Math.min(size, entriesMax()), behind);
    const { entries, done } = await collect(options, [resultCodes.success], [asked]);
    const next = nextOf(done.controls);
    return { entries, ...(next === undefined ? {} : { next }) };
  };

  return {
    search,
    page,
    extended: (oid, value) => extended(oid, value),
    read: async (dn, attributes = []) => {
      try {
        const found = await search({ base: dn, scope: 'base', filter: { kind: 'present', description: 'objectClass' }, attributes });
        return found.entries[0];
      } catch (error) {
        if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return undefined;
        throw error;
      }
    },
    compare: async (dn, description, value) => {
      const op = await ask({ kind: 'compareRequest', entry: dn, description, value }, [resultCodes.compareTrue, resultCodes.compareFalse]);
      return op.result.code === resultCodes.compareTrue;
    },
    add: async (dn, attributes) => void (await ask({ kind: 'addRequest', entry: dn, attributes })),
    modify: async (dn, changes, asserted) =>
      void (await ask({ kind: 'modifyRequest', object: dn, changes }, undefined, { more: asserting(asserted) })),
    rename: async (dn, to, asserted) =>
      void (await ask({ kind: 'modifyDNRequest', entry: dn, ...to }, undefined, { more: asserting(asserted) })),
    change: async ({ op, controls: more = [] }) => void (await ask(op, undefined, { more })),
    delete: async (dn, asserted) => void (await ask({ kind: 'delRequest', entry: dn }, undefined, { more: asserting(asserted) })),
    setPassword: async (dn, password) => {
      const value = passwordModifyValue({ dn, old: undefined, fresh: password });
      await ask({ kind: 'extendedRequest', oid: passwordModifyOid, value });
    },
    makeAppPassword: async (asked) => madeOf(await extended(makeAppPasswordOid, makeValue(asked))),
    revokeAppPassword: async (which) => revokedOf(await extended(revokeAppPasswordOid, revokeValue(which))),
    openSigningKeys: async (suffix, algorithms) => openedKeysOf(await extended(openSigningKeysOid, openKeysValue(suffix, algorithms))),
    rotateSigningKeys: async (asked) => rotatedOf(await extended(rotateSigningKeysOid, rotateKeysValue(asked))),
    generatePassword: async (dn) => {
      const said = await extended(
        passwordModifyOid,
        encodeBer((ber) => ber.sequence(() => ber.string(`dn:${dn}`, 0x80))),
      );
      const password = said && decodeBer(said, (ber) => ber.sequence(() => ber.string(0x80)));
      if (password === undefined) throw new Error('the directory set a password and did not say which');
      return password;
    },
    whoAmI: async () => Buffer.from((await extended(whoAmIOid)) ?? []).toString('utf8'),
  };
}

/** What must be true of the entry (RFC 4528). */
export function asserting(asserted: Filter | undefined): readonly Control[] {
  return asserted === undefined ? [] : [{ oid: assertionOid, critical: true, value: encodeBer((ber) => ber.filter(asserted)) }];
}

/** The directory takes it on the web layer's socket alone: SEQUENCE { size INTEGER, place OCTET STRING }. */
function pageControl(size: number, behind: Uint8Array = new Uint8Array(0)): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(size);
      ber.octets(behind);
    }),
  );
  return { oid: pageOid, critical: true, value };
}

/** Where a page ended; nothing for the last one. */
function nextOf(controls: readonly Control[]): Uint8Array | undefined {
  const value = controls.find(({ oid }) => oid === pageOid)?.value;
  const place = value && decodeBer(value, (ber) => ber.sequence(() => [ber.number(), ber.octets()] as const))?.[1];
  return place === undefined || place.length === 0 ? undefined : new Uint8Array(place);
}

export function searchRequest({
  base,
  scope,
  filter,
  attributes = [],
  sizeLimit = 0,
  timeLimitS = 0,
  typesOnly = false,
}: SearchOptions): Request {
  return {
    kind: 'searchRequest',
    baseObject: base,
    scope,
    derefAliases: 'never',
    sizeLimit,
    timeLimitS,
    typesOnly,
    filter,
    attributes,
  };
}
