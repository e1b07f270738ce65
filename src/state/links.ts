import { type Chance, type Clock, token } from '#base';
import type { SettingValues } from '#catalogue';
import { type Ending, endingOf } from './ending.ts';
import type { Kept } from './kind.ts';
import type { settings as rows } from './settings.ts';
import type { State } from './state.ts';

/** What a link is for. `forgot` is a reset that a person asked for by themselves. */
export type LinkKind = (typeof linkKinds)[number];
export const linkKinds = ['activation', 'reset', 'forgot'] as const;

/** A link that was issued and is good. */
export interface Link {
  readonly kind: LinkKind;
  readonly entryUuid: string;
  /** The person had a password when it was issued. */
  readonly hasPassword: boolean;
  readonly untilMs: number;
}

/** For whom a link is; `entryUuid` `undefined` for nobody: then as much is done, and nothing opens. */
export interface LinkFor {
  readonly kind: LinkKind;
  readonly entryUuid: string | undefined;
  readonly hasPassword?: boolean;
}

/** A link in use: nobody else can use it meanwhile, nor after the end of this process. Exactly one of both is to be called. */
export interface Claimed {
  readonly link: Link;
  /** It was used, and is gone. False when somebody ended it meanwhile. */
  spend(): Promise<boolean>;
  /** What was to be done was not done: it is good again, unless somebody ended it meanwhile. */
  release(): Promise<void>;
}

/**
 * Links that let a person set what they sign in with, once. What stands on disk is the hash of a link's token; a row is of an epoch, as all of the state, so
 * that a restore brings none back.
 */
export interface Links {
  /** Makes one, in the place of the older one of its kind. @returns its token, which nothing keeps */
  issue(realm: string, of: LinkFor): Promise<{ readonly token: string; readonly untilMs: number }>;
  /** A link as it is now; looking at it spends nothing. `undefined` for what is none, spent, in use, over or ended. */
  find(realm: string, token: string): Promise<Link | undefined>;
  /** Takes a link into use: of several who try at once, one does. */
  claim(realm: string, token: string): Promise<Claimed | undefined>;
  /** Ends all links of a person, those in use included. @returns how many there were */
  end(realm: string, entryUuid: string): Promise<number>;
  /** The same, where a person may be here no more. */
  readonly ending: Ending;
  /** Ends links of a whole realm, at most so many. @returns how many there were */
  drop(realm: string, limit: number): Promise<number>;
}

export interface LinksOptions {
  readonly state: State;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

interface Stored {
  readonly kind: LinkKind;
  readonly hasPassword: boolean;
  readonly inUse: boolean;
}

const minuteMs = 60_000;
/** 256 bits, in 43 characters. */
const tokenOctets = 32;
/** More than a person can have: one of each kind, and those in use. */
const ofPersonMax = 16;
/** Longer ones are none. */
const tokenLengthMax = 64;
const nobody = 'nobody';

/** Opens the links of the service, on the shared state. */
export function openLinks({ state, clock, chance, settingsOf }: LinksOptions): Links {
  const kind = state.kind<Stored>({
    name: 'link',
    parse: parseStored,
    rowsMax: (realm) => settingsOf(realm)['security.linksMax'],
    // Anybody can ask for as many of these as the limits let them: they push nobody's out.
    firstToGo: nobody,
  });
  const live = async (realm: string, given: string): Promise<Kept<Stored> | undefined> => {
    if (given === '' || given.length > tokenLengthMax) return undefined;
    const kept = await kind.get(realm, given);
    return kept === undefined || kept.owner === nobody || kept.value.inUse || kept.expiresAtMs <= clock.nowMs() ? undefined : kept;
  };
  const endOf = async (realm: string, owner: string, which: (stored: Stored) => boolean): Promise<number> => {
    let count = 0;
    for (const kept of await kind.list(realm, owner, ofPersonMax)) if (which(kept.value) && (await kind.remove(kept))) count++;
    return count;
  };
  return {
    issue: async (realm, { kind: what, entryUuid, hasPassword = false }) => {
      // For nobody as much is looked for.
      await endOf(realm, entryUuid ?? '', (stored) => stored.kind === what);
      const untilMs = clock.nowMs() + ttlMinutesOf(what, settingsOf(realm)) * minuteMs;
      const made = token(chance, tokenOctets);
      await kind.put(realm, made, { kind: what, hasPassword, inUse: false }, untilMs, entryUuid ?? nobody);
      return { token: made, untilMs };
    },
    find: async (realm, given) => {
      const kept = await live(realm, given);
      return kept && linkOf(kept);
    },
    claim: async (realm, given) => {
      const kept = await live(realm, given);
      const claimed = kept && (await kind.replace(kept, { ...kept.value, inUse: true }));
      if (claimed === undefined) return undefined;
      return {
        link: linkOf(claimed),
        spend: () => kind.remove(claimed),
        release: async () => void (await kind.replace(claimed, { ...claimed.value, inUse: false })),
      };
    },
    end: (realm, entryUuid) => endOf(realm, entryUuid, () => true),
    ending: endingOf({ name: 'links', kind }),
    drop: async (realm, limit) => {
      const all = await kind.list(realm, undefined, limit);
      for (const kept of all) await kind.remove(kept);
      return all.length;
    },
  };
}

function ttlMinutesOf(kind: LinkKind, settings: SettingValues<typeof rows>): number {
  switch (kind) {
    case 'activation':
      return settings['security.activationTtlMinutes'];
    case 'reset':
    case 'forgot':
      return settings['security.passwordResetTtlMinutes'];
  }
}

function linkOf({ owner, expiresAtMs, value: { kind, hasPassword } }: Kept<Stored>): Link {
  return { kind, entryUuid: owner, hasPassword, untilMs: expiresAtMs };
}

function parseStored(value: unknown): Stored | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, hasPassword, inUse } = value as Record<string, unknown>;
  const known = linkKinds.find((each) => each === kind);
  return known !== undefined && typeof hasPassword === 'boolean' && typeof inUse === 'boolean'
    ? { kind: known, hasPassword, inUse }
    : undefined;
}
