import type { Page } from 'playwright-core';

export interface VirtualKeyOptions {
  readonly transport?: 'usb' | 'internal';
  /** Whether it can check who uses it, and whether whoever uses it now is the one. */
  readonly verification?: 'none' | 'fails' | 'succeeds';
  readonly resident?: boolean;
  readonly backupEligible?: boolean;
  readonly backedUp?: boolean;
}

/** An authenticator of Chromium's own, plugged into a page. */
export interface VirtualKey {
  /** How many credentials it holds. */
  count(): Promise<number>;
  /** Does as if nobody touched it, or touches it again. */
  touch(touched: boolean): Promise<void>;
  /** Says from now on that nobody was verified, or that somebody was. */
  verify(verified: boolean): Promise<void>;
  unplug(): Promise<void>;
}

/** Plugs one in. */
export async function plugIn(
  page: Page,
  { transport = 'usb', verification = 'succeeds', resident = false, backupEligible = false, backedUp = false }: VirtualKeyOptions = {},
): Promise<VirtualKey> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport,
      hasResidentKey: resident,
      hasUserVerification: verification !== 'none',
      isUserVerified: verification === 'succeeds',
      automaticPresenceSimulation: true,
      defaultBackupEligibility: backupEligible,
      defaultBackupState: backedUp,
    },
  });
  return {
    count: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    touch: async (enabled) => void (await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })),
    verify: async (isUserVerified) => void (await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
    unplug: async () => void (await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })),
  };
}
