import { z } from 'zod';
import type { Description } from './deps.ts';
import type { Call, Operation } from './row.ts';
import { operation } from './row.ts';

const words = z.array(z.string());
const card = z.strictObject({
  id: z.string(),
  title: z.string(),
  means: z.string(),
  built: z.boolean().describe('False of what is described and not built.'),
  groups: words,
  specs: words,
  routes: z.number(),
});

const metadataShape = z.strictObject({
  version: z.string(),
  agrees: z.boolean().describe('True when all six lists of drift are empty.'),
  undocumentedPaths: words.describe('Mounted, and described nowhere.'),
  stalePaths: words.describe('Described, and not mounted.'),
  unknownSpecIds: words.describe('Named by a route, and in no list of specifications.'),
  unknownProtocolGroups: words.describe('Named by a protocol, and no group of routes.'),
  unknownProtocolSpecIds: words.describe('Named by a protocol, and in no list of specifications.'),
  unclaimedGroups: words.describe('Groups of routes that belong to no protocol.'),
  protocols: z.array(card),
  surfaces: z.array(card).describe('Pages for people, and the management API.'),
  byHand: z
    .array(
      z.strictObject({ protocol: z.string(), name: z.string(), address: z.string().optional(), purpose: z.string(), source: z.string() }),
    )
    .describe('What listens and is no route; without an address it is switched off.'),
  routes: z.array(
    z.strictObject({
      method: z.string(),
      path: z.string(),
      group: z.string(),
      purpose: z.string().describe('UNDOCUMENTED for a route that is mounted and described nowhere.'),
      source: z.string().describe('The specification that it implements.'),
      specs: words,
      coverage: z.string().describe('Begins with full, partial or mock.'),
      isLink: z.boolean().describe('Whether a GET opens it as it stands.'),
      noLink: z.string().optional().describe('Why it is no link.'),
    }),
  ),
  specifications: z.array(z.strictObject({ id: z.string(), title: z.string(), url: z.string().optional() })),
});

const cryptoShape = z.strictObject({
  families: z.array(
    z.strictObject({
      family: z.string(),
      title: z.string(),
      uses: z.array(
        z.strictObject({
          purpose: z.string(),
          what: z.string(),
          algorithms: words,
          key: z.string().optional().describe('Whose key, and where it lies; never the key.'),
          envelope: z.string().optional(),
          setting: z.string().optional().describe('What changes it.'),
        }),
      ),
    }),
  ),
  postQuantum: z.strictObject({
    signatures: words.describe('Algorithms by which tokens can be signed that resist quantum computers.'),
    dpop: words.describe('Those that a client may prove possession by.'),
    keyEstablishment: z.string(),
  }),
  undescribedFamilies: words.describe('On the page of endpoints, and not here.'),
  unknownFamilies: words.describe('Here, and not on the page of endpoints.'),
});

const isDescribed = { offered: ({ description }: Call['deps']) => description !== undefined };

export const describeRows: readonly Operation[] = [
  operation({
    name: 'sts-metadata.show',
    method: 'GET',
    path: '/admin-api/sts-metadata',
    scope: 'admin:read',
    summary: 'show every route with its purpose, its specification and how much of it is there, held against the router as it is mounted',
    input: z.strictObject({}),
    output: metadataShape,
    audit: 'metadata read',
    ...isDescribed,
    command: 'sts-metadata show',
    terminal: { examples: [{ line: 'atrium sts-metadata show --json' }] },
    run: async ({ deps }) => {
      const { metadata, service } = described(deps);
      const { routes, byHand, protocols, surfaces, specifications, ...drift } = metadata(deps);
      const { undocumentedPaths, stalePaths, unknownSpecIds, unknownProtocolGroups, unknownProtocolSpecIds, unclaimedGroups } = drift;
      const lists = { undocumentedPaths, stalePaths, unknownSpecIds, unknownProtocolGroups, unknownProtocolSpecIds, unclaimedGroups };
      return copy({
        version: service.version,
        agrees: Object.values(lists).every((list) => list.length === 0),
        ...lists,
        ...{ protocols, surfaces, byHand, routes, specifications },
      });
    },
  }),
  operation({
    name: 'crypto.show',
    method: 'GET',
    path: '/admin-api/crypto',
    scope: 'admin:read',
    summary: 'show what this server signs, verifies, encrypts and hashes with, per family of protocols; no key and no secret',
    input: z.strictObject({}),
    output: cryptoShape,
    audit: 'cryptography read',
    ...isDescribed,
    command: 'crypto show',
    terminal: { examples: [{ line: 'atrium crypto show' }] },
    run: async ({ deps }) => copy(described(deps).crypto(deps)),
  }),
  operation({
    name: 'status.show',
    method: 'GET',
    path: '/admin-api/status',
    scope: 'admin:read',
    summary: 'show the service, and which pages of the console exist',
    input: z.strictObject({}),
    output: z.strictObject({
      version: z.string(),
      started: z.string().describe('When this process began to serve.'),
      realm: z.string(),
      mode: z.enum(['product', 'development']),
      agrees: z.boolean().describe('Whether the service’s description of itself agrees with its router.'),
      listeners: z.array(z.strictObject({ name: z.string(), address: z.string() })).describe('What listens beside the web, and where.'),
      certificate: z
        .strictObject({
          serialNumber: z.string(),
          until: z.string(),
          daysLeft: z.number().int().describe('Whole days, negative when it is over.'),
          madeHere: z.boolean().describe('Made by this service, and renewed by it.'),
        })
        .optional()
        .describe('What HTTPS, LDAPS and StartTLS show now.'),
      pages: z.array(z.strictObject({ path: z.string(), purpose: z.string() })),
    }),
    audit: 'status read',
    ...isDescribed,
    command: 'status',
    terminal: { examples: [{ line: 'atrium status' }, { line: 'atrium status --json' }] },
    run: async ({ deps, realm }) => {
      const { metadata, service, certificate } = described(deps);
      const shown = certificate();
      const { routes, byHand, undocumentedPaths, stalePaths } = metadata(deps);
      const pages = routes.filter(({ path, isLink }) => isLink && (path === '/admin' || path.startsWith('/admin/')));
      return {
        version: service.version,
        started: new Date(service.startedMs).toISOString(),
        realm: realm.id,
        mode: realm.mode,
        agrees: undocumentedPaths.length === 0 && stalePaths.length === 0,
        listeners: byHand.flatMap(({ name, address }) => (address === undefined ? [] : { name, address })),
        ...(shown === undefined ? {} : { certificate: certificateShown(shown, deps.clock.nowMs()) }),
        pages: pages.map(({ path, purpose }) => ({ path, purpose })),
      };
    },
  }),
];

const dayMs = 24 * 60 * 60 * 1000;

function certificateShown({ serialNumber, untilMs, isOwn }: NonNullable<ReturnType<Description['certificate']>>, nowMs: number) {
  const daysLeft = Math.floor((untilMs - nowMs) / dayMs);
  return { serialNumber, until: new Date(untilMs).toISOString(), daysLeft, madeHere: isOwn };
}

function described({ description }: Call['deps']): Description {
  if (description === undefined) throw new Error('no description was handed over');
  return description;
}

/** What is shown is of the tables, which nobody may change. */
function copy<T>(given: unknown): T {
  return structuredClone(given) as T;
}
