import { utf8 } from '#base';
import { type Filter, parseFilter, type Request, type SearchRequest } from '#ldap';
import type { Random } from '../test/support/people.ts';
import { bindRequest } from './connection.ts';

/** What may be known of the people that both servers hold. */
export interface World {
  /** The entry that all people stand directly below. */
  readonly base: string;
  readonly count: number;
  /** Everybody's. */
  readonly password: string;
  /** Numbers of primary groups, each of `groupSize` people, or the last of fewer. */
  readonly gids: readonly number[];
  /** Some people, drawn uniformly. */
  readonly sample: readonly Sampled[];
  /** Names of the largest group and of some groups of ten. */
  readonly groups: { readonly large: string; readonly small: readonly string[] };
}

export interface Sampled {
  readonly cn: string;
  readonly mail: string;
  readonly roomNumber: string;
}

/** What a connection asks for, again and again. */
export type Asking =
  | { readonly kind: 'equality'; readonly attributes: readonly string[] }
  | { readonly kind: 'group' }
  | { readonly kind: 'substring' }
  | { readonly kind: 'initial' }
  | { readonly kind: 'unindexed' }
  | { readonly kind: 'modify'; readonly attribute: 'mobile' | 'cn' }
  | { readonly kind: 'add' }
  /** In turn a member more and the same member less. Only one connection may ask for it. */
  | { readonly kind: 'member'; readonly of: 'large' | 'small' }
  /** As `group`, from someone who reads slowly what comes. */
  | { readonly kind: 'slowly' }
  | { readonly kind: 'bind' };

/** What a request is made from: equal chance and numbers make equal requests. */
export interface Drawing {
  readonly world: World;
  readonly random: Random;
  /** A number that was not given out before, for names of new entries. */
  readonly unused: () => number;
}

/** Attributes that a person's client usually shows of someone else. */
export const selected = ['cn', 'mail', 'telephoneNumber'] as const;

/** Attributes that rows write: once they have, the two servers hold different values, since the quicker one wrote more often. */
export function writtenBy(asking: Asking): string | undefined {
  if (asking.kind === 'member') return 'member';
  return asking.kind === 'modify' ? asking.attribute : undefined;
}

export function nameOf(number: number, base: string): string {
  return `uid=${uidOf(number)},${base}`;
}

export function uidOf(number: number): string {
  return `u${String(number).padStart(7, '0')}`;
}

/** Draws the next request. People are drawn uniformly from all there are. */
export function draw(asking: Asking, { world, random, unused }: Drawing): Request {
  const { base, count, password } = world;
  const someone = () => random.below(count);
  switch (asking.kind) {
    case 'equality':
      return search(base, { kind: 'equality', description: 'uid', value: utf8(uidOf(someone())) }, asking.attributes);
    case 'group':
    case 'slowly':
      return search(base, { kind: 'equality', description: 'gidNumber', value: utf8(String(random.pick(world.gids))) });
    case 'substring':
      return search(base, filter(`(mail=*${middleOf(random.pick(world.sample).mail)}*)`));
    case 'initial':
      return search(base, filter(`(mail=${beginningOf(random.pick(world.sample).mail)}*)`));
    case 'unindexed':
      return search(base, filter(`(roomNumber=${random.pick(world.sample).roomNumber})`));
    case 'modify':
      return replace(nameOf(someone(), base), asking.attribute, newValue(asking.attribute, world, random));
    case 'add':
      return addition(unused(), world, random);
    case 'member':
      return membership(unused(), asking.of === 'large' ? [world.groups.large] : world.groups.small, base);
    case 'bind':
      return bindRequest(nameOf(someone(), base), password);
  }
}

/** A search below the base for one filter; without attributes, for all that are not operational. */
export function search(baseObject: string, wanted: Filter, attributes: readonly string[] = []): SearchRequest {
  return {
    kind: 'searchRequest',
    baseObject,
    scope: 'sub',
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter: wanted,
    attributes,
  };
}

/** The end of the local part and a little of the domain, so that few have it: "ny.jones42@ex". */
function middleOf(mail: string): string {
  const at = mail.indexOf('@');
  return mail.slice(Math.max(1, at - 9), at + 3);
}

/** The local part but for its last character. */
function beginningOf(mail: string): string {
  return mail.slice(0, mail.indexOf('@') - 1);
}

function filter(text: string): Filter {
  const parsed = parseFilter(text, { depthMax: 10 });
  if (parsed.kind === 'bad') throw new Error(`${text} is no filter: ${parsed.why}`);
  return parsed.filter;
}

function replace(object: string, description: string, value: string): Request {
  return {
    kind: 'modifyRequest',
    object,
    changes: [{ operation: 'replace', attribute: { description, values: [utf8(value)] } }],
  };
}

/** Even numbers add a member that nobody has, odd ones take it away again, so that groups stay as large as they are. */
function membership(number: number, groups: readonly string[], base: string): Request {
  const turn = Math.floor(number / 2);
  return {
    kind: 'modifyRequest',
    object: groups[turn % groups.length] ?? '',
    changes: [
      {
        operation: number % 2 === 0 ? 'add' : 'delete',
        attribute: { description: 'member', values: [utf8(`uid=m${turn},${base}`)] },
      },
    ],
  };
}

function newValue(attribute: 'mobile' | 'cn', { sample }: World, random: Random): string {
  const number = random.below(10_000_000);
  return attribute === 'mobile' ? `+49 171 ${String(number).padStart(7, '0')}` : `${random.pick(sample).cn} ${number}`;
}

function addition(number: number, { base, sample, gids }: World, random: Random): Request {
  const uid = `n${number}`;
  const { cn } = random.pick(sample);
  const given: readonly (readonly [string, ...string[]])[] = [
    ['objectClass', 'top', 'person', 'organizationalPerson', 'inetOrgPerson', 'posixAccount'],
    ['uid', uid],
    ['cn', cn],
    ['sn', cn.slice(cn.lastIndexOf(' ') + 1)],
    ['givenName', cn.slice(0, Math.max(1, cn.indexOf(' ')))],
    ['displayName', cn],
    ['mail', `${uid}@new.example.com`],
    ['telephoneNumber', `+49 30 ${number}`],
    ['uidNumber', String(100_000_000 + number)],
    // Of a group of their own, so that searches for the others still return as many.
    ['gidNumber', String((gids.at(-1) ?? 0) + 1)],
    ['homeDirectory', `/home/${uid}`],
  ];
  return {
    kind: 'addRequest',
    entry: `uid=${uid},${base}`,
    attributes: given.map(([description, ...values]) => ({ description, values: values.map(utf8) })),
  };
}
