import { z } from 'zod';
import { type ClientEntry, equals } from '#client';
import { barOf, validityAttributes, validityOf } from '#holdings';
import { findOne, type Place } from './entries-found.ts';
import { changeOne, deleteOne, madeAgain, nameIn } from './entry-edit.ts';
import {
  attributesOfEntry,
  attributesShape,
  entryAttributes,
  entryMembers,
  entryMembersOf,
  givenAttributes,
  madeShape,
  replacements,
} from './entry-shape.ts';
import { nextMember, pageIn, pageMembers } from './paging.ts';
import { type Operation, operation } from './row.ts';

export const applicationsPlace: Place = {
  below: 'ou=applications',
  isOne: equals('objectClass', 'stsApplication'),
  namedBy: ['stsClientId', 'cn'],
  word: 'application',
};
const shown = ['cn', 'description', 'stsApplicationUrl', 'stsClientId', ...validityAttributes, ...entryAttributes];
const applicationMember = z.string().min(1).max(1000).describe('The application: its client id, its name (cn), its entryUUID, or its DN.');
const texts = z.array(z.string().min(1).max(2000)).max(200);

const applicationShape = z.strictObject({
  ...entryMembers,
  name: z.string(),
  clientId: z.string().optional(),
  description: z.string().optional(),
  url: z.string().optional(),
  state: z.enum(['enabled', 'disabled', 'early', 'late']),
});

const list = operation({
  name: 'applications.list',
  method: 'GET',
  path: '/admin-api/applications',
  scope: 'admin:read',
  summary: 'list applications, with an LDAP filter or a word, page by page',
  input: z.strictObject({
    filter: z.string().max(4096).optional().describe('An LDAP filter (RFC 4515).'),
    q: z.string().min(1).max(200).optional().describe('A word of the name, the description or the client id.'),
    ...pageMembers,
  }),
  output: z.strictObject({ applications: z.array(applicationShape), ...nextMember }),
  audit: 'applications listed',
  command: 'application list',
  run: async (call, asked) => {
    const { entries, ...next } = await pageIn(call, applicationsPlace, asked, ['cn', 'description', 'stsClientId'], shown);
    const nowMs = call.deps.clock.nowMs();
    return { applications: entries.map((entry) => applicationOf(entry, nowMs)), ...next };
  },
});

const read = operation({
  name: 'applications.read',
  method: 'GET',
  path: '/admin-api/applications/:application',
  scope: 'admin:read',
  summary: 'read an application; its secret is known to nobody',
  input: z.strictObject({ application: applicationMember }),
  output: z.strictObject({ ...entryMembers, application: applicationShape, attributes: attributesShape }),
  audit: 'application {application} read',
  command: 'application show',
  run: async (call, { application }) => {
    const entry = await findOne(call, applicationsPlace, application, ['*', ...shown], 'application');
    const told = applicationOf(entry, call.deps.clock.nowMs());
    return { ...entryMembersOf(entry), application: told, attributes: attributesOfEntry(entry) };
  },
});

const create = operation({
  name: 'applications.create',
  method: 'POST',
  path: '/admin-api/applications',
  scope: 'admin:write',
  summary: 'add an application',
  status: 201,
  fields: {
    ...{ dn: 'name', cn: 'name', description: 'description', stsapplicationurl: 'url', stsclientid: 'clientId' },
    ...{ stsredirecturi: 'redirectUris', stsgranttype: 'grantTypes', ststokenendpointauthmethod: 'authMethod' },
    ...{ stsallowedscope: 'scopes', stsallowedresource: 'resources' },
  },
  input: z.strictObject({
    name: z.string().min(1).max(200).describe('For people (cn); no other application of the realm has it.'),
    description: z.string().min(1).max(2000).optional(),
    url: z.string().min(1).max(2000).optional().describe('Where people open it.'),
    clientId: z.string().min(1).max(200).optional().describe('For OAuth 2.0 and OpenID Connect; nothing else of the realm has it.'),
    redirectUris: texts.optional().describe('Where browsers may be sent back to.'),
    grantTypes: texts
      .optional()
      .describe('authorization_code, refresh_token, client_credentials, urn:ietf:params:oauth:grant-type:device_code.'),
    authMethod: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('client_secret_basic when absent; none for a client that can keep no secret.'),
    scopes: texts.optional().describe('That it may ask for.'),
    resources: texts.optional().describe('APIs that its tokens may be for: this one by its address, …/admin-api.'),
    attributes: attributesShape.optional().describe('What else the entry has; objectClass, too, with stsApplication among its values.'),
  }),
  output: madeShape,
  audit: 'application {name} added',
  console: { on: 'applications', title: 'Add an application', verb: 'Add' },
  command: 'application add',
  run: async (call, { name, description, url, clientId, redirectUris, grantTypes, authMethod, scopes, resources, attributes = {} }) => {
    const dn = nameIn(call, applicationsPlace, 'cn', name);
    const client = {
      stsClientId: optional(clientId),
      stsRedirectUri: redirectUris ?? [],
      stsGrantType: grantTypes ?? [],
      stsTokenEndpointAuthMethod: optional(authMethod),
      stsAllowedScope: scopes ?? [],
      stsAllowedResource: resources ?? [],
    };
    const isClient = Object.values(client).some((values) => values.length > 0);
    const own = {
      objectClass: ['stsApplication', ...(isClient ? ['stsOAuthClient'] : [])],
      cn: [name],
      description: optional(description),
      stsApplicationUrl: optional(url),
      ...client,
    };
    await call.actor.add(dn, givenAttributes({ ...own, ...attributes }));
    return await madeAgain(call, dn, applicationsPlace);
  },
});

const change = operation({
  name: 'applications.change',
  method: 'PATCH',
  path: '/admin-api/applications/:application',
  scope: 'admin:write',
  summary:
    'change attributes of an application, effective at its next request: each that is named is replaced, one without values is removed',
  editable: true,
  fields: {},
  input: z.strictObject({ application: applicationMember, attributes: attributesShape }),
  output: madeShape,
  audit: 'application {application} changed',
  console: { on: 'applications/application', title: 'Change', verb: 'Save' },
  command: 'application change',
  run: async (call, { application, attributes }) => {
    const dn = await changeOne(call, applicationsPlace, application, replacements(attributes), 'application');
    return await madeAgain(call, dn, applicationsPlace);
  },
});

const remove = operation({
  name: 'applications.delete',
  method: 'DELETE',
  path: '/admin-api/applications/:application',
  scope: 'admin:write',
  summary: 'delete an application: nobody signs in to it any more; it can be restored for as long as the realm keeps what is deleted',
  editable: true,
  input: z.strictObject({ application: applicationMember }),
  output: z.strictObject({ dn: z.string() }),
  audit: 'application {application} deleted',
  console: {
    on: 'applications/application',
    title: 'Delete',
    verb: 'Delete',
    danger: 'Nobody signs in to {application} any more, and it gets no tokens.',
  },
  command: 'application remove',
  run: async (call, { application }) => ({ dn: await deleteOne(call, applicationsPlace, application, 'application') }),
});

const makeSecret = operation({
  name: 'applications.make-secret',
  method: 'POST',
  path: '/admin-api/applications/make-secret',
  scope: 'admin:write',
  summary: 'have a secret made for an application, in place of the one it has; it is told once',
  once: true,
  input: z.strictObject({ application: applicationMember }),
  output: z.strictObject({ dn: z.string(), secret: z.string().describe('Nobody can be told it again.') }),
  audit: 'a secret made for application {application}',
  console: {
    on: 'applications/application',
    title: 'Make a secret',
    verb: 'Make',
    danger: 'The secret that {application} has is worth nothing from then on.',
  },
  command: 'application secret',
  run: async (call, { application }) => {
    const { dn } = await findOne(call, applicationsPlace, application, ['1.1'], 'application');
    return { dn, secret: await call.actor.generatePassword(dn) };
  },
});

export const applicationRows: readonly Operation[] = [list, create, makeSecret, read, change, remove];

function optional(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

function applicationOf(entry: ClientEntry, nowMs: number): z.input<typeof applicationShape> {
  const [clientId, description, url] = ['stsClientId', 'description', 'stsApplicationUrl'].map((name) => entry.one(name));
  const bar = barOf(
    validityOf((attribute) => entry.one(attribute)),
    nowMs,
  );
  return {
    ...entryMembersOf(entry),
    name: entry.one('cn') ?? '',
    ...(clientId === undefined ? {} : { clientId }),
    ...(description === undefined ? {} : { description }),
    ...(url === undefined ? {} : { url }),
    state: bar ?? 'enabled',
  };
}
