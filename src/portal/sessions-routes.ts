import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "Session"';

export const sessionsRoutes = {
  sessions: {
    method: 'GET',
    path: '/portal/sessions',
    purpose: 'where the person is signed in, how, since when and from where',
    source,
    coverage: 'full',
  },
  sessionEnd: { method: 'POST', path: '/portal/sessions/end', purpose: 'ends one session of the person', source, coverage: 'full' },
  signOutElsewhere: {
    method: 'POST',
    path: '/portal/sign-out-elsewhere',
    purpose: 'ends the person’s sessions in other browsers',
    source,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
