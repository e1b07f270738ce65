import type { Page } from 'playwright-core';

/** An authenticator of Chromium's own, which answers as soon as it is asked. */
export interface VirtualKey {
  /** Ends it. */
  remove(): Promise<void>;
}

/** Plugs a security key into a page's browser. `verifies`: it checks who uses it. `platform`: it is the device itself. */
export async function plugIn(page: Page, { verifies = false, platform = false } = {}): Promise<VirtualKey> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: platform ? 'internal' : 'usb',
      hasResidentKey: verifies,
      hasUserVerification: verifies,
      isUserVerified: verifies,
      automaticPresenceSimulation: true,
    },
  });
  return { remove: async () => void (await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })) };
}
