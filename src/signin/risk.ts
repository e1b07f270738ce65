import { addressOctets, type Clock, hex } from '#base';
import type { SettingValues } from '#catalogue';
import type { State } from '#state';
import type { settings as rows } from './settings.ts';
import type { Situation } from './situation.ts';

/** How risky a sign-in is: whether it comes from where its person has signed in before. */
export interface Risk {
  /** `none` where nothing is known of the person yet: everybody begins somewhere. */
  of(realm: string, entryUuid: string, address: string): Promise<Situation['risk']>;
  /** Somebody has signed in from an address. */
  remember(realm: string, entryUuid: string, address: string): Promise<void>;
}

export interface RiskOptions {
  readonly state: Pick<State, 'kind'>;
  readonly clock: Clock;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

const rememberedMs = 90 * 86_400_000;
/** Of one person, and of a realm; the ones not signed in from longest are forgotten. */
const networksMax = 20;
const rowsMax = 500_000;

export function openRisk({ state, clock, settingsOf }: RiskOptions): Risk {
  const networks = state.kind<true>({
    name: 'signin.network',
    parse: (value) => (value === true ? true : undefined),
    rowsMax: () => rowsMax,
    ownerRowsMax: networksMax,
  });
  const isOff = (realm: string) => settingsOf(realm)['authn.riskOfNewNetwork'] === 'none';
  return {
    of: async (realm, entryUuid, address) => {
      const network = networkOf(address);
      if (isOff(realm) || network === undefined) return 'none';
      if ((await networks.get(realm, keyOf(entryUuid, network))) !== undefined) return 'none';
      const known = await networks.list(realm, entryUuid, 1);
      return known.length === 0 ? 'none' : settingsOf(realm)['authn.riskOfNewNetwork'];
    },
    remember: async (realm, entryUuid, address) => {
      const network = networkOf(address);
      if (isOff(realm) || network === undefined) return;
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
