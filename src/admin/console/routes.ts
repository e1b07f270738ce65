import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "Admin console pages"; document 2, "Authentication"';

export const routes = {
  home: {
    method: 'GET',
    path: '/admin',
    purpose: 'what makes this installation ready, as it is measured; how much there is; the way to everything',
    source,
    coverage: 'full',
  },
  people: { method: 'GET', path: '/admin/users', purpose: 'people, with a filter and page by page', source, coverage: 'full' },
  person: {
    method: 'GET',
    path: '/admin/users/:id',
    purpose: 'a person: how they sign in, where they are signed in, their groups, and what can be done',
    source,
    coverage: 'full',
  },
  groups: { method: 'GET', path: '/admin/groups', purpose: 'groups, with a filter and page by page', source, coverage: 'full' },
  group: { method: 'GET', path: '/admin/groups/:id', purpose: 'a group and its members', source, coverage: 'full' },
  directory: {
    method: 'GET',
    path: '/admin/directory',
    purpose: 'an entry of the directory, what stands below it, and searches',
    source,
    coverage: 'full',
  },
  directoryLdif: { method: 'GET', path: '/admin/directory/ldif', purpose: 'an entry as LDIF', source: 'RFC 2849', coverage: 'full' },
  entryEdit: {
    method: 'GET',
    path: '/admin/directory/edit',
    purpose: 'the form of an entry, drawn from the schema: required and allowed attributes',
    source,
    coverage: 'full',
  },
  entrySave: { method: 'POST', path: '/admin/directory/edit', purpose: 'changes an entry', source, coverage: 'full' },
  entryNew: {
    method: 'GET',
    path: '/admin/directory/new',
    purpose: 'the form of a new entry: its class first, then its attributes',
    source,
    coverage: 'full',
  },
  entryCreate: { method: 'POST', path: '/admin/directory/new', purpose: 'adds an entry', source, coverage: 'full' },
  deedPage: {
    method: 'GET',
    path: '/admin/do/:name',
    purpose: 'the form of an operation: what will happen, and what it takes',
    source,
    coverage: 'full',
  },
  deed: {
    method: 'POST',
    path: '/admin/do/:name',
    purpose: 'has an operation done under the session’s authority',
    source,
    coverage: 'full',
  },
  explorer: {
    method: 'GET',
    path: '/admin/api-explorer',
    purpose: 'every operation of the management API, by forms',
    source: 'specification document 2, "Endpoints"',
    coverage: 'full',
  },
  explorerOperation: {
    method: 'GET',
    path: '/admin/api-explorer/:name',
    purpose: 'one operation: its form, and what it answers',
    source: 'specification document 2, "Endpoints"',
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
