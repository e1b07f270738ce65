import { watch } from '#client';
import { type Handler, html, notice, type Piece, type WebRequest } from '#web';
import type { Operation } from '../operations/row.ts';
import { type Deed, deedLink, statusOf, toldOf, typedOf } from './acts.ts';
import { type Data, drawOutput } from './data.ts';
import { flash } from './flash.ts';
import { fieldsOf, inputOf, shapeOf } from './forms.ts';
import { consolePage } from './frame.ts';
import type { Admin } from './gate.ts';
import { filterForm, hrefOf, lostNotice, section } from './parts.ts';
import type { ShownPage } from './places.ts';
import { type ConsoleDeps, run } from './run.ts';
import { sameOf } from './same.ts';
import { texts } from './texts.ts';

/** Members for which a page has no field: its links have them. */
const unseen: readonly string[] = ['after', 'limit'];

/** A page that shows what one operation answers, with the others that change it. */
export function createShownHandler(deps: ConsoleDeps, page: ShownPage, row: Operation): Handler {
  const shape = shapeOf(row.input);
  return consolePage(deps, { needs: page.needs ?? 'read' }, async (request, admin) => {
    const { query, realm } = request;
    // Where something must be said first, the form alone is shown.
    const isAsked = shape.required.every((name) => query.has(name));
    const { actor, searches } = watch(admin.actor);
    const performed = isAsked ? await run(deps, row, request, { ...admin, actor }, inputOf(shape, query)) : undefined;
    if (performed?.kind === 'streamed')
      return { kind: 'stream', type: row.gives?.type ?? 'application/octet-stream', body: performed.stream };
    const failure = performed?.kind === 'failed' ? performed.failure : undefined;
    const output = performed?.kind === 'done' ? performed.output : undefined;
    const isLost = failure?.errors.some((each) => each.field === 'after');
    const told = failure === undefined || isLost ? { faults: {}, wrong: [] } : toldOf(failure.errors, shape, unseen);
    const values = typedOf(shape, query);
    const fields = fieldsOf(shape, { values, faults: told.faults, without: unseen, filters: true });
    const deeds = (page.acts ?? []).map((name) => deedLink(deps, request, admin, { name, given: {}, thing: '', back: page.path }));
    return {
      title: page.words,
      json: output ?? { errors: failure?.errors ?? [] },
      ...(failure === undefined ? {} : { status: statusOf(failure.status), error: failure.error }),
      main: html`<h1>${page.words}</h1>${flash(deps, request)}<p>${page.intro}</p>
${isLost && lostNotice(realm, page.path, { ...Object.fromEntries(query), after: '' })}${told.wrong.map((words, nth) => notice('bad', `wrong-${nth}`, words))}
${deeds.some((each) => each !== undefined) && html`<div class="acts">${deeds}${wayLink(page, request)}</div>`}
${fields.length > 0 && html`<section aria-label="${texts.filter}">${filterForm(realm, page.path, fields)}</section>`}
${output !== undefined && section('shown', page.words, drawOutput(output, { realm, nowMs: admin.nowMs, columns: page.columns, empty: page.empty, ways: page.ways, acts: actsOf(deps, page, request, admin) }), nextLink(request, page, output))}
${sameOf(request, row, shape, values, { who: admin, searches })}`,
    };
  });
}

function wayLink({ way }: ShownPage, { realm }: WebRequest): Piece {
  return way && html`<a role="button" class="outline" href="${hrefOf(realm, way[0])}">${way[1]}</a>`;
}

/** What can be done with each of the things that are listed. */
function actsOf(
  deps: ConsoleDeps,
  { each, one, path }: ShownPage,
  request: WebRequest,
  admin: Admin,
): ((thing: Data) => Piece) | undefined {
  const { query } = request;
  const offered = (each ?? one ?? []).filter(({ name }) => deps.operations.get(name)?.scope === 'admin:read' || admin.role === 'write');
  if (offered.length === 0) return undefined;
  return (thing) =>
    offered.map(({ name, given, keeps = [], thing: calledBy, verb, when }) => {
      if (when !== undefined && !when(thing)) return undefined;
      const kept = Object.fromEntries(keeps.flatMap((member) => (query.get(member) ? [[member, query.get(member) ?? '']] : [])));
      const of = (from: string | ((thing: Data) => string)) => (typeof from === 'string' ? textIn(thing, from) : from(thing));
      const deed: Deed = {
        name,
        given: { ...kept, ...Object.fromEntries(Object.entries(given).map(([member, from]) => [member, of(from)])) },
        thing: textIn(thing, calledBy),
        back: path + (Object.keys(kept).length === 0 ? '' : `?${new URLSearchParams(kept)}`),
      };
      return deedLink(deps, request, admin, deed, verb);
    });
}

function textIn(thing: Data, member: string): string {
  const value = thing[member];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : Array.isArray(value)
      ? value.join('\n')
      : '';
}

function nextLink({ realm, query }: WebRequest, { path }: ShownPage, { next }: Data): Piece {
  const to = (after: string | undefined) => hrefOf(realm, path, { ...Object.fromEntries(query), after, done: undefined });
  const first = query.has('after') && html`<a href="${to(undefined)}">${texts.first}</a>`;
  const more = typeof next === 'string' && html`<a href="${to(next)}">${texts.next}</a>`;
  return (first !== false || more !== false) && html`<div class="pager">${first}${more}</div>`;
}
