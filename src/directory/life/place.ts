import type { Kept, Kind, State } from '#state';

/** How far the ends of accounts have been seen to. */
export interface Place {
  /** Of the newest commit whose changes are done with. */
  readonly number: number;
  /** Up to this moment those are done with whose time is over by itself. */
  readonly atMs: number;
}

/** Where it is kept that a place was reached. */
export interface Places {
  read(): Promise<Place | undefined>;
  /** @throws Refusal STS-STORE-9008 when there is no space */
  write(place: Place): Promise<void>;
}

const token = 'place';
const never = 8.64e15;

/** The place lies in the state, and so is gone where the sessions are, too: behind a restore. */
export function openPlaces(state: Pick<State, 'kind'>): Places {
  const kind: Kind<Place> = state.kind<Place>({ name: 'life', parse: parsePlace });
  let kept: Kept<Place> | undefined;
  return {
    read: async () => {
      kept = await kind.get('', token);
      return kept?.value;
    },
    write: async (place) => {
      kept = kept === undefined ? undefined : await kind.replace(kept, place);
      if (kept !== undefined) return;
      await kind.put('', token, place, never);
      kept = await kind.get('', token);
    },
  };
}

function parsePlace(json: unknown): Place | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { number, atMs } = json as Partial<Place>;
  return typeof number === 'number' && typeof atMs === 'number' ? { number, atMs } : undefined;
}
