import { z } from 'zod';
import { present } from '#client';
import { hiddenNames } from '#schema';
import { ldapNames } from './ldap-names.ts';
import { nextMember, pageMembers, pageOf } from './paging.ts';
import type { Call, Operation } from './row.ts';
import { operation } from './row.ts';

const words = z.array(z.string());
const named = z.array(
  z.strictObject({
    oid: z.string(),
    name: z.string().optional().describe('What it stands for.'),
    source: z.string().optional().describe('The document that says what it does.'),
  }),
);
const entryShape = z.strictObject({
  dn: z.string(),
  attributes: z.record(z.string(), words).describe('Values that are no text are base64, behind `base64:`.'),
});

export const ldapRows: readonly Operation[] = [
  operation({
    name: 'ldap.service',
    method: 'GET',
    path: '/admin-api/ldap/service',
    scope: 'admin:read',
    summary: 'show what the LDAP service offers: listeners, suffixes, controls, extended operations, SASL mechanisms',
    input: z.strictObject({}),
    output: z.strictObject({
      listeners: z.array(z.strictObject({ name: z.string(), address: z.string().optional(), purpose: z.string() })),
      namingContexts: words,
      vendor: z.string(),
      protocolVersions: words,
      controls: named.describe('For connections like that of this service’s own pages.'),
      extensions: named,
      features: named,
      saslMechanisms: words,
      subschema: z.string(),
      hidden: words.describe(
        'Attributes that the schema marks as secret or sealed, by all their names in lower case: nobody reads their values.',
      ),
    }),
    audit: 'LDAP service read',
    command: 'ldap service',
    terminal: { examples: [{ line: 'atrium ldap service' }] },
    run: async ({ actor, deps }) => {
      const root = await actor.read('', ['*', '+']);
      const subschema = root?.one('subschemaSubentry') ?? '';
      const types = (await actor.read(subschema, ['attributeTypes']))?.all('attributeTypes') ?? [];
      const all = (name: string) => [...(root?.all(name) ?? [])].sort();
      const listeners = deps.description?.metadata(deps).byHand.filter(({ protocol }) => protocol === 'ldap') ?? [];
      return {
        listeners: listeners.map(({ name, address, purpose }) => ({ name, ...(address === undefined ? {} : { address }), purpose })),
        namingContexts: all('namingContexts'),
        vendor: [root?.one('vendorName'), root?.one('vendorVersion')].filter((each) => each !== undefined).join(' '),
        protocolVersions: all('supportedLDAPVersion'),
        controls: all('supportedControl').map(withName),
        extensions: all('supportedExtension').map(withName),
        features: all('supportedFeatures').map(withName),
        saslMechanisms: all('supportedSASLMechanisms'),
        subschema,
        hidden: [...hiddenNames(types)].sort(),
      };
    },
  }),
  dump(
    'ldap.directory',
    '/admin-api/ldap/directory',
    'show entries of the realm as the directory shows them to the caller, page by page',
    '',
  ),
  dump(
    'ldap.applications',
    '/admin-api/ldap/applications',
    'show entries of applications as the directory shows them to the caller',
    'ou=applications',
  ),
];

function withName(oid: string): z.input<typeof named>[number] {
  const [name, source] = ldapNames[oid] ?? [];
  return { oid, ...(name === undefined ? {} : { name }), ...(source === undefined ? {} : { source }) };
}

/** What is written is what LDAP shows: secrets are never read through it, by whomever. */
function dump(name: string, path: `/admin-api/${string}`, summary: string, below: string): Operation {
  return operation({
    name,
    method: 'GET',
    path,
    scope: 'admin:read',
    summary,
    input: z.strictObject(pageMembers),
    output: z.strictObject({ base: z.string(), entries: z.array(entryShape), ...nextMember }),
    audit: 'directory read',
    command: `ldap ${name.slice('ldap.'.length)}`,
    terminal: { list: { of: 'entries', columns: ['dn'] }, examples: [{ line: `atrium ldap ${name.slice('ldap.'.length)} --limit 10` }] },
    run: async (call, page) => {
      const base = below === '' ? call.realm.suffix : `${below},${call.realm.suffix}`;
      const { entries, ...next } = await pageOf(call, { base, scope: 'sub', filter: present('objectClass'), attributes: ['*', '+'] }, page);
      return { base, entries: entries.map(shown), ...next };
    },
  });
}

type Entry = Awaited<ReturnType<Call['actor']['page']>>['entries'][number];

function shown({ dn, attributes }: Entry): z.input<typeof entryShape> {
  return { dn, attributes: Object.fromEntries(attributes.map(({ description, values }) => [description, values.map(textOf)])) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(value: Uint8Array): string {
  try {
    const text = utf8.decode(value);
    return /[\p{Cc}]/u.test(text.replace(/[\n\r\t]/g, '')) ? base64(value) : text;
  } catch {
    return base64(value);
  }
}

function base64(value: Uint8Array): string {
  return `base64:${Buffer.from(value).toString('base64')}`;
}
