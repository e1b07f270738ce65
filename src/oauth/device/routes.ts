import type { RouteRow } from '#catalogue';

const page = { method: 'GET', purpose: 'asks for the code that a device shows', source: 'RFC 8628 §3.3', coverage: 'full' } as const;
const answer = {
  method: 'POST',
  purpose: 'finds the device of a code, and lets it in or not',
  source: 'RFC 8628 §3.3',
  coverage: 'full',
} as const;

export const deviceRoutes = {
  devicePage: { ...page, path: '/oauth2/device' },
  device: { ...answer, path: '/oauth2/device' },
  serverDevicePage: { ...page, path: '/:server/oauth2/device' },
  serverDevice: { ...answer, path: '/:server/oauth2/device' },
} as const satisfies Record<string, RouteRow>;
