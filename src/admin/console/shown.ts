import { type Handler, html, notice } from '#web';
import type { Operation } from '../operations/row.ts';
import { deedLink, flash, sameOf, sentence, statusOf, toldOf, typedOf } from './acts.ts';
import { drawData } from './data.ts';
import { fieldsOf, inputOf, shapeOf } from './forms.ts';
import { consolePage } from './frame.ts';
import { filterForm, section } from './parts.ts';
import type { ShownPage } from './places.ts';
import { type ConsoleDeps, run } from './run.ts';
import { texts } from './texts.ts';

/** A page that shows what one operation answers, with the others that change it. */
export function createShownHandler(deps: ConsoleDeps, page: ShownPage, row: Operation): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin) => {
    const shape = shapeOf(row.input);
    const { query, realm } = request;
    const performed = await run(deps, row, request, admin, inputOf(shape, query));
    if (performed.kind === 'streamed')
      return { kind: 'stream', type: row.gives?.type ?? 'application/octet-stream', body: performed.stream };
    const isDone = performed.kind === 'done';
    const told = isDone ? { faults: {}, wrong: [] } : toldOf(performed.failure.errors, shape);
    const values = typedOf(shape, query);
    const fields = fieldsOf(shape, { values, faults: told.faults });
    const deeds = page.acts.map((name) => deedLink(deps, request, admin, { name, given: {}, thing: '', back: page.path }));
    return {
      title: page.words,
      json: isDone ? performed.output : { errors: performed.failure.errors },
      ...(isDone ? {} : { status: statusOf(performed.failure.status), error: performed.failure.error }),
      main: html`<h1>${page.words}</h1>${flash(deps, request)}<p>${page.intro ?? sentence(row.summary)}</p>
${told.wrong.map((words, nth) => notice('bad', `wrong-${nth}`, words))}
${deeds.some((each) => each !== undefined) && html`<div class="acts">${deeds}</div>`}
${fields.length > 0 && html`<section aria-label="${texts.filter}">${filterForm(realm, page.path, fields)}</section>`}
${isDone && section('shown', page.words, drawData(performed.output, admin.nowMs, page.words))}
${sameOf(request, row, shape, values)}`,
    };
  });
}
