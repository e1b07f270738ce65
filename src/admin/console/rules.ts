import { watch } from '#client';
import { type Handler, html, notice, type Piece, pathIn, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { type Deed, deedLink } from './acts.ts';
import { flash } from './flash.ts';
import { fieldsOf, shapeOf, textOf } from './forms.ts';
import { consolePage, type Drawn } from './frame.ts';
import type { Admin } from './gate.ts';
import { absent, type Column, hrefOf, section, state, table } from './parts.ts';
import { ruleTexts as texts } from './rule-texts.ts';
import { type ConsoleDeps, run } from './run.ts';
import { sameOf } from './same.ts';
import { sentence } from './sentences.ts';

const rulesPath = '/admin/access-rules';
/** Shorter ones are not broken. */
const wholeMax = 24;
/** What an address can carry to a form; a rule that says more is changed as the entry that it is. */
const saidMax = 1500;
const explainName = 'access.explain';

/** What `access.list` says of one. */
interface Rule {
  readonly dn?: string;
  readonly order?: number;
  readonly name: string;
  readonly description?: string;
  readonly effect: string;
  readonly who: readonly string[];
  readonly strength: readonly string[];
  readonly from: readonly string[];
  readonly target: readonly string[];
  readonly filter?: string;
  readonly attributes: readonly string[];
  readonly rights: readonly string[];
  readonly etag?: string;
}

/** The rules of access: those of the realm, which may be changed, the built-in ones behind them, and which of them decides. */
export function createRulesHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin): Promise<Drawn> => {
    const row = deps.operations.get('access.list');
    if (row === undefined) return absent(errors.thingAbsent);
    const { actor, searches } = watch(admin.actor);
    const performed = await run(deps, row, request, { ...admin, actor }, {});
    const output = performed.kind === 'done' ? performed.output : undefined;
    const failure = performed.kind === 'failed' ? performed.failure : undefined;
    const rules = (output?.['rules'] ?? []) as readonly Rule[];
    const [own, builtIn] = [rules.filter(({ dn }) => dn !== undefined), rules.filter(({ dn }) => dn === undefined)];
    return {
      title: texts.title,
      json: output ?? { errors: failure?.errors ?? [] },
      ...(failure === undefined ? {} : { status: failure.status, error: failure.error }),
      main: html`<h1>${texts.title}</h1>${flash(deps, request)}<p>${texts.intro}</p>
${failure?.errors.map(({ message }, nth) => notice('bad', `wrong-${nth}`, sentence(message)))}${output?.['complete'] === false && notice('careful', 'more', texts.incomplete)}
<div class="acts">${deedLink(deps, request, admin, { name: 'access.create', given: {}, thing: '', back: rulesPath }, texts.add)}</div>
${section('own', texts.own, own.length === 0 ? html`<p>${texts.none}</p>` : table(texts.own, own, [...columns(request), ...actsOf(deps, request, admin)]))}
${section(
  'built-in',
  texts.builtIn,
  builtIn.length === 0
    ? html`<p>${texts.untold}</p>`
    : table(
        texts.builtIn,
        builtIn,
        columns(request).filter(({ head }) => head !== texts.order),
      ),
)}
${admin.role === 'write' && explainForm(deps, request)}
${sameOf(request, row, shapeOf(row.input), {}, { who: admin, searches })}`,
    };
  });
}

function columns({ realm }: WebRequest): readonly Column<Rule>[] {
  return [
    {
      head: texts.name,
      of: ({ dn, name, description }): Piece =>
        html`${dn === undefined ? name : html`<a class="way" href="${hrefOf(realm, '/admin/directory', { dn })}">${name}</a>`}${description !== undefined && html`<br><span class="quiet">${description}</span>`}`,
    },
    { head: texts.order, of: ({ order }) => order, number: true },
    { head: texts.effect, of: ({ effect }) => (effect === 'deny' ? state('bad', effect) : state('good', effect)) },
    { head: texts.who, of: whoOf },
    { head: texts.what, of: whatOf },
    { head: texts.rights, of: ({ rights }) => rights.join(', ') },
  ];
}

function whoOf({ who, strength, from }: Rule): Piece {
  return html`${lines(who)}${strength.length > 0 && html`<br><span class="quiet">${texts.when}</span> ${lines(strength)}`}${from.length > 0 && html`<br><span class="quiet">${texts.from}</span> ${lines(from)}`}`;
}

function whatOf({ target, filter, attributes }: Rule): Piece {
  return html`${target.length === 0 ? texts.everything : lines(target)}${filter !== undefined && html`<br><span class="quiet">${texts.fitting}</span> <code>${filter}</code>`}${attributes.length > 0 && html`<br><span class="quiet">${texts.attributes}</span> ${attributes.join(', ')}`}`;
}

function lines(all: readonly string[]): SafeHtml {
  return html`${all.map((each, nth) => html`${nth > 0 && html`<br>`}${each.length < wholeMax ? html`<span class="whole">${each}</span>` : html`<code>${each}</code>`}`)}`;
}

function actsOf(deps: ConsoleDeps, request: WebRequest, admin: Admin): readonly Column<Rule>[] {
  if (admin.role !== 'write') return [];
  const deedOf = ({ dn = '', name, etag = '' }: Rule, operation: string, more: Readonly<Record<string, string>> = {}): Deed => ({
    name: operation,
    given: { rule: dn, etag, ...more },
    thing: name,
    back: rulesPath,
  });
  const changeLink = (rule: Rule): Piece => {
    const said = standing(rule);
    if (Object.values(said).join('').length <= saidMax)
      return deedLink(deps, request, admin, deedOf(rule, 'access.change', said), texts.change);
    return html`<a role="button" class="outline" href="${hrefOf(request.realm, '/admin/directory/edit', { dn: rule.dn })}">${texts.change}<span class="off"> ${rule.name}</span></a>`;
  };
  return [
    {
      head: texts.acts,
      of: (rule) =>
        html`<div class="acts">${changeLink(rule)}${deedLink(deps, request, admin, deedOf(rule, 'access.delete'), texts.remove)}</div>`,
    },
  ];
}

/** What a rule says now stands in its form. */
function standing(rule: Rule): Readonly<Record<string, string>> {
  const { dn: _, name: __, etag: ___, ...said } = rule;
  return Object.fromEntries(Object.entries(said).map(([member, value]) => [`in.${member}`, textOf(value)]));
}

/** Asks which rule decides, on the page that answers it. */
function explainForm(deps: ConsoleDeps, { realm }: WebRequest): Piece {
  const row = deps.operations.get(explainName);
  if (row === undefined) return undefined;
  return section(
    'ask',
    texts.ask,
    html`<p>${texts.askWords}</p><form class="fields" method="get" action="${pathIn(realm, `${rulesPath}/explain`)}">${fieldsOf(shapeOf(row.input), { at: 'ask' })}<button type="submit">${texts.askVerb}</button></form>`,
  );
}
