import { z } from 'zod';
import { type ClientEntry, ClientRefusal, equals, present } from '#client';
import { barOf, validityAttributes, validityOf } from '#holdings';
import { resultCodes } from '#ldap';
import type { WebRealm } from '#web';
import { keysOf } from './keys.ts';
import { type Call, type Operation, operation } from './row.ts';

const applicationsMax = 1000;
const realmsMax = 50;
const documents = ['rfc9700', 'oauth21', 'fapi'] as const;
const metadata = ['openid-configuration', 'oauth-authorization-server'] as const;

const serverShape = z.strictObject({
  issuer: z.string().describe('Its identifier (RFC 8414 §2).'),
  realm: z.string(),
  name: z.string().describe('The path component that names it; empty for the realm’s own.'),
  discovery: z.array(z.string()).describe('Where its metadata are, in every form.'),
  jwks: z.string(),
  conformance: z.array(z.strictObject({ document: z.enum(documents), address: z.string() })),
  algorithm: z.string().describe('By which it signs for applications that ask for no other.'),
  keys: z
    .array(z.strictObject({ kid: z.string(), algorithm: z.string(), state: z.string() }))
    .describe('Those of its realm that are published.'),
  applications: z
    .array(z.strictObject({ id: z.string(), name: z.string(), clientId: z.string(), disabled: z.boolean() }))
    .describe('Of a named one, those that name it; of the realm’s own, those that name none, which may use all of them.'),
});
type Server = z.input<typeof serverShape>;

const list = operation({
  name: 'authorization-servers.list',
  method: 'GET',
  path: '/admin-api/authorization-servers',
  scope: 'admin:read',
  summary:
    'list the authorization servers that there are: their addresses, keys, conformance documents, and the applications that use them',
  more: 'In the default realm those of the other realms, too. Any other path component names one as soon as somebody uses it; listed are those that applications name.',
  input: z.strictObject({}),
  output: z.strictObject({ servers: z.array(serverShape), complete: z.boolean().describe('False when there are more than are listed.') }),
  audit: 'authorization servers listed',
  command: 'authorization-server list',
  terminal: { list: { of: 'servers', columns: ['issuer'] }, examples: [{ line: 'atrium authorization-server list' }] },
  run: async (call) => {
    const { realms, complete } = await realmsOf(call);
    const found = await Promise.all(realms.map((realm) => serversIn(call, realm)));
    return { servers: found.flatMap(({ servers }) => servers), complete: complete && found.every((each) => each.complete) };
  },
});

export const authorizationServerRows: readonly Operation[] = [list];

/** The realm of the call, and in the default realm all others that its caller sees. */
async function realmsOf({ actor, realm, deps }: Call): Promise<{ readonly realms: readonly WebRealm[]; readonly complete: boolean }> {
  const { standing } = deps.realms;
  if (realm.id !== standing.id) return { realms: [realm], complete: true };
  const search = { base: `ou=realms,${standing.suffix}`, scope: 'one', filter: present('stsRealmId'), attributes: ['stsRealmId'] } as const;
  const { entries, complete } = await orNothing(() => actor.search({ ...search, sizeLimit: realmsMax }));
  const others = await Promise.all(entries.map((entry) => deps.realms.find(entry.one('stsRealmId') ?? '')));
  return {
    realms: [realm, ...others.filter((each) => each !== undefined && each.id !== standing.id && !each.removing)] as WebRealm[],
    complete,
  };
}

async function serversIn(call: Call, realm: WebRealm): Promise<{ readonly servers: readonly Server[]; readonly complete: boolean }> {
  const { actor, deps } = call;
  const attributes = ['cn', 'stsClientId', 'stsServer', 'entryUUID', ...validityAttributes];
  const search = {
    base: `ou=applications,${realm.suffix}`,
    scope: 'sub',
    filter: equals('objectClass', 'stsOAuthClient'),
    attributes,
  } as const;
  const { entries, complete } = await orNothing(() => actor.search({ ...search, sizeLimit: applicationsMax }));
  const keys = (await keysOf(actor, realm.suffix)).filter(({ state }) => state !== 'revoked');
  const names = [...new Set(entries.flatMap((entry) => entry.all('stsServer')))].sort();
  const algorithm = String(deps.settingsOf(realm.id)['oauth.algorithm']);
  const servers = ['', ...names].map((name): Server => {
    const those = entries.filter((entry) => (name === '' ? !entry.has('stsServer') : entry.all('stsServer').includes(name)));
    return {
      ...addressesOf(call.origin, realm, name),
      ...{ realm: realm.id, name, algorithm },
      keys: keys.map(({ kid, algorithm: by, state }) => ({ kid, algorithm: by, state })),
      applications: those.map((entry) => applicationOf(entry, deps.clock.nowMs())),
    };
  });
  return { servers, complete };
}

/** @see RFC 8414 §3.1: what is well known stands before the path of the issuer; OpenID Connect Discovery §4 has it behind */
function addressesOf(origin: string, { prefix }: WebRealm, name: string): Pick<Server, 'issuer' | 'discovery' | 'jwks' | 'conformance'> {
  const path = prefix + (name === '' ? '' : `/${name}`);
  const issuer = origin + path;
  const discovery = metadata.flatMap((each) => [`${issuer}/.well-known/${each}`, `${origin}/.well-known/${each}${path}`]);
  return {
    issuer,
    discovery: [...new Set(discovery)],
    jwks: `${issuer}/oauth2/jwks`,
    conformance: documents.map((document) => ({ document, address: `${issuer}/oauth2/${document}` })),
  };
}

function applicationOf(entry: ClientEntry, nowMs: number): Server['applications'][number] {
  const bar = barOf(
    validityOf((name) => entry.one(name)),
    nowMs,
  );
  const [id = '', name = entry.dn, clientId = ''] = ['entryUUID', 'cn', 'stsClientId'].map((each) => entry.one(each));
  return { id, name, clientId, disabled: bar !== undefined };
}

/** A realm may have lost the entry that they stand below. */
async function orNothing<T extends { readonly entries: readonly ClientEntry[]; readonly complete: boolean }>(find: () => Promise<T>) {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return { entries: [], complete: true };
    throw error;
  }
}
