import { type Mechanism, mechanisms } from '#policy';

/** As what a mechanism answers. */
export type Role = 'first' | 'second';

/** A factor that was shown. */
export interface Proven {
  readonly mechanism: Mechanism;
  readonly role: Role;
  readonly atMs: number;
  /** Methods (RFC 8176). */
  readonly amr: readonly string[];
}

/** How far the sign-in of a parked request is. Nothing of it is ever read from a form: what a person chose stands here. */
export interface Progress {
  /** SHA-256 of the cookie of the browser in which it goes on, base64url. */
  readonly browser?: string;
  readonly userName?: string;
  /** The person: who was proven, or, with nothing proven yet, whom the typed name means. */
  readonly entryUuid?: string;
  readonly ticked: {
    readonly secondFactor: boolean;
    readonly passwordless: boolean;
    /** With a key that says who it is: no name was typed. */
    readonly unnamed?: true;
  };
  /** The first factor first. */
  readonly proven: readonly Proven[];
  /** Until when the present step waits. */
  readonly waitsUntilMs?: number;
  /** A request is beginning the session, and has until then. */
  readonly finishesByMs?: number;
  /** The process that it came to. */
  readonly finishesIn?: string;
  /** The person did not want the second factor that was offered. */
  readonly declined?: boolean;
  /** What the person chose to enrol. */
  readonly enrolling?: Mechanism;
  /** What one step has begun and will finish: a challenge, a code that was sent. Gone as soon as a factor is proven. */
  readonly underWay?: UnderWay;
}

export interface UnderWay {
  /** Whose it is. */
  readonly step: string;
  readonly untilMs: number;
  /** What the step makes of it; JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Where every sign-in begins. */
export const noProgress: Progress = { ticked: { secondFactor: false, passwordless: false }, proven: [] };

/** Reads back what was kept; `undefined` for what is none. */
export function parseProgress(json: unknown): Progress | undefined {
  if (!isRecord(json) || !isRecord(json['ticked']) || !Array.isArray(json['proven']) || json['proven'].length > 2) return undefined;
  const { ticked, proven, underWay, enrolling } = json;
  const whole =
    typeof ticked['secondFactor'] === 'boolean' &&
    typeof ticked['passwordless'] === 'boolean' &&
    (ticked['unnamed'] === undefined || ticked['unnamed'] === true) &&
    proven.every(isProven) &&
    ['browser', 'userName', 'entryUuid', 'finishesIn'].every((name) => json[name] === undefined || typeof json[name] === 'string') &&
    ['waitsUntilMs', 'finishesByMs'].every((name) => json[name] === undefined || typeof json[name] === 'number') &&
    (json['declined'] === undefined || typeof json['declined'] === 'boolean') &&
    (enrolling === undefined || isMechanism(enrolling)) &&
    (underWay === undefined || isUnderWay(underWay));
  return whole ? (json as unknown as Progress) : undefined;
}

function isProven(json: unknown): boolean {
  return (
    isRecord(json) &&
    isMechanism(json['mechanism']) &&
    (json['role'] === 'first' || json['role'] === 'second') &&
    typeof json['atMs'] === 'number' &&
    Array.isArray(json['amr']) &&
    json['amr'].every((method) => typeof method === 'string')
  );
}

function isUnderWay(json: unknown): boolean {
  return isRecord(json) && typeof json['step'] === 'string' && typeof json['untilMs'] === 'number' && isRecord(json['data']);
}

function isMechanism(json: unknown): boolean {
  return mechanisms.some((mechanism) => mechanism === json);
}

function isRecord(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
