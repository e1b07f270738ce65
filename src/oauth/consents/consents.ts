import { type Clock, utf8 } from '#base';
import { ClientRefusal, type DirectoryClient, equals, type SessionOf } from '#client';
import { resultCodes } from '#ldap';
import type { WebRealm } from '#web';
import type { Application } from '../applications/application.ts';
import type { AskedAt } from '../provider/resources.ts';

/** What somebody has allowed an application to know and do at one place: a value of `stsConsent` at their entry. */
export interface Consent extends AskedAt {
  readonly clientId: string;
  /** entryUUID of the application, which another one under its client id does not have; values of before have none. */
  readonly entry?: string;
  readonly atMs: number;
}

type Allowed = Pick<Application, 'clientId' | 'entryUuid'>;

/** A person in a session of theirs. */
export interface Consenting {
  readonly dn: string;
  readonly session: SessionOf;
}

export interface Consents {
  /** What somebody has allowed an application, place by place. */
  of(realm: Pick<WebRealm, 'suffix'>, entryUuid: string, application: Allowed): Promise<readonly Consent[]>;
  /** Consents of somebody, the newest first. */
  list(realm: Pick<WebRealm, 'suffix'>, entryUuid: string): Promise<readonly Consent[]>;
  /**
   * Keeps what somebody allows, in their own name: added to what they allowed the application at the same place before.
   *
   * @returns false when the directory does not let them
   */
  grant(
    realm: Pick<WebRealm, 'suffix'>,
    acting: Consenting,
    entryUuid: string,
    application: Allowed,
    asked: readonly AskedAt[],
  ): Promise<boolean>;
  /** Takes back what was allowed at a place, in their own name. @returns false when there was none, or the directory does not let them */
  withdraw(
    realm: Pick<WebRealm, 'suffix'>,
    acting: Consenting,
    entryUuid: string,
    place: Pick<Consent, 'clientId' | 'resource'>,
  ): Promise<boolean>;
}

/** Whether all that is asked for was allowed at the place where it is asked for. */
export function isAllowed(asked: readonly AskedAt[], held: readonly AskedAt[]): boolean {
  return asked.every(({ resource, scopes }) => {
    const there = held.find((consent) => consent.resource === resource);
    return there !== undefined && scopes.every((scope) => there.scopes.includes(scope));
  });
}

/** Since when the consents stand on which a token set will: 0 where there is none, so that the set is worth nothing. */
export function sinceWhen(asked: readonly AskedAt[], held: readonly Consent[]): Readonly<Record<string, number>> {
  return Object.fromEntries(asked.map(({ resource }) => [resource, held.find((consent) => consent.resource === resource)?.atMs ?? 0]));
}

/** Places at which one person has allowed something: of more, the oldest go. */
const consentsMax = 200;
const scopesMax = 100;
const attribute = 'stsConsent';
const triesMax = 3;

interface ConsentsOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly clock: Clock;
}

export function openConsents({ client, clock }: ConsentsOptions): Consents {
  const valuesOf = async ({ suffix }: Pick<WebRealm, 'suffix'>, entryUuid: string): Promise<readonly string[]> => {
    const search = { base: suffix, scope: 'sub', filter: equals('entryUUID', entryUuid), attributes: [attribute], sizeLimit: 1 } as const;
    return (await client.as('self').search(search)).entries[0]?.all(attribute) ?? [];
  };
  const listOf = async (realm: Pick<WebRealm, 'suffix'>, entryUuid: string): Promise<readonly Consent[]> => {
    const all = new Map<string, Consent>();
    // Who allows two things at one moment leaves two values: they are one consent.
    for (const value of await valuesOf(realm, entryUuid)) {
      const consent = consentOf(value);
      if (consent === undefined) continue;
      const key = JSON.stringify([consent.clientId, consent.entry, consent.resource]);
      all.set(key, joined(consent, all.get(key)));
    }
    return [...all.values()];
  };
  /** Changes what is there, and decides again when it is another by then. */
  const change = async (
    realm: Pick<WebRealm, 'suffix'>,
    acting: Consenting,
    entryUuid: string,
    decide: (held: readonly { readonly value: string; readonly consent: Consent | undefined }[]) => {
      readonly gone: string[];
      readonly come: string[];
    },
  ): Promise<boolean> => {
    for (let tries = 1; ; tries++) {
      const values = await valuesOf(realm, entryUuid);
      const { gone, come } = decide(values.map((value) => ({ value, consent: consentOf(value) })));
      if (gone.length === 0 && come.length === 0) return false;
      const step = (operation: 'add' | 'delete', each: readonly string[]) =>
        each.length === 0 ? [] : [{ operation, attribute: { description: attribute, values: each.map((value) => utf8(value)) } }];
      try {
        await client.as(acting).modify(acting.dn, [...step('delete', gone), ...step('add', come)]);
        return true;
      } catch (error) {
        if (!(error instanceof ClientRefusal)) throw error;
        const isOther = error.code === resultCodes.noSuchAttribute || error.code === resultCodes.attributeOrValueExists;
        if (!isOther || tries >= triesMax) return false;
      }
    }
  };
  return {
    of: async (realm, entryUuid, { clientId, entryUuid: entry }) =>
      (await listOf(realm, entryUuid)).filter((each) => each.clientId === clientId && (each.entry ?? entry) === entry),
    list: async (realm, entryUuid) => (await listOf(realm, entryUuid)).toSorted((a, b) => b.atMs - a.atMs),
    grant: (realm, acting, entryUuid, { clientId, entryUuid: entry }, asked) =>
      change(realm, acting, entryUuid, (held) => {
        const atMs = clock.nowMs();
        // What another application under the client id was allowed is nobody's any more.
        const over = held.filter(({ consent }) => consent?.clientId === clientId && (consent.entry ?? entry) !== entry);
        const own = held.filter(
          (each) => !over.includes(each) && each.consent?.clientId === clientId && asked.some(isAt(each.consent.resource)),
        );
        const others = held.filter((each) => !over.includes(each) && !own.includes(each));
        const oldest = others.toSorted((a, b) => (a.consent?.atMs ?? 0) - (b.consent?.atMs ?? 0));
        const crowded = oldest.slice(0, Math.max(0, others.length - consentsMax + asked.length));
        const come = asked.map(({ resource, scopes }) => {
          const before = own.flatMap(({ consent }) => (consent?.resource === resource ? consent : []));
          const now: Consent = { clientId, entry, resource, scopes, atMs };
          return written(
            before.reduce((sum, consent) => joined(consent, sum), now),
            entry,
          );
        });
        return {
          gone: [...over, ...own, ...crowded].map(({ value }) => value).filter((value) => !come.includes(value)),
          come: come.filter((value) => !held.some((each) => each.value === value)),
        };
      }),
    withdraw: (realm, acting, entryUuid, { clientId, resource }) =>
      change(realm, acting, entryUuid, (held) => ({
        gone: held.filter(({ consent }) => consent?.clientId === clientId && consent.resource === resource).map(({ value }) => value),
        come: [],
      })),
  };
}

const isAt = (place: string) => (asked: AskedAt) => asked.resource === place;

function written({ clientId, resource, scopes, atMs }: Consent, entry: string): string {
  const where = resource === '' ? {} : { resource };
  return JSON.stringify({ client: clientId, entry, ...where, scopes: scopes.slice(0, scopesMax), atMs });
}

/** What was allowed at several times. It stands since the first of them: who allows more has not taken back what they allowed. */
function joined(one: Consent, other: Consent | undefined): Consent {
  if (other === undefined) return one;
  return { ...one, scopes: [...new Set([...one.scopes, ...other.scopes])], atMs: Math.min(one.atMs, other.atMs) };
}

function consentOf(value: string): Consent | undefined {
  try {
    const { client, entry, resource = '', scopes, atMs } = JSON.parse(value);
    const isOne =
      [client, resource, entry ?? ''].every((each) => typeof each === 'string') &&
      Array.isArray(scopes) &&
      scopes.every((each) => typeof each === 'string') &&
      Number.isSafeInteger(atMs);
    return isOne ? { clientId: client, ...(entry === undefined ? {} : { entry }), resource, scopes, atMs } : undefined;
  } catch {
    return undefined;
  }
}
