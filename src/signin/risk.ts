import type { SettingValues } from '#catalogue';
import type { policySettings, Situation } from '#policy';
import type { Networks } from '#state';

/** How risky a sign-in is: whether it comes from where its person has signed in before. */
export interface Risk {
  /** `none` where nothing is known of the person yet: everybody begins somewhere. */
  of(realm: string, entryUuid: string, address: string): Promise<Situation['risk']>;
  /** Somebody has signed in from an address. */
  remember(realm: string, entryUuid: string, address: string): Promise<void>;
}

export interface RiskOptions {
  readonly networks: Networks;
  readonly settingsOf: (realm: string) => Pick<SettingValues<typeof policySettings>, 'authn.riskOfNewNetwork'>;
}

export function openRisk({ networks, settingsOf }: RiskOptions): Risk {
  const riskIn = (realm: string) => settingsOf(realm)['authn.riskOfNewNetwork'];
  return {
    of: async (realm, entryUuid, address) => {
      const risk = riskIn(realm);
      return risk !== 'none' && (await networks.isNew(realm, entryUuid, address)) ? risk : 'none';
    },
    remember: async (realm, entryUuid, address) => {
      if (riskIn(realm) !== 'none') await networks.remember(realm, entryUuid, address);
    },
  };
}
