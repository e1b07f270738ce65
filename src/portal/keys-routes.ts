import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "User portal pages"';

export const keysRoutes = {
  keys: { method: 'GET', path: '/portal/keys', purpose: 'the person’s security keys', source, coverage: 'full' },
  keyAdding: {
    method: 'GET',
    path: '/portal/keys/add',
    purpose: 'asks for a security key to add, in either role',
    head: 'refused',
    source,
    coverage: 'full',
  },
  keyAdd: {
    method: 'POST',
    path: '/portal/keys/add',
    purpose: 'judges what the browser answered and adds the key',
    source,
    coverage: 'full',
  },
  key: {
    method: 'GET',
    path: '/portal/keys/change',
    purpose: 'one key: its name, and what stops working without it',
    source,
    coverage: 'full',
  },
  keyRename: { method: 'POST', path: '/portal/keys/rename', purpose: 'gives a security key another name', source, coverage: 'full' },
  keyRemove: { method: 'POST', path: '/portal/keys/remove', purpose: 'removes a security key', source, coverage: 'full' },
} as const satisfies Record<string, RouteRow>;
