import { base32Of } from '#base';
import type { SettingValues } from '#catalogue';
import type { Ending } from '#state';
import { openWaiting, type WaitingOptions } from '../waiting.ts';
import type { Holder } from '../written.ts';
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

/** Secrets between being shown and being proved. */
export interface AppEnrolments {
  /** Draws a secret by the settings in force and keeps it, sealed, for `totp.enrolmentTtlMinutes`. */
  begin(who: Holder): Promise<PendingApp>;
  /** One that was begun by the same person; `undefined` when its time is over. */
  find(who: Holder, handle: string): Promise<PendingApp | undefined>;
  /** Forgets one: it was proved. */
  end(who: Holder, handle: string): Promise<void>;
  /** With an account ends what it was shown and has not proved. */
  readonly ending: Ending;
}

export interface AppEnrolmentOptions extends WaitingOptions {
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

const minuteMs = 60_000;

export function openAppEnrolments(options: AppEnrolmentOptions): AppEnrolments {
  const { clock, chance, settingsOf } = options;
  const waiting = openWaiting(options, 'totp.enrolment');
  return {
    begin: async (who) => {
      const settings = settingsOf(who.realm);
      const nowMs = clock.nowMs();
      const app: AppSecret = {
        secret: base32Of(chance.octets(settings['totp.secretBytes'])),
        algorithm: settings['totp.algorithm'],
        digits: settings['totp.digits'],
        period: settings['totp.period'],
      };
      const credential = JSON.stringify({ ...app, addedMs: nowMs });
      const { handle, untilMs } = await waiting.put(who, credential, nowMs + settings['totp.enrolmentTtlMinutes'] * minuteMs);
      return { ...app, handle, untilMs, credential };
    },
    find: async (who, handle) => {
      const found = await waiting.find(who, handle);
      if (found === undefined) return undefined;
      const { secret, algorithm, digits, period } = JSON.parse(found.secret) as AppSecret;
      return { secret, algorithm, digits, period, handle, untilMs: found.untilMs, credential: found.secret };
    },
    end: async (who, handle) => void (await waiting.take(who, handle)),
    ending: waiting.ending,
  };
}
