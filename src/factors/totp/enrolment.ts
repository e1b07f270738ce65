import { base32Of, type Chance, type Clock, text, token, utf8 } from '#base';
import type { SettingValues } from '#catalogue';
import { type SealingKey, seal, unseal } from '#keys';
import { type Ending, endingOf, type State } from '#state';
import type { settings as rows } from './settings.ts';
import type { AppSecret } from './shown.ts';

/** An authenticator app that was shown to its person and is not proved yet: nothing of it stands on their entry. */
export interface PendingApp extends AppSecret {
  /** By which it is found again. */
  readonly handle: string;
  readonly untilMs: number;
  /** The value of `stsTotpCredential` that it becomes. */
  readonly credential: string;
}

/** Who enrols, and where. */
export interface Enrolling {
  readonly realm: string;
  readonly entryUuid: string;
}

/** Secrets between being shown and being proved. */
export interface AppEnrolments {
  /** Draws a secret by the settings in force and keeps it, sealed, for `totp.enrolmentTtlMinutes`. */
  begin(who: Enrolling): Promise<PendingApp>;
  /** One that was begun by the same person; `undefined` when its time is over. */
  find(who: Enrolling, handle: string): Promise<PendingApp | undefined>;
  /** Forgets one: it was proved. */
  end(who: Enrolling, handle: string): Promise<void>;
  /** With an account ends what it was shown and has not proved. */
  readonly ending: Ending;
}

export interface AppEnrolmentOptions {
  readonly state: Pick<State, 'kind'>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** What the secrets lie under. */
  readonly key: SealingKey;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

const minuteMs = 60_000;
const handleOctets = 32;
/** Secrets of one realm that wait: only who has shown a first factor gets one. */
const waitingMax = 10_000;

export function openAppEnrolments({ state, clock, chance, key, settingsOf }: AppEnrolmentOptions): AppEnrolments {
  const kind = state.kind<string>({
    name: 'totp.enrolment',
    parse: (value) => (typeof value === 'string' ? value : undefined),
    rowsMax: () => waitingMax,
  });
  return {
    begin: async ({ realm, entryUuid }) => {
      const settings = settingsOf(realm);
      const nowMs = clock.nowMs();
      const app: AppSecret = {
        secret: base32Of(chance.octets(settings['totp.secretBytes'])),
        algorithm: settings['totp.algorithm'],
        digits: settings['totp.digits'],
        period: settings['totp.period'],
      };
      const credential = JSON.stringify({ ...app, addedMs: nowMs });
      const handle = token(chance, handleOctets);
      const untilMs = nowMs + settings['totp.enrolmentTtlMinutes'] * minuteMs;
      const sealed = seal(key, utf8(credential), placeOf({ realm, entryUuid }));
      await kind.put(realm, handle, text(sealed) ?? '', untilMs, entryUuid);
      return { ...app, handle, untilMs, credential };
    },
    find: async (who, handle) => {
      const kept = await kind.get(who.realm, handle);
      // Another's does not open.
      const open = kept && unseal(key, utf8(kept.value), placeOf(who));
      const credential = open && text(open);
      if (kept === undefined || credential === undefined || kept.expiresAtMs <= clock.nowMs()) return undefined;
      const { secret, algorithm, digits, period } = JSON.parse(credential) as AppSecret;
      return { secret, algorithm, digits, period, handle, untilMs: kept.expiresAtMs, credential };
    },
    end: async ({ realm }, handle) => void (await kind.take(realm, handle)),
    ending: endingOf({ name: 'app enrolments', kind }),
  };
}

function placeOf({ realm, entryUuid }: Enrolling): string {
  return `${realm} ${entryUuid}`;
}
