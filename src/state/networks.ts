import { addressOctets, type Clock, hex } from '#base';
import type { State } from './state.ts';

/** From which networks people have signed in. */
export interface Networks {
  /** Whether it is another network than those; false where nothing is known of the person yet, since everybody begins somewhere, and for what is no address. */
  isNew(realm: string, entryUuid: string, address: string): Promise<boolean>;
  /** Somebody has signed in from an address. */
  remember(realm: string, entryUuid: string, address: string): Promise<void>;
}

const rememberedMs = 90 * 86_400_000;
/** Of one person, and of a realm; the ones not signed in from longest are forgotten. */
const networksMax = 20;
const rowsMax = 500_000;

export function openNetworks({ state, clock }: { readonly state: Pick<State, 'kind'>; readonly clock: Clock }): Networks {
  const networks = state.kind<true>({
    name: 'signin.network',
    parse: (value) => (value === true ? true : undefined),
    rowsMax: () => rowsMax,
    ownerRowsMax: networksMax,
  });
  return {
    isNew: async (realm, entryUuid, address) => {
      const network = networkOf(address);
      if (network === undefined || (await networks.get(realm, keyOf(entryUuid, network))) !== undefined) return false;
      return (await networks.list(realm, entryUuid, 1)).length > 0;
    },
    remember: async (realm, entryUuid, address) => {
      const network = networkOf(address);
      if (network === undefined) return;
      const [key, untilMs] = [keyOf(entryUuid, network), clock.nowMs() + rememberedMs];
      const known = await networks.get(realm, key);
      if (known !== undefined && (await networks.touch(known, true, untilMs)) !== undefined) return;
      await networks.put(realm, key, true, untilMs, entryUuid);
    },
  };
}

/** What one site has of each kind of address, as the internet routes it; nothing for what is no network address. */
function networkOf(address: string): string | undefined {
  const octets = addressOctets(address);
  return octets && hex(octets.subarray(0, octets.length === 4 ? 3 : 6));
}

function keyOf(entryUuid: string, network: string): string {
  return `${entryUuid} ${network}`;
}
