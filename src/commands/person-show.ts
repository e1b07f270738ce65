import { type ClientEntry, equals, type OperatorsClient } from '#client';
import { validityAttributes, validityOf } from '#holdings';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { entryJson, shown } from './entries.ts';
import type { Given } from './given.ts';
import { groups, isOf, need, people } from './lookup.ts';
import { shownValidity, stateOf } from './person-validity.ts';
import { pageOf, printable } from './table.ts';

/** What is told in words, and not again as it stands in the entry. */
const told = new Set(['objectclass', 'memberof', ...validityAttributes.map((name) => name.toLowerCase()), 'stscredentialid']);
/** Of the operational attributes these are for people. */
const operational = ['entryUUID', 'createTimestamp', 'modifyTimestamp', 'creatorsName', 'modifiersName'];
/** More groups are counted and not named. */
const groupsMax = 10_000;

export async function showPerson(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const attributes = ['*', 'memberOf', ...validityAttributes, ...operational];
    const person = await need(client, suffix, people, given.need('PERSON'), attributes);
    const memberships = await membershipsOf(client, suffix, person);
    context.stdout.write(given.flag('json') ? json(person, memberships) : words(person, memberships, context.clock.nowMs()));
    return 0;
  });
}

/** The DNs of the groups of an entry. */
export interface Memberships {
  readonly direct: readonly string[];
  /** Through other groups. */
  readonly nested: readonly string[];
}

export async function membershipsOf(client: OperatorsClient, suffix: string, entry: ClientEntry): Promise<Memberships> {
  const filter = {
    kind: 'and',
    filters: [isOf(groups), { kind: 'or', filters: [equals('member', entry.dn), equals('uniqueMember', entry.dn)] }],
  } as const;
  const { entries } = await client.actor.search({ base: suffix, scope: 'sub', filter, attributes: ['1.1'], sizeLimit: groupsMax });
  const direct = entries.map(({ dn }) => dn);
  const known = new Set(direct.map((dn) => dn.toLowerCase()));
  return { direct, nested: entry.all('memberOf').filter((dn) => !known.has(dn.toLowerCase())) };
}

function json(person: ClientEntry, memberships: Memberships): string {
  const { dn, attributes } = entryJson(person);
  const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => name === 'objectClass' || !told.has(name.toLowerCase())));
  const { disabled, from, until } = shownValidity(validityOf((name) => person.one(name)));
  return `${JSON.stringify({ dn, disabled, validFrom: from, validUntil: until, groups: memberships, factors: factorsOf(person), attributes: own })}\n`;
}

/** What an operator can see of second factors; what is sealed is not told. */
function factorsOf(person: ClientEntry) {
  return { securityKeys: person.octets('stsCredentialId').length, required: person.one('stsMfaRequired') === 'TRUE' };
}

function words(person: ClientEntry, { direct, nested }: Memberships, nowMs: number): string {
  const { securityKeys, required } = factorsOf(person);
  const isOperational = (name: string) => operational.some((each) => each.toLowerCase() === name.toLowerCase());
  const rows = person.attributes
    .filter(({ description }) => !told.has(description.toLowerCase()) && !isOperational(description))
    .flatMap(({ description, values }) => values.map((value, at) => [at === 0 ? description : '', shown(value)] as const));
  const stamps = operational.flatMap((name) => (person.has(name) ? [[name, readable(person.one(name) ?? '')] as const] : []));
  const factors = [
    ...(securityKeys > 0 ? [`${securityKeys} security ${securityKeys === 1 ? 'key' : 'keys'}`] : []),
    ...(required ? ['a second factor is required'] : []),
  ];
  const state = stateOf(
    validityOf((name) => person.one(name)),
    nowMs,
  );
  const listed = (label: string, names: readonly string[]) => names.map((name, at) => [at === 0 ? label : '', name] as const);
  return [
    printable(person.dn),
    '',
    pageOf([['account', state], ...(factors.length > 0 ? [['factors', factors.join(', ')] as const] : []), ...rows]),
    ...(direct.length + nested.length === 0 ? [] : [pageOf([...listed('groups', direct), ...listed('through them', nested)])]),
    pageOf(stamps),
  ].join('\n');
}

/** A moment (GeneralizedTime, RFC 4517 §3.3.13) as people read it; anything else as it is. */
function readable(value: string): string {
  return value.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/, '$1-$2-$3 $4:$5:$6 UTC');
}
