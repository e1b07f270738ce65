import { z } from 'zod';
import { utf8 } from '#base';
import { attributesOf, equals } from '#client';
import { inFields } from './directory-fields.ts';
import { findOne, type Place } from './entries-found.ts';
import { entryLocation, madeAgain, nameIn, unchanged } from './entry-edit.ts';
import { madeShape } from './entry-shape.ts';
import { type Operation, operation } from './row.ts';

const place: Place = { below: 'ou=accessRules', isOne: equals('objectClass', 'stsAccessRule'), namedBy: ['cn'], word: 'rule of access' };
const text = z.string().min(1).max(8192);
const texts = z.array(text).max(1000);

/** Members of a rule by the attributes that hold them. */
const attributeOf = {
  order: 'stsRuleOrder',
  effect: 'stsRuleEffect',
  who: 'stsRuleWho',
  rights: 'stsRuleRight',
  target: 'stsRuleTarget',
  filter: 'stsRuleFilter',
  attributes: 'stsRuleAttribute',
  strength: 'stsRuleStrength',
  from: 'stsRuleFrom',
  description: 'description',
} as const;
const fields = {
  ...Object.fromEntries(Object.entries(attributeOf).map(([member, attribute]) => [attribute.toLowerCase(), member])),
  cn: 'name',
};

export const accessRights = ['auth', 'search', 'compare', 'read', 'write', 'add', 'delete', 'enumerate', 'manage'] as const;

const said = {
  order: z.int().min(0).max(999_999).describe('Its place: the smaller is asked first, and the first that fits decides.'),
  effect: z.enum(['allow', 'deny']).default('allow').describe('What it does where it fits.'),
  who: texts.min(1).describe('anyone, anonymous, authenticated, self, dn:…, subtree:…, member:…, nested:… or role:…'),
  rights: z.array(z.enum(accessRights)).min(1).describe('None implies another.'),
  target: texts.optional().describe('entry:…, one:…, children:… or subtree:… with a DN; without any the whole realm.'),
  filter: text.optional().describe('An LDAP filter (RFC 4515) that entries must fit; without one all do.'),
  attributes: texts.optional().describe('Names, *, +, @class, or !name for those that it is not about; without any all.'),
  strength: texts.optional().describe('How they came in: session, two-factors, all-factors, fresh:300, app-password …, joined by +.'),
  from: texts.optional().describe('Networks, this-machine, protected; without any from anywhere.'),
  description: z.string().max(1000).optional().describe('What it is for, for people.'),
};
type Said = { readonly [Member in keyof typeof attributeOf]?: string | number | readonly string[] | undefined };

const rule = z.string().min(1).max(4000).describe('Its name (cn), its entryUUID, or its DN.');
const inForce =
  'It counts with the next request, on connections that are open, too. A rule that denies somebody the right auth shuts them out; whoever may open the operators’ socket comes in always.';

const create = operation({
  name: 'access.create',
  method: 'POST',
  path: '/admin-api/access-rules',
  scope: 'admin:write',
  summary: 'add a rule of access to the realm',
  status: 201,
  location: entryLocation,
  input: z.strictObject({ name: z.string().min(1).max(200).describe('What it is called.'), ...said }),
  output: madeShape,
  audit: 'rule of access {name} added',
  console: { on: 'access-rules', title: 'Add a rule', verb: 'Add', danger: inForce },
  command: 'access add',
  terminal: {
    examples: [{ line: 'atrium access add phones --order 40 --who authenticated --rights read --attributes telephoneNumber --yes' }],
  },
  run: async (call, { name, ...given }) => {
    const dn = nameIn(call, place, 'cn', name);
    const above = `${place.below},${call.realm.suffix}`;
    const held = Object.fromEntries(rowsOf(given).filter(([, values]) => values.length > 0));
    await inFields(fields, async () => {
      if ((await call.actor.read(above, ['1.1'])) === undefined)
        await call.actor.add(above, attributesOf({ objectClass: 'organizationalUnit', ou: 'accessRules' }));
      await call.actor.add(dn, attributesOf({ objectClass: 'stsAccessRule', cn: name, ...held }));
    });
    return await madeAgain(call, dn, place);
  },
});

const change = operation({
  name: 'access.change',
  method: 'PUT',
  path: '/admin-api/access-rules/:rule',
  scope: 'admin:write',
  summary: 'change a rule of access: what is sent is all that it says from then on',
  editable: true,
  input: z.strictObject({ rule, ...said }),
  output: madeShape,
  audit: 'rule of access {rule} changed',
  console: { on: 'access-rules', title: 'Change the rule', verb: 'Save', danger: inForce },
  command: 'access change',
  terminal: {
    examples: [
      {
        line: 'atrium access add numbers --order 40 --who authenticated --rights read --attributes telephoneNumber --yes\natrium access change numbers --order 41 --who anyone --rights read --attributes telephoneNumber --yes',
      },
    ],
  },
  run: async (call, { rule: named, ...given }) => {
    const { dn } = await findOne(call, place, named, ['1.1'], 'rule');
    const changes = rowsOf(given).map(([description, values]) => ({
      operation: 'replace' as const,
      attribute: { description, values: values.map(utf8) },
    }));
    await inFields(fields, () => call.actor.modify(dn, changes, unchanged(call)));
    return await madeAgain(call, dn, place);
  },
});

const remove = operation({
  name: 'access.delete',
  method: 'DELETE',
  path: '/admin-api/access-rules/:rule',
  scope: 'admin:write',
  summary: 'delete a rule of access: the ones behind it decide in its place',
  editable: true,
  input: z.strictObject({ rule }),
  output: z.strictObject({ dn: z.string() }),
  audit: 'rule of access {rule} deleted',
  console: {
    on: 'access-rules',
    title: 'Delete the rule',
    verb: 'Delete',
    danger: 'What it allowed or denied is for the rules behind it to decide, with the next request. What nothing allows is refused.',
  },
  command: 'access remove',
  terminal: {
    examples: [
      {
        line: 'atrium access add lines --order 40 --who authenticated --rights read --attributes telephoneNumber --yes\natrium access remove lines --yes',
      },
    ],
  },
  run: async (call, { rule: named }) => {
    const { dn } = await findOne(call, place, named, ['1.1'], 'rule');
    await call.actor.delete(dn, unchanged(call));
    return { dn };
  },
});

export const accessRuleRows: readonly Operation[] = [create, change, remove];

/** Every attribute of a rule with its values: those without any are none of it. */
function rowsOf(given: Said): readonly (readonly [attribute: string, values: readonly string[]])[] {
  return (Object.keys(attributeOf) as (keyof typeof attributeOf)[]).map((member) => {
    const value = given[member];
    return [attributeOf[member], value === undefined ? [] : typeof value === 'object' ? value : [String(value)]] as const;
  });
}
