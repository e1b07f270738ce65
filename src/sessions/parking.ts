import { type Chance, type Clock, token } from '#base';
import { refuse, type SettingValues } from '#catalogue';
import type { Kept, Kind, State } from '#state';
import { fitDemand } from './demand.ts';
import { errors } from './errors.ts';
import { fitRows, furtherOf, type Parked, type ParkedRecord, type ParkRequest, parkedOf, parseParked } from './parked.ts';
import type { Progress } from './progress.ts';
import { parseReturnTarget, type ReturnTarget, resumedTarget } from './return-target.ts';
import { type Session, subjectOf } from './session.ts';
import type { settings as rows } from './settings.ts';

/** The requests that wait for a sign-in, and how far it is. */
export interface Parking {
  /**
   * Saves an interrupted request.
   *
   * @returns the pending id for `/authn/login?authn=…`
   * @throws Refusal `targetRefused` when a target is not a path on this service
   */
  park(request: ParkRequest): Promise<string>;
  /** The request that waits under an id; `undefined` when it was answered, expired, or never was. */
  parked(realm: string, id: string): Promise<Parked | undefined>;
  /**
   * Puts what a sign-in has reached in place of what was read.
   *
   * @param parked  as `parked` or `advance` gave it
   * @returns the request with its new progress; `undefined` when something else has changed or answered it meanwhile: of several one goes on
   */
  advance(parked: Parked, progress: Progress): Promise<Parked | undefined>;
  /** The same, and it waits no longer: of several askers one gets it. */
  takeParked(realm: string, id: string): Promise<Parked | undefined>;
  /**
   * Notes that the request of a target was just answered in a session: whoever comes back with it is not asked again for what stands in it.
   *
   * @param about  what was answered, for its protocol
   */
  markAnswered(
    session: Pick<Session, 'realm' | 'sid' | 'subject'>,
    target: ReturnTarget,
    about?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** What was noted of a request, as it comes now: found once, and gone by that. @param target  as it came, `prompt` or not */
  takeAnswered(session: Pick<Session, 'realm' | 'sid'>, target: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** With the kinds that end with what else there is of a person. */
interface OpenParking extends Parking {
  readonly parkedKind: Kind<ParkedRecord>;
  readonly answeredKind: Kind<Readonly<Record<string, unknown>>>;
}

export interface ParkingOptions {
  readonly state: State;
  readonly clock: Clock;
  readonly chance: Chance;
  /** The settings in force in a realm. */
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

/** Requests of one person that were just answered and have not come back. */
const answeredMax = 100;
/** Octets of chance in a pending id. */
const idOctets = 32;

/** Opens what waits on the shared state. */
export function openParking({ state, clock, chance, settingsOf }: ParkingOptions): OpenParking {
  const parkedKind = state.kind<ParkedRecord>({
    name: 'parked',
    parse: parseParked,
    rowsMax: (realm) => settingsOf(realm)['authn.maxPending'],
  });
  const answeredKind = state.kind<Readonly<Record<string, unknown>>>({
    name: 'answered',
    parse: (value) => (typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined),
    rowsMax: (realm) => settingsOf(realm)['authn.maxPending'],
    ownerRowsMax: answeredMax,
  });
  return {
    parkedKind,
    answeredKind,
    park: async (request) => {
      const settings = settingsOf(request.realm);
      const lengthMax = settings['authn.returnTargetLengthMax'];
      const asked = parseReturnTarget(request.target, lengthMax);
      const caller = request.cancelTarget === undefined ? asked : parseReturnTarget(request.cancelTarget, lengthMax);
      if (asked === undefined || caller === undefined) throw refuse(errors.targetRefused);
      const createdMs = clock.nowMs();
      const id = token(chance, idOctets);
      const record: ParkedRecord = {
        method: request.method,
        asked,
        ...(caller === asked ? {} : { caller }),
        rows: fitRows(request.rows),
        ...(request.demand === undefined ? {} : { demand: fitDemand(request.demand) }),
        ...furtherOf(request),
        createdMs,
      };
      await parkedKind.put(request.realm, id, record, createdMs + settings['authn.pendingTtlS'] * 1000);
      return id;
    },
    parked: async (realm, id) => asParked(await parkedKind.get(realm, id)),
    advance: async (parked, progress) => {
      const kept = keptOf.get(parked);
      if (kept === undefined) return undefined;
      // Whoever has just shown a factor has the whole of a step's time for the next one, however long the request has waited.
      const expiresAtMs = Math.max(kept.expiresAtMs, progress.waitsUntilMs ?? 0);
      // Who has proven who they are owns it from here on: it ends with their account.
      const { entryUuid, proven } = progress;
      const owner = proven.length > 0 && entryUuid !== undefined ? subjectOf(entryUuid) : '';
      return asParked(await parkedKind.replace(kept, { ...kept.value, progress }, expiresAtMs, owner));
    },
    takeParked: async (realm, id) => asParked(await parkedKind.take(realm, id)),
    markAnswered: async ({ realm, sid, subject }, target, about = {}) => {
      const untilMs = clock.nowMs() + settingsOf(realm)['authn.pendingTtlS'] * 1000;
      await answeredKind.put(realm, `${sid} ${resumedTarget(target)}`, about, untilMs, subject);
    },
    takeAnswered: async ({ realm, sid }, target) => {
      const asked = parseReturnTarget(target, Number.MAX_SAFE_INTEGER);
      return asked && (await answeredKind.take(realm, `${sid} ${resumedTarget(asked)}`))?.value;
    },
  };
}

/** What stands on disk behind a request that was read, against which its replacement is compared. */
const keptOf = new WeakMap<Parked, Kept<ParkedRecord>>();

function asParked(kept: Kept<ParkedRecord> | undefined): Parked | undefined {
  if (kept === undefined) return undefined;
  const parked = parkedOf(kept.realm, kept.value, kept.expiresAtMs);
  keptOf.set(parked, kept);
  return parked;
}
