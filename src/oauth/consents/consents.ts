import { type Clock, utf8 } from '#base';
import { ClientRefusal, type DirectoryClient, equals, type SessionOf } from '#client';
import { resultCodes } from '#ldap';
import type { WebRealm } from '#web';

/** What somebody has allowed an application to know and do: a value of `stsConsent` at their entry. */
export interface Consent {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly atMs: number;
}

/** A person in a session of theirs. */
export interface Consenting {
  readonly dn: string;
  readonly session: SessionOf;
}

export interface Consents {
  /** What somebody has allowed an application; `undefined` when nothing. */
  of(realm: Pick<WebRealm, 'suffix'>, entryUuid: string, clientId: string): Promise<Consent | undefined>;
  /** Consents of somebody, the newest first. */
  list(realm: Pick<WebRealm, 'suffix'>, entryUuid: string): Promise<readonly Consent[]>;
  /**
   * Keeps what somebody allows, in their own name: added to what they allowed the application before.
   *
   * @returns false when the directory does not let them
   */
  grant(
    realm: Pick<WebRealm, 'suffix'>,
    acting: Consenting,
    entryUuid: string,
    allowed: Pick<Consent, 'clientId' | 'scopes'>,
  ): Promise<boolean>;
  /** Takes it back, in their own name. @returns false when there was none, or the directory does not let them */
  withdraw(realm: Pick<WebRealm, 'suffix'>, acting: Consenting, entryUuid: string, clientId: string): Promise<boolean>;
}

/** Applications that one person has allowed something: of more, the oldest go. */
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
      if (consent !== undefined) all.set(consent.clientId, joined(consent, all.get(consent.clientId)));
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
    of: async (realm, entryUuid, clientId) => (await listOf(realm, entryUuid)).find((consent) => consent.clientId === clientId),
    list: async (realm, entryUuid) => (await listOf(realm, entryUuid)).toSorted((a, b) => b.atMs - a.atMs),
    grant: (realm, acting, entryUuid, { clientId, scopes }) =>
      change(realm, acting, entryUuid, (held) => {
        const own = held.filter(({ consent }) => consent?.clientId === clientId);
        const others = held.filter(({ consent }) => consent?.clientId !== clientId);
        const oldest = others.toSorted((a, b) => (a.consent?.atMs ?? 0) - (b.consent?.atMs ?? 0));
        const crowded = oldest.slice(0, Math.max(0, others.length - consentsMax + 1));
        const now: Consent = { clientId, scopes: [...scopes], atMs: clock.nowMs() };
        const whole = own.reduce((sum, { consent }) => (consent === undefined ? sum : joined(consent, sum)), now);
        const come = JSON.stringify({ client: clientId, scopes: whole.scopes.slice(0, scopesMax), atMs: whole.atMs });
        return {
          gone: [...own, ...crowded].map(({ value }) => value).filter((value) => value !== come),
          come: [come].filter((value) => !held.some((each) => each.value === value)),
        };
      }),
    withdraw: (realm, acting, entryUuid, clientId) =>
      change(realm, acting, entryUuid, (held) => ({
        gone: held.filter(({ consent }) => consent?.clientId === clientId).map(({ value }) => value),
        come: [],
      })),
  };
}

/** What was allowed at several times. It stands since the first of them: who allows more has not taken back what they allowed. */
function joined(one: Consent, other: Consent | undefined): Consent {
  if (other === undefined) return one;
  return { ...one, scopes: [...new Set([...one.scopes, ...other.scopes])], atMs: Math.min(one.atMs, other.atMs) };
}

function consentOf(value: string): Consent | undefined {
  try {
    const { client, scopes, atMs } = JSON.parse(value);
    const isOne =
      typeof client === 'string' && Array.isArray(scopes) && scopes.every((each) => typeof each === 'string') && Number.isSafeInteger(atMs);
    return isOne ? { clientId: client, scopes, atMs } : undefined;
  } catch {
    return undefined;
  }
}
