import { type Handler, html, type Piece, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { deedLink } from './acts.ts';
import type { Data } from './data.ts';
import { flash } from './flash.ts';
import { labelOf, shapeOf, textOf } from './forms.ts';
import { consolePage, type Drawn } from './frame.ts';
import type { Admin } from './gate.ts';
import { absent, figure, hrefOf, section, table } from './parts.ts';
import { countFilters } from './policy-counts.ts';
import { policyTexts as texts } from './policy-texts.ts';
import { type ConsoleDeps, outputOf } from './run.ts';
import { sameOf } from './same.ts';
import { searchCommand } from './terminal.ts';

/** Policies: the value in force of each field, where it comes from, and whom it concerns now. */
export function createPoliciesHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin): Promise<Drawn> => {
    const [row, output] = [deps.operations.get('policies.show'), await outputOf(deps, 'policies.show', request, admin)];
    if (row === undefined || output === undefined) return absent(errors.thingAbsent);
    const counts = await countFilters(admin.actor, request.realm.suffix);
    return {
      title: texts.title,
      json: output,
      main: html`<h1>${texts.title}</h1>${flash(deps, request)}
${counts.length > 0 && section('people', texts.whom, html`<dl>${counts.map(({ words, count, isAtLeast }) => html`<div><dt>${words}</dt><dd>${isAtLeast && texts.moreThan} ${figure(count)}</dd></div>`)}</dl>`)}
${policySection(deps, request, admin, { name: 'authn', title: texts.authn, policy: output['authn'] as Data })}
${policySection(deps, request, admin, { name: 'password', title: texts.password, policy: output['password'] as Data })}
<p class="ways"><a href="${hrefOf(request.realm, '/admin/access-rules')}">${texts.access}</a></p>
${sameOf(request, row, shapeOf(row.input), {}, { tools: ['authnPolicies', 'passwordPolicies'].map((ou) => searchCommand(admin, { base: `cn=default,ou=${ou},${request.realm.suffix}`, scope: 'base', filter: '(objectClass=*)' })) })}`,
    };
  });
}

function policySection(
  deps: ConsoleDeps,
  request: WebRequest,
  admin: Admin,
  { name, title, policy }: { readonly name: string; readonly title: string; readonly policy: Data },
): Piece {
  const { from, etag, ...fields } = policy;
  const tag = { etag: String(etag) };
  const whose = String(from);
  const given = Object.fromEntries(Object.entries(fields).map(([member, value]) => [member, textOf(value)]));
  const back = '/admin/policies';
  // Settled members are what is in force: the form begins with them.
  const save = deedLink(
    deps,
    request,
    admin,
    { name: `policies.save-${name}-policy`, given: { ...prefilled(given), ...tag }, thing: '', back },
    texts.change,
  );
  const reset =
    whose === 'own' ? deedLink(deps, request, admin, { name: `policies.reset-${name}-policy`, given: tag, thing: '', back }) : undefined;
  return section(
    name,
    title,
    html`<p>${texts.from[whose] ?? whose}</p>`,
    table(title, Object.entries(fields), [
      { head: texts.field, of: ([member]) => labelOf(member) },
      { head: texts.value, of: ([, value]) => shown(value) },
      { head: texts.source, of: () => html`<span class="whole">${whose}</span>` },
      { head: texts.concerns, of: ([member]) => texts.concernsWhom[member] ?? texts.everybody },
    ]),
    html`<div class="acts">${save}${reset}</div>`,
  );
}

/** In the query of a form they are values that may still be changed. */
function prefilled(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(given).map(([member, value]) => [`in.${member}`, value]));
}

function shown(value: unknown): Piece {
  if (Array.isArray(value)) return value.length === 0 ? texts.none : value.join(', ');
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  return typeof value === 'number' ? figure(value) : String(value);
}
