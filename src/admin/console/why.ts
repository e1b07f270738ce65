import { html, notice, type Piece, pathIn, type WebRequest } from '#web';
import { drawOutput } from './data.ts';
import { fieldsOf, shapeOf } from './forms.ts';
import type { Admin } from './gate.ts';
import { section } from './parts.ts';
import { peopleTexts as texts } from './people-texts.ts';
import { type ConsoleDeps, mayRun, run } from './run.ts';

/** What may be asked besides who it is. */
const members = ['door', 'from', 'application'];

/**
 * Why somebody can sign in, or cannot, on their page: at the sign-in page as it comes, and as the form asks for it, whose values stand in the address.
 *
 * @param id  their entryUUID
 */
export async function whySection(deps: ConsoleDeps, request: WebRequest, admin: Admin, id: string): Promise<Piece> {
  const row = deps.operations.get('users.why');
  if (row === undefined || !mayRun(admin, row)) return undefined;
  const typed = members.map((name) => [name, (request.query.get(name) ?? '').trim()] as const).filter(([, value]) => value !== '');
  const performed = await run(deps, row, request, admin, { user: id, ...Object.fromEntries(typed) });
  const wrong = performed.kind === 'failed' ? performed.failure.errors.map(({ message }) => message).join(' ') || texts.whyNot : undefined;
  const shape = shapeOf(row.input);
  const form = html`<form class="fields" method="get" action="${pathIn(request.realm, `/admin/users/${id}`)}#why">${fieldsOf(shape, {
    at: 'why',
    without: ['user'],
    values: Object.fromEntries(typed),
  })}<button type="submit" class="outline">${texts.whyVerb}</button></form>`;
  return section(
    'why',
    texts.why,
    wrong !== undefined && notice('bad', 'why-not', wrong),
    performed.kind === 'done' && drawOutput({ rules: performed.output['rules'] }, { realm: request.realm, nowMs: admin.nowMs }),
    html`<details${typed.length > 0 && html` open`}><summary>${texts.whyElse}</summary>${form}</details>`,
  );
}
