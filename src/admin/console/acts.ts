import { type Handler, html, notice, type Piece, pathIn, type Reply, type SafeHtml, type WebRealm, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import type { Performed } from '../operations/perform.ts';
import type { Operation } from '../operations/row.ts';
import { streamed } from '../operations/streamed.ts';
import { consequencesOf } from './consequences.ts';
import { drawOutput } from './data.ts';
import { signedIn } from './flash.ts';
import { fieldsOf, inputOf, type Shape, shapeOf } from './forms.ts';
import { consoleForm, consolePage, type Drawn } from './frame.ts';
import { freshSignIn, sendsFresh, takesFresh } from './fresh.ts';
import type { Admin, Needs } from './gate.ts';
import { keptWords } from './kept.ts';
import { absent, crumbs, field, form, hrefOf, section } from './parts.ts';
import { type ConsoleDeps, mayRun, run } from './run.ts';
import { sameOf } from './same.ts';
import { ended, filledWith, sentence } from './sentences.ts';
import { texts } from './texts.ts';
import { directoryCommands } from './twins.ts';

/** What is done with a thing: an operation with the members that say which thing it is. */
export interface Deed {
  readonly name: string;
  /** Members that are settled: `{ user: … }`. */
  readonly given: Readonly<Record<string, string>>;
  /** What the thing is called, which is typed to confirm what cannot be undone. */
  readonly thing: string;
  /** The page that it is done from, and that is shown again. */
  readonly back: string;
}

/** What is gone for good. */
const endsForGood = /(?:^|[.-])(?:delete|remove|clear|reset|drop|emergency)/i;
const pagePath = /^\/admin(?:\/[\w.~%-]+)*(?:\?[\w.~%=&+-]*)?$/;
/** Members under which something is told once. */
const toldOnce = /^(?:password|secret|link|codes|token|value|administrator)$/i;

/** A way to an operation about a thing, for those who may have it done. */
export function deedLink(deps: ConsoleDeps, { realm }: WebRequest, admin: Admin, { name, given, thing, back }: Deed, verb?: string): Piece {
  const row = deps.operations.get(name);
  if (row === undefined || !mayRun(admin, row)) return undefined;
  const words = verb ?? row.console?.title ?? row.summary;
  return html`<a role="button" class="outline" href="${hrefOf(realm, `/admin/do/${name}`, { ...given, thing, back })}">${words}<span class="off"> ${thing}</span></a>`;
}

/** The handlers of the pages on which something is done. */
export function createActHandlers(deps: ConsoleDeps): Readonly<Record<'deedPage' | 'deed', Handler>> {
  return {
    deedPage: (request) =>
      page(deps, request, (_, row, admin) => {
        const { values = {}, ...asked } = askedOf(request.query);
        return deedPage(deps, request, admin, row, asked, { values });
      }),
    deed: (request) => {
      const row = rowOf(deps, request);
      // What is sent says whether a fresh authentication is needed.
      return consoleForm(deps, { ...needsOf(row, request), fresh: false }, (_, admin, given) => deed(deps, request, admin, row, given))(
        request,
      );
    },
  };
}

function page(deps: ConsoleDeps, request: WebRequest, draw: (deps: ConsoleDeps, row: Operation, admin: Admin) => Drawn | Promise<Drawn>) {
  const row = rowOf(deps, request);
  return consolePage(deps, needsOf(row, request), async (_, admin) =>
    row === undefined ? absent(errors.thingAbsent) : draw(deps, row, admin),
  )(request);
}

function rowOf({ operations }: ConsoleDeps, { params }: WebRequest): Operation | undefined {
  return operations.get(params['name'] ?? '');
}

function needsOf(row: Operation | undefined, { query }: WebRequest): Needs {
  const isChange = row !== undefined && row.scope === 'admin:write';
  return {
    needs: isChange ? 'write' : 'read',
    fresh: row !== undefined && takesFresh(row, query),
    back: backOf(query.get('back')),
  };
}

function joint(path: string): '&' | '?' {
  return path.includes('?') ? '&' : '?';
}

/** Where a deed leads back to: a page of the console, or its beginning. */
function backOf(given: string | null): string {
  return given !== null && given.length <= 2000 && pagePath.test(given) ? given : '/admin';
}

/** Members that came with the way here and may still be changed stand behind this. */
const offered = 'in.';

/** Of a query: what is no member of the operation. */
const carried: ReadonlySet<string> = new Set(['thing', 'back', 'done', 'authn_error', 'settled', 'etag']);

interface Asked {
  readonly thing: string;
  readonly back: string;
  /** Members that came with the way here. */
  readonly given: Readonly<Record<string, string>>;
  /** Those that may still be changed. */
  readonly values?: Readonly<Record<string, string>>;
  /** What of the thing was read (`entryCSN`), so that nothing newer is overwritten. */
  readonly etag?: string;
}

function askedOf(query: URLSearchParams): Asked {
  const members = [...query].filter(([name]) => !carried.has(name));
  const given = Object.fromEntries(members.filter(([name]) => !name.startsWith(offered)));
  const values = Object.fromEntries(
    members.filter(([name]) => name.startsWith(offered)).map(([name]) => [name.slice(offered.length), query.getAll(name).join('\n')]),
  );
  return {
    values,
    thing: (query.get('thing') ?? '').slice(0, 500),
    back: backOf(query.get('back')),
    given,
    etag: query.get('etag') ?? '',
  };
}

interface Tried {
  readonly values?: Readonly<Record<string, string>>;
  readonly faults?: Readonly<Record<string, string>>;
  /** What is wrong with the whole. */
  readonly wrong?: readonly string[];
  /** Of an operation that takes octets of its own: what was sent. */
  readonly body?: string;
  /** The way to the sign-in that it takes first. */
  readonly signIn?: string;
  /** What came of a rehearsal, which is shown above the form that does it. */
  readonly output?: Readonly<Record<string, unknown>>;
}

/** What will happen, what it takes, and the one verb. */
async function deedPage(
  deps: ConsoleDeps,
  request: WebRequest,
  admin: Admin,
  row: Operation,
  { thing, back, given, etag = '' }: Asked,
  tried: Tried,
): Promise<Drawn> {
  const { realm } = request;
  const shape = shapeOf(row.input);
  const settled = Object.keys(given).filter((name) => name in shape.properties);
  const title = row.console?.title ?? row.summary;
  const danger = row.console?.danger;
  const isForGood = endsForGood.test(row.name) || row.method === 'DELETE';
  const fields = [
    ...fieldsOf(shape, {
      ...(tried.values === undefined ? {} : { values: tried.values }),
      faults: tried.faults ?? {},
      without: [...settled, ...(elsewhere[row.name] ?? [])],
    }),
    ...(row.takes === undefined ? [] : [bodyField(row.takes, tried)]),
    ...(isForGood && thing !== '' ? [confirmField(thing, tried.faults?.[confirmName])] : []),
  ];
  const hidden = { ...Object.fromEntries(settled.map((name) => [name, given[name] ?? ''])), thing, back, etag, settled: settled.join(' ') };
  const values = { ...given, ...tried.values };
  const kept = keptWords(deps, realm, row.name);
  const ends = await consequencesOf(deps, request, admin, row, given);
  const named = thing === '' ? given : { ...given, user: thing, group: thing, application: thing };
  const does = ended(filledWith(danger ?? sentence(row.summary), named));
  const look = danger !== undefined || isForGood ? 'danger' : 'primary';
  return {
    title,
    main: html`${crumbs(realm, [[back, texts.goBack]])}<h1>${title}${thing !== '' && html`: ${thing}`}</h1>
${tried.signIn !== undefined && html`${notice('careful', 'sign-in-old', texts.signInOld)}<p class="ways"><a href="${tried.signIn}" target="_blank" rel="noopener">${texts.signInAgain}</a></p>`}
${tried.wrong?.map((words, nth) => notice('bad', `wrong-${nth}`, words))}
${tried.output !== undefined && html`${notice('careful', 'rehearsed', texts.rehearsed)}${section('told', texts.result, drawOutput(tried.output, { realm, nowMs: admin.nowMs }))}`}
<section aria-label="${title}">${does !== `${title}.` && html`<p>${does}</p>`}
${kept && html`<p>${kept}</p>`}${ends}
${form({ realm, path: `/admin/do/${row.name}?back=${encodeURIComponent(back)}`, csrfToken: admin.csrfToken, verb: row.console?.verb ?? title, fields, hidden, look })}
<p class="ways"><a href="${pathIn(realm, back)}">${texts.cancel}</a></p></section>
${sameOf(request, row, shape, values, { tools: await directoryCommands(deps, request, admin, row, shape, values) })}`,
  };
}

/** Members that a form of their own asks for. */
const elsewhere: Readonly<Record<string, readonly string[]>> = { 'keys.rotate': ['emergency', 'confirm'] };

const confirmName = 'confirmThing';
const bodyName = 'bodyText';
/** The member by which an operation judges and does nothing. */
const rehearsal = 'dryRun';

function bodyField({ type }: NonNullable<Operation['takes']>, { body, faults }: Tried): SafeHtml {
  return field({
    name: bodyName,
    label: texts.body.replace('{type}', type),
    kind: 'lines',
    required: true,
    value: body,
    fault: faults?.[bodyName],
  });
}

function confirmField(thing: string, fault: string | undefined): SafeHtml {
  return field({ name: confirmName, label: texts.confirmName.replace('{name}', () => thing), kind: 'text', required: true, fault });
}

async function deed(
  deps: ConsoleDeps,
  request: WebRequest,
  admin: Admin,
  row: Operation | undefined,
  given: URLSearchParams,
): Promise<Drawn | Reply> {
  if (row === undefined) return absent(errors.thingAbsent);
  const { back = '/admin', ...needs } = needsOf(row, request);
  const signIn = (await sendsFresh(row, given, admin))
    ? await freshSignIn(deps, request, { ...needs, back: row.takes === undefined ? back : `${back}${joint(back)}done=${signedIn}` })
    : undefined;
  // What was pasted may be long, and hold passwords: it stays in the page, and the sign-in goes on beside it.
  if (signIn !== undefined && (row.takes === undefined || signIn.kind !== 'redirect')) return signIn;
  const shape = shapeOf(row.input);
  const settled = (given.get('settled') ?? '').split(' ').filter((name) => name in shape.properties);
  const asked: Asked = {
    thing: (given.get('thing') ?? '').slice(0, 500),
    back: backOf(given.get('back')),
    given: Object.fromEntries(settled.map((name) => [name, given.get(name) ?? ''])),
    etag: given.get('etag') ?? '',
  };
  const values = typedOf(shape, given);
  const body = row.takes === undefined ? undefined : (given.get(bodyName) ?? '');
  if (signIn?.kind === 'redirect' && body !== undefined) {
    const drawn = await deedPage(deps, request, admin, row, asked, { values, body, signIn: pathIn(request.realm, signIn.to) });
    return { ...drawn, status: 403, error: errors.signInOld };
  }
  const isForGood = endsForGood.test(row.name) || row.method === 'DELETE';
  if (isForGood && asked.thing !== '' && (given.get(confirmName) ?? '').trim() !== asked.thing) {
    const faults = { [confirmName]: texts.confirmWrong };
    return { ...(await deedPage(deps, request, admin, row, asked, { values, faults })), status: 422, error: errors.formUnfit };
  }
  const performed = await run(deps, row, request, admin, inputOf(shape, given), {
    body,
    ...(row.editable === true && asked.etag ? { ifMatch: asked.etag } : {}),
  });
  return answered(deps, request, admin, row, asked, { values, ...(body === undefined ? {} : { body }) }, performed);
}

async function answered(
  deps: ConsoleDeps,
  request: WebRequest,
  admin: Admin,
  row: Operation,
  asked: Asked,
  tried: Pick<Tried, 'values' | 'body'>,
  performed: Performed,
): Promise<Drawn | Reply> {
  const { realm } = request;
  switch (performed.kind) {
    case 'failed': {
      const { faults, wrong } = toldOf(performed.failure.errors, shapeOf(row.input), Object.keys(asked.given));
      return {
        ...(await deedPage(deps, request, admin, row, asked, { ...tried, faults, wrong })),
        status: statusOf(performed.failure.status),
        error: performed.failure.error,
      };
    }
    case 'streamed':
      return streamed(row, realm, performed);
    case 'done': {
      const { output } = performed;
      // What was tried can be done at once, with what was sent.
      if (tried.values?.[rehearsal] === 'true' && output['task'] === undefined)
        return deedPage(deps, request, admin, row, asked, { ...tried, values: { ...tried.values, [rehearsal]: 'false' }, output });
      const isSecret = row.once === true || Object.entries(output).some(([name, value]) => toldOnce.test(name) && isToldOnce(value));
      if (isSecret || row.takes !== undefined || asked.back.startsWith('/admin/api-explorer'))
        return told(realm, row, asked, admin, output, isSecret);
      return { kind: 'redirect', status: 303, to: `${asked.back}${joint(asked.back)}done=${row.name}` };
    }
  }
}

/** A policy of passwords is no password. */
function isToldOnce(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

/** What it answered. A secret is shown this once: it is nowhere else. */
function told(
  realm: WebRealm,
  row: Operation,
  { thing, back }: Asked,
  { nowMs }: Admin,
  output: Readonly<Record<string, unknown>>,
  isSecret: boolean,
): Drawn {
  const title = row.console?.title ?? row.summary;
  const { task } = output;
  if (typeof task === 'string') {
    const way = hrefOf(realm, '/admin/api-explorer/tasks.read', { run: '1', task });
    return {
      title,
      main: html`${crumbs(realm, [[back, texts.goBack]])}<h1>${title}</h1>${notice('careful', 'task', texts.goesOn)}<p class="ways"><a href="${way}">${texts.howFar}</a></p>`,
    };
  }
  return {
    title,
    main: html`${crumbs(realm, [[back, texts.goBack]])}<h1>${title}${thing !== '' && html`: ${thing}`}</h1>
${isSecret ? notice('careful', 'once', texts.toldOnce) : notice('good', 'done', `${texts.done}.`)}${section('told', texts.result, drawOutput(output, { realm, nowMs }))}`,
  };
}

/** What is wrong, at its field where there is one, and above the form where there is none. @param unseen  members without a field */
export function toldOf(
  found: readonly { readonly field?: string; readonly message: string }[],
  { properties }: Shape,
  unseen: readonly string[] = [],
): { readonly faults: Readonly<Record<string, string>>; readonly wrong: readonly string[] } {
  const faults: Record<string, string> = {};
  const wrong: string[] = [];
  for (const { field: at, message } of found) {
    const name = at?.split(/[.[]/, 1)[0] ?? '';
    if (name in properties && !unseen.includes(name)) faults[name] = message;
    // `line 7` is no member, and has to be told.
    else if (at === undefined || name in properties) wrong.push(sentence(at === undefined ? message : `${name} ${message}`));
    else wrong.push(sentence(`${at}: ${message}`));
  }
  return { faults, wrong };
}

/** Statuses that a page may have; a refusal of the directory is one of the form. */
export function statusOf(status: number): number {
  return status === 400 ? 422 : status;
}

/** What was typed, so that it stands in the form again; secrets are typed again. */
export function typedOf({ properties }: Shape, given: URLSearchParams): Readonly<Record<string, string>> {
  const names = Object.keys(properties).filter((name) => given.has(name) && !/password|secret/i.test(name));
  return Object.fromEntries(names.map((name) => [name, given.getAll(name).join('\n')]));
}
