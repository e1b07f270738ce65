import { z } from 'zod';
import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { attributesOf, type ClientEntry, equals } from '#client';
import { errors } from '../errors.ts';
import { inFields } from './directory-fields.ts';
import { tagOf, unchanged } from './entry-edit.ts';
import { nextMember, pageMembers, pageOf } from './paging.ts';
import { type Call, operation } from './row.ts';
import { Unfit } from './unfit.ts';

const id = z
  .string()
  .regex(/^[a-z0-9-]{1,31}$/, 'lower-case letters, digits and hyphens, at most 31')
  .describe('The realm’s id, for good: its pages are below /realm/<id>.');
const name = z.string().min(1).max(200).describe('What its pages are headed with.');
const mode = z.enum(['product', 'development']);

const realmShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  suffix: z.string().describe('Under which its entries stand.'),
  domain: z.string().optional(),
  mode,
  modeFrom: z.enum(['own', 'default realm']),
  state: z.string().describe('`active`, or how far its removal is: removing, delivered, deleting.'),
  owed: z.number().optional().describe('Of a realm that is being removed: what is still to be handed over.'),
  removingSince: z.string().optional(),
  etag: z.string().optional().describe('For If-Match; the default realm has none, since nothing of it is changed here.'),
});

const attributes = [
  ...[
    'entryCSN',
    'stsRealmId',
    'associatedDomain',
    'displayName',
    'stsRealmMode',
    'stsRealmState',
    'stsRealmOwed',
    'stsRealmRemovingSince',
  ],
];
const fields = { stsrealmid: 'id', associateddomain: 'domain', stsrealmmode: 'mode', displayname: 'name', stssetting: 'settings' };

export const realmsList = operation({
  name: 'realms.list',
  method: 'GET',
  path: '/admin-api/realms',
  scope: 'admin:read',
  summary: 'list realms; in a realm, that one',
  input: z.strictObject(pageMembers),
  output: z.strictObject({ realms: z.array(realmShape), ...nextMember }),
  audit: 'realms listed',
  command: 'realm list',
  run: async (call, page) => {
    const { realm, deps } = call;
    const { standing } = deps.realms;
    if (realm.id !== standing.id) return { realms: [ofWeb(call)] };
    const search = {
      base: `ou=realms,${standing.suffix}`,
      scope: 'children',
      filter: equals('objectClass', 'stsRealmEntry'),
      attributes,
    } as const;
    const { entries, ...next } = await pageOf(call, search, page);
    const first = page.after === undefined ? [ofWeb(call)] : [];
    return { realms: [...first, ...(await Promise.all(entries.map((entry) => ofEntry(call, entry))))], ...next };
  },
});

export const realmsCreate = operation({
  name: 'realms.create',
  method: 'POST',
  path: '/admin-api/realms',
  scope: 'admin:write',
  summary: 'make a realm: people, groups, policies and rules of its own below a suffix of its own',
  more: 'Its administrator has no password to begin with: `atrium realm invite` or a link makes one.',
  input: z.strictObject({
    id,
    name: name.optional(),
    domain: z.string().max(253).optional().describe('A DNS name of at least two labels, for good; without one the suffix is o=<id>.'),
    mode: mode.optional().describe('The service’s, without one.'),
    settings: z.record(z.string().max(100), z.string().max(4096)).optional().describe('Settings of its own, by name.'),
  }),
  output: z.strictObject({ realm: realmShape, administrator: z.string() }),
  status: 201,
  audit: 'realm {id} made',
  console: { on: 'realms', title: 'New realm', verb: 'Create' },
  command: 'realm create',
  run: async (call, given) => {
    const registry = registryOf(call);
    const own = Object.entries(given.settings ?? {}).map(([each, value]) => `${each}=${value}`);
    const entry = attributesOf({
      ...{ objectClass: 'stsRealmEntry', cn: given.id, stsRealmId: given.id },
      ...(given.domain === undefined ? {} : { associatedDomain: given.domain }),
      ...(given.name === undefined ? {} : { displayName: given.name }),
      ...(given.mode === undefined ? {} : { stsRealmMode: given.mode }),
      ...(own.length === 0 ? {} : { stsSetting: own }),
    });
    await inFields(fields, () => call.actor.add(`cn=${given.id},${registry}`, entry));
    const made = await shownNow(call, given.id);
    return { realm: made, administrator: `uid=${administratorUid(call)},ou=people,${made.suffix}` };
  },
});

export const realmsChange = operation({
  name: 'realms.change',
  method: 'PATCH',
  path: '/admin-api/realms/:id',
  scope: 'admin:write',
  editable: true,
  summary: 'change what a realm is called and its mode; settings are changed by config.set',
  input: z.strictObject({
    id,
    name: name.nullable().optional().describe('null: called by its domain or id.'),
    mode: mode.nullable().optional().describe('null: the service’s.'),
  }),
  output: z.strictObject({ realm: realmShape }),
  audit: 'realm {id} changed',
  console: { on: 'realms/realm', title: 'Change the realm', verb: 'Save' },
  command: 'realm change',
  terminal: {
    examples: [
      { line: "atrium realm create acme\natrium realm change acme --name 'Acme GmbH' --mode product" },
      { line: 'atrium realm create emca\natrium realm change emca --no-name --no-mode' },
    ],
  },
  run: async (call, given) => {
    const dn = `cn=${given.id},${registryOf(call)}`;
    const changes = (
      [
        ['displayName', given.name],
        ['stsRealmMode', given.mode],
      ] as const
    ).flatMap(([description, value]) =>
      value === undefined
        ? []
        : [{ operation: 'replace' as const, attribute: { description, values: value === null ? [] : [utf8(value)] } }],
    );
    if (changes.length > 0) await inFields(fields, () => call.actor.modify(dn, changes, unchanged(call)));
    return { realm: await shownNow(call, given.id) };
  },
});

export const realmsRemove = operation({
  name: 'realms.remove',
  method: 'DELETE',
  path: '/admin-api/realms/:id',
  scope: 'admin:write',
  editable: true,
  summary: 'remove a realm with all that is in it',
  more: 'It begins with the answer: nobody signs in any more, sessions end, what the realm owes to others is handed over, and then all of its entries are deleted. realms.list says how far it is.',
  input: z.strictObject({ id }),
  output: z.strictObject({ realm: realmShape }),
  audit: 'realm {id} removed',
  console: {
    on: 'realms/realm',
    title: 'Remove the realm',
    verb: 'Remove',
    danger:
      'Everybody in {id} is signed out, and all of its people, groups, applications and policies are deleted. It cannot be taken back.',
  },
  command: 'realm remove',
  run: async (call, given) => {
    const change = [{ operation: 'replace', attribute: { description: 'stsRealmState', values: [utf8('removing')] } }] as const;
    await call.actor.modify(`cn=${given.id},${registryOf(call)}`, change, unchanged(call));
    return { realm: await shownNow(call, given.id) };
  },
});

/** Below it stand the entries of realms. @throws Unfit in any realm but the default one: no realm makes or removes others */
function registryOf({ realm, deps }: Call): string {
  const { standing } = deps.realms;
  if (realm.id !== standing.id) throw new Unfit({ field: 'id', message: 'realms are made, changed and removed in the default realm' });
  return `ou=realms,${standing.suffix}`;
}

async function shownNow(call: Call, named: string): Promise<z.input<typeof realmShape>> {
  const entry = await call.actor.read(`cn=${named},${registryOf(call)}`, attributes);
  if (entry === undefined) throw refuse(errors.absent, { what: 'realm', field: 'id' });
  return await ofEntry(call, entry);
}

async function ofEntry({ deps }: Call, entry: ClientEntry): Promise<z.input<typeof realmShape>> {
  const named = entry.one('stsRealmId') ?? '';
  const found = await deps.realms.find(named);
  const domain = entry.one('associatedDomain');
  const owed = entry.one('stsRealmOwed');
  const since = entry.one('stsRealmRemovingSince');
  const own = entry.one('stsRealmMode');
  return {
    id: named,
    name: entry.one('displayName') ?? domain ?? named,
    suffix: found?.suffix ?? '',
    ...(domain === undefined ? {} : { domain }),
    mode: found?.mode ?? deps.realms.standing.mode,
    modeFrom: own === undefined ? 'default realm' : 'own',
    state: entry.one('stsRealmState') ?? 'active',
    ...(owed === undefined ? {} : { owed: Number(owed) }),
    ...(since === undefined ? {} : { removingSince: since }),
    etag: tagOf(entry),
  };
}

/** The realm of the call, as its pages know it. */
function ofWeb({ realm }: Call): z.input<typeof realmShape> {
  const { id: named, name: called, suffix, mode: in_, removing } = realm;
  return { id: named, name: called, suffix, mode: in_, modeFrom: 'own', state: removing ? 'removing' : 'active' };
}

function administratorUid({ deps }: Call): string {
  const uid = deps.configuration?.inForce('admin.bootstrapUsername');
  return typeof uid === 'string' ? uid : 'admin';
}
