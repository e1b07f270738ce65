import type { RouteRow } from '#catalogue';
import type { Handler, WebRoute } from '#web';
import type { OperationDeps } from '../operations/deps.ts';
import type { Operation } from '../operations/row.ts';
import { createActHandlers } from './acts.ts';
import { applications, createApplicationHandler } from './applications.ts';
import { createDirectoryHandlers } from './directory.ts';
import { createEmergencyHandlers } from './emergency.ts';
import { createEditorHandlers } from './entry-editor.ts';
import { createExplorerHandlers } from './explorer.ts';
import type { GateDeps } from './gate.ts';
import { createGroupHandler, groups } from './groups.ts';
import { createHomeHandler } from './home.ts';
import { createLdifHandler } from './ldif.ts';
import { createListHandler } from './listing.ts';
import { people } from './people.ts';
import { createPersonHandler } from './person.ts';
import { placesOf, shownPages } from './places.ts';
import { createPoliciesHandler } from './policies.ts';
import { routes } from './routes.ts';
import { createRulesHandler } from './rules.ts';
import { type ConsoleDeps, offeredOf } from './run.ts';
import { createServersHandler } from './servers.ts';
import { createShownHandler } from './shown.ts';

/** Routes of the console: its own pages, and one for each operation that a page shows. */
export function consoleRoutesOf(operations: readonly Operation[]): Readonly<Record<string, RouteRow>> {
  const byName = new Map(operations.map((row) => [row.name, row]));
  return { ...routes, ...Object.fromEntries(shownPages(byName).map(([page, row]) => [page.path, shownRoute(page.path, row)])) };
}

function shownRoute(path: string, { summary }: Operation): RouteRow {
  return { method: 'GET', path, purpose: summary, source: 'specification document 1, "Admin console pages"', coverage: 'full' };
}

/** What `above.ts` gives the console. */
export type ConsoleOptions = Omit<GateDeps, 'places'> &
  Pick<ConsoleDeps, 'sessions'> & { readonly operating: OperationDeps; readonly table: readonly Operation[] };

/** The pages of the console. */
export function createConsole({ table, ...given }: ConsoleOptions): readonly WebRoute[] {
  const operations = offeredOf(table, given.operating);
  const deps: ConsoleDeps = { ...given, operations, places: placesOf(operations) };
  const handlers: Readonly<Record<keyof typeof routes, Handler>> = {
    ...createActHandlers(deps),
    ...createExplorerHandlers(deps),
    ...createDirectoryHandlers(deps),
    ...createEditorHandlers(deps),
    ...createEmergencyHandlers(deps),
    servers: createServersHandler(deps),
    rules: createRulesHandler(deps),
    home: createHomeHandler(deps),
    people: createListHandler(deps, people),
    person: createPersonHandler(deps),
    applications: createListHandler(deps, applications),
    application: createApplicationHandler(deps),
    policies: createPoliciesHandler(deps),
    ldif: createLdifHandler(deps),
    groups: createListHandler(deps, groups),
    group: createGroupHandler(deps),
  };
  return [
    ...(Object.keys(routes) as (keyof typeof routes)[]).map((name): WebRoute => ({ row: routes[name], handle: handlers[name] })),
    ...shownPages(operations).map(
      ([page, row]): WebRoute => ({ row: shownRoute(page.path, row), handle: createShownHandler(deps, page, row) }),
    ),
  ];
}
