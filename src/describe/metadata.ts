import type { RouteRow } from '#catalogue';
import { type Card, protocols as standingProtocols, surfaces as standingSurfaces } from './cards.ts';
import { type Specification, specIdsIn, specifications } from './specs.ts';

/** A route as the router has it. */
export interface MountedRoute {
  readonly method: string;
  readonly path: string;
}

/** Something that serves and that no router knows. */
export interface ByHand {
  /** Of the protocol's card. */
  readonly protocol: string;
  readonly name: string;
  /** `ldap://localhost:389`; absent where it is switched off. */
  readonly address?: string;
  readonly purpose: string;
  readonly source: string;
}

/** What is described, and by what it is held to agree. */
export interface Described {
  /** From the router, as it is at this moment. */
  readonly mounted: readonly MountedRoute[];
  /** The tables of routes by group. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, RouteRow>>>>;
  readonly byHand: readonly ByHand[];
  readonly specs?: Readonly<Record<string, Specification>>;
  readonly protocols?: readonly Card[];
  readonly surfaces?: readonly Card[];
}

export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly group: string;
  readonly purpose: string;
  readonly source: string;
  readonly specs: readonly string[];
  readonly coverage: string;
  /** True of a path that a GET opens as it stands. */
  readonly isLink: boolean;
  /** Why it is no link. */
  readonly noLink?: 'POST only' | 'not a GET' | 'takes a parameter' | 'wildcard';
}

/** A family of protocols, or of pages. */
interface DescribedCard {
  readonly id: string;
  readonly title: string;
  readonly means: string;
  readonly built: boolean;
  readonly groups: readonly string[];
  readonly specs: readonly string[];
  readonly routes: number;
}

/** @see specification document 2: all six arrays empty means that the description agrees with the router */
export interface Metadata {
  readonly routes: readonly DescribedRoute[];
  readonly byHand: readonly ByHand[];
  readonly protocols: readonly DescribedCard[];
  readonly surfaces: readonly DescribedCard[];
  readonly specifications: readonly ({ readonly id: string } & Specification)[];
  /** Mounted, and in no table. */
  readonly undocumentedPaths: readonly string[];
  /** In a table, and not mounted. */
  readonly stalePaths: readonly string[];
  /** Named by a route, and in no list of specifications. */
  readonly unknownSpecIds: readonly string[];
  /** Named by a card, and the name of no table. */
  readonly unknownProtocolGroups: readonly string[];
  /** Named by a card, and in no list of specifications. */
  readonly unknownProtocolSpecIds: readonly string[];
  /** A table that no card names. */
  readonly unclaimedGroups: readonly string[];
}

const undocumented = 'UNDOCUMENTED';

/** Describes the routes and says where the description and the router differ. */
export function describeRoutes(described: Described): Metadata {
  const { mounted, tables, byHand, specs = specifications, protocols = standingProtocols, surfaces = standingSurfaces } = described;
  const rows = Object.entries(tables).flatMap(([group, table]) => Object.values(table).map((row) => ({ group, row })));
  const documented = new Map(rows.map(({ group, row }) => [nameOf(row), { group, row }]));
  const there = new Map(mounted.filter((route) => !isPreflight(route, documented)).map((route) => [nameOf(route), route]));
  const cards = [...protocols, ...surfaces];
  const sources = [...rows.map(({ row }) => row.source), ...byHand.map(({ source }) => source)];
  const claimed = new Set(cards.flatMap(({ groups }) => groups));
  return {
    routes: [...there.values()].map((route) => routeOf(route, documented.get(nameOf(route)))).sort(byPath),
    byHand,
    protocols: protocols.map((card) => cardOf(card, rows, byHand)),
    surfaces: surfaces.map((card) => cardOf(card, rows, byHand)),
    specifications: Object.entries(specs).map(([id, each]) => ({ id, ...each })),
    undocumentedPaths: sorted([...there.keys()].filter((name) => !documented.has(name))),
    stalePaths: sorted([...documented.keys()].filter((name) => !there.has(name))),
    unknownSpecIds: sorted(sources.flatMap(specIdsIn).filter((id) => !Object.hasOwn(specs, id))),
    unknownProtocolGroups: sorted([...claimed].filter((group) => !Object.hasOwn(tables, group))),
    unknownProtocolSpecIds: sorted(cards.flatMap((card) => card.specs).filter((id) => !Object.hasOwn(specs, id))),
    unclaimedGroups: sorted(Object.keys(tables).filter((group) => !claimed.has(group))),
  };
}

function nameOf({ method, path }: MountedRoute): string {
  return `${method} ${path}`;
}

/** A route that browsers of other origins may call answers their question for it (CORS), without a row of its own. */
function isPreflight({ method, path }: MountedRoute, documented: ReadonlyMap<string, { readonly row: RouteRow }>): boolean {
  if (method !== 'OPTIONS') return false;
  return [...documented.values()].some(({ row }) => row.path === path && row.cors !== undefined);
}

function routeOf(route: MountedRoute, known: { readonly group: string; readonly row: RouteRow } | undefined): DescribedRoute {
  const noLink = whyNoLink(route);
  const link = { isLink: noLink === undefined, ...(noLink === undefined ? {} : { noLink }) };
  if (known === undefined)
    return {
      method: route.method,
      path: route.path,
      group: '',
      purpose: undocumented,
      source: '',
      specs: [],
      coverage: undocumented,
      ...link,
    };
  const { purpose, source, coverage } = known.row;
  return { method: route.method, path: route.path, group: known.group, purpose, source, specs: specIdsIn(source), coverage, ...link };
}

/** @see specification document 2: a path is shown as a link only where a GET is meaningful */
function whyNoLink({ method, path }: MountedRoute): DescribedRoute['noLink'] {
  if (method === 'POST') return 'POST only';
  if (method !== 'GET') return 'not a GET';
  if (path.includes('*')) return 'wildcard';
  return path.includes(':') ? 'takes a parameter' : undefined;
}

function cardOf(card: Card, rows: readonly { readonly group: string }[], byHand: readonly ByHand[]): DescribedCard {
  const { id, title, means, groups, specs } = card;
  const routes = rows.filter(({ group }) => groups.includes(group)).length;
  const listens = byHand.some(({ protocol, address }) => protocol === id && address !== undefined);
  return { id, title, means, built: routes > 0 || listens, groups, specs, routes };
}

function byPath(one: MountedRoute, other: MountedRoute): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : one.method < other.method ? -1 : 1;
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
