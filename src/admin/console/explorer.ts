import { watch } from '#client';
import { type Handler, html, notice, pathIn, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import type { Operation } from '../operations/row.ts';
import { streamed } from '../operations/streamed.ts';
import { statusOf, toldOf, typedOf } from './acts.ts';
import { drawOutput } from './data.ts';
import { fieldsOf, inputOf, shapeOf } from './forms.ts';
import { consolePage } from './frame.ts';
import type { Admin } from './gate.ts';
import { absent, crumbs, hrefOf, section, table } from './parts.ts';
import { type ConsoleDeps, mayRun, run } from './run.ts';
import { sameOf } from './same.ts';
import { sentence } from './sentences.ts';
import { texts } from './texts.ts';

const path = '/admin/api-explorer';

/** The API explorer: every operation with its form, under the console's own session and roles. */
export function createExplorerHandlers(deps: ConsoleDeps): Readonly<Record<'explorer' | 'explorerOperation', Handler>> {
  return {
    explorer: consolePage(deps, { needs: 'read' }, async (request, admin) => {
      const rows = [...deps.operations.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const areas = Map.groupBy(rows, ({ name }) => name.split('.', 1)[0] ?? name);
      return {
        title: texts.explorer,
        json: { operations: rows.map(({ name, method, path: at, scope, summary }) => ({ name, method, path: at, scope, summary })) },
        main: html`<h1>${texts.explorer}</h1><p>${texts.explorerWords}</p>${[...areas].map(([area, those]) => section(`area-${area}`, area, listOf(request, admin, those)))}`,
      };
    }),
    explorerOperation: consolePage(deps, { needs: 'read' }, async (request, admin) => {
      const row = deps.operations.get(request.params['name'] ?? '');
      if (row === undefined) return absent(errors.thingAbsent);
      if (row.scope === 'admin:write')
        return { kind: 'redirect', status: 303, to: `/admin/do/${row.name}?back=${encodeURIComponent(path)}` };
      return asked(deps, request, admin, row);
    }),
  };
}

function listOf({ realm }: WebRequest, admin: Admin, rows: readonly Operation[]): SafeHtml {
  return table(texts.operations, rows, [
    {
      head: texts.operation,
      of: (row) => (mayRun(admin, row) ? html`<a class="way" href="${pathIn(realm, `${path}/${row.name}`)}">${row.name}</a>` : row.name),
    },
    { head: texts.call, of: ({ method, path: at }) => html`<code>${method} ${at}</code>` },
    { head: texts.does, of: ({ summary }) => sentence(summary) },
  ]);
}

/** A form by GET, and below it what the operation answers once it is sent. */
async function asked(deps: ConsoleDeps, request: WebRequest, admin: Admin, row: Operation) {
  const { realm, query } = request;
  const shape = shapeOf(row.input);
  const values = typedOf(shape, query);
  const isAsked = query.has('run') || Object.keys(shape.properties).length === 0;
  const { actor, searches } = watch(admin.actor);
  const performed = isAsked ? await run(deps, row, request, { ...admin, actor }, inputOf(shape, query)) : undefined;
  if (performed?.kind === 'streamed') return streamed(row, realm, performed);
  const told = performed?.kind === 'failed' ? toldOf(performed.failure.errors, shape) : { faults: {}, wrong: [] };
  const fields = fieldsOf(shape, { values, faults: told.faults });
  return {
    title: row.name,
    ...(performed?.kind === 'done' ? { json: performed.output } : {}),
    ...(performed?.kind === 'failed' ? { status: statusOf(performed.failure.status), error: performed.failure.error } : {}),
    main: html`${crumbs(realm, [[path, texts.explorer]])}<h1>${row.name}</h1>
<section aria-label="${texts.operation}"><p>${sentence(row.summary)} ${row.more}</p><p><code>${row.method} ${row.path}</code></p>
${told.wrong.map((words, nth) => notice('bad', `wrong-${nth}`, words))}
${fields.length > 0 && html`<form class="fields" method="get" action="${pathIn(realm, `${path}/${row.name}`)}"><input type="hidden" name="run" value="1">${fields}<button type="submit">${texts.ask}</button></form>`}</section>
${performed?.kind === 'done' && section('answer', texts.result, drawOutput(performed.output, { realm, nowMs: admin.nowMs }), html`<details class="more"><summary>JSON</summary><pre tabindex="0"><code>${JSON.stringify(performed.output, undefined, 2).slice(0, 200_000)}</code></pre></details><p class="ways"><a href="${hrefOf(realm, `${path}/${row.name}`, { ...Object.fromEntries(query), format: 'json' })}">${texts.asJsonFile}</a></p>`)}
${sameOf(request, row, shape, values, { who: admin, searches })}`,
  };
}
