import { isUtf8 } from 'node:buffer';
import { text, utf8 } from '#base';
import type { ClientEntry } from '#client';
import { formatRdn } from '#ldap';
import type { AttributeType, Schema } from '#schema';
import { fillText, type Handler, html, notice, type Piece, pathIn, type Reply, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { sentence } from './acts.ts';
import { ancestors, dnOf } from './directory.ts';
import { directoryTexts as texts } from './directory-texts.ts';
import { consoleForm, consolePage, type Drawn } from './frame.ts';
import { type Admin, nameOf } from './gate.ts';
import { absent, field, form, hrefOf } from './parts.ts';
import { type ConsoleDeps, run } from './run.ts';
import { type Allowed, allowedBy, readSchema, structuralClasses } from './schema.ts';

const path = '/admin/directory';
const prefix = 'a.';
const classesName = 'classes';
const valueLengthMax = 20_000;
/** Only what is most used: the list has all the others, too. */
const preferred = ['inetOrgPerson', 'groupOfNames', 'organizationalUnit', 'stsApplication', 'stsAccessRule'];

/** The handlers that change entries by their schema: what they must have, what they may have. */
export function createEditorHandlers(deps: ConsoleDeps): Readonly<Record<'entryEdit' | 'entrySave' | 'entryNew' | 'entryCreate', Handler>> {
  const needs = { needs: 'write', back: path } as const;
  return {
    entryEdit: consolePage(deps, needs, async (request, admin) => {
      const entry = await entryOf(request, admin);
      return entry === undefined ? absent(errors.thingAbsent) : editPage(request, admin, await readSchema(admin.actor), entry, {});
    }),
    entrySave: consoleForm(deps, needs, (request, admin, given) => save(deps, request, admin, given)),
    entryNew: consolePage(deps, needs, async (request, admin) => newPage(request, admin, await readSchema(admin.actor), request.query, {})),
    entryCreate: consoleForm(deps, needs, (request, admin, given) => create(deps, request, admin, given)),
  };
}

async function entryOf(request: WebRequest, { actor }: Admin): Promise<ClientEntry | undefined> {
  const dn = dnOf(request);
  return dn === undefined ? undefined : actor.read(dn, ['*', 'entryCSN']);
}

interface Tried {
  /** What was typed, by attribute. */
  readonly typed?: ReadonlyMap<string, string>;
  readonly wrong?: readonly string[];
}

function editPage(request: WebRequest, admin: Admin, schema: Schema, entry: ClientEntry, { typed, wrong = [] }: Tried): Drawn {
  const { realm } = request;
  const allowed = allowedBy(schema, entry.all('objectClass'));
  const lineOf = (type: AttributeType) => typed?.get(type.key) ?? linesOf(entry, type) ?? '';
  const isFixed = (type: AttributeType) => entry.has(type.name) && linesOf(entry, type) === undefined;
  const name = nameOf(entry.dn);
  return {
    title: fillText(texts.editTitle, { name }),
    main: html`${ancestors(request, entry.dn)}<h1>${fillText(texts.editTitle, { name })}</h1>
${wrong.map((words, nth) => notice('bad', `wrong-${nth}`, sentence(words)))}
<section aria-label="${texts.entry}"><p><code>${entry.dn}</code> · ${entry.all('objectClass').join(', ')}</p>
${form({
  ...{ realm, path: `${path}/edit?${new URLSearchParams({ dn: entry.dn }).toString()}`, csrfToken: admin.csrfToken, verb: texts.save },
  hidden: { etag: entry.one('entryCSN') ?? '' },
  fields: [...attributeFields(allowed, lineOf, isFixed), classesField(typed?.get(classesName) ?? '')],
})}
<p class="ways"><a href="${hrefOf(realm, path, { dn: entry.dn })}">Change nothing</a></p></section>`,
  };
}

/** Required ones and those that have a value first; the others folded in. */
function attributeFields(
  { must, may }: Allowed,
  lineOf: (type: AttributeType) => string,
  isFixed: (type: AttributeType) => boolean,
): SafeHtml[] {
  const one = (type: AttributeType, required: boolean) => {
    if (isFixed(type)) return html`<p><strong>${type.name}</strong></p><p class="quiet">${texts.notHere}</p>`;
    const hint = [
      type.description && `${type.description}.`,
      required ? texts.isRequired : '',
      type.singleValue ? texts.single : texts.several,
    ];
    const kind = /password/i.test(type.key) ? 'password' : type.singleValue ? 'text' : 'words';
    return field({
      name: prefix + type.key,
      label: type.name,
      kind,
      required,
      value: lineOf(type),
      hint: hint.filter((each) => each !== '' && each !== undefined).join(' '),
    });
  };
  const filled = may.filter((type) => lineOf(type) !== '' || isFixed(type));
  const others = may.filter((type) => !filled.includes(type));
  return [
    ...must.map((type) => one(type, true)),
    ...filled.map((type) => one(type, false)),
    html`<details class="more"><summary>${texts.more} (${others.length})</summary>${others.map((type) => one(type, false))}</details>`,
  ];
}

function classesField(value: string): SafeHtml {
  return field({ name: classesName, label: texts.moreClasses, kind: 'words', hint: texts.moreClassesHint, value });
}

/** The values of an attribute, one on a line; nothing where they are no lines of text. */
function linesOf(entry: ClientEntry, { name }: AttributeType): string | undefined {
  const values = entry.octets(name);
  const lines = values.map((value) => (isUtf8(value) ? text(value) : undefined));
  const isLines = lines.every((line) => line !== undefined && !/\p{Cc}/u.test(line) && line.trim() === line);
  const joined = lines.join('\n');
  return isLines && joined.length <= valueLengthMax ? joined : undefined;
}

/** What was typed, by attribute in lower case. */
function typedIn(given: URLSearchParams): Map<string, string> {
  const typed = new Map([[classesName, given.get(classesName) ?? '']]);
  for (const [name, value] of given) if (name.startsWith(prefix)) typed.set(name.slice(prefix.length), value);
  return typed;
}

function valuesIn(lines: string): string[] {
  return lines
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

async function save(deps: ConsoleDeps, request: WebRequest, admin: Admin, given: URLSearchParams): Promise<Drawn | Reply> {
  const [entry, schema, row] = [await entryOf(request, admin), await readSchema(admin.actor), deps.operations.get('entries.change')];
  if (entry === undefined || row === undefined) return absent(errors.thingAbsent);
  const typed = typedIn(given);
  const { must, may } = allowedBy(schema, entry.all('objectClass'));
  const attributes: Record<string, string[]> = {};
  for (const type of [...must, ...may]) {
    const lines = typed.get(type.key);
    const before = linesOf(entry, type);
    // A password is never read: an empty field leaves it.
    if (lines === undefined || before === undefined || (type.secret && lines === '') || valuesIn(lines).join('\n') === before) continue;
    attributes[type.name] = valuesIn(lines);
  }
  const more = valuesIn(typed.get(classesName) ?? '');
  if (more.length > 0) attributes['objectClass'] = [...entry.all('objectClass'), ...more];
  const again = (wrong: readonly string[], status: number, error: Drawn['error']): Drawn => ({
    ...editPage(request, admin, schema, entry, { typed, wrong }),
    status,
    ...(error === undefined ? {} : { error }),
  });
  if (Object.keys(attributes).length === 0) return again([texts.nothingChanged], 422, errors.formUnfit);
  const performed = await run(deps, row, request, admin, { dn: entry.dn, attributes }, { ifMatch: given.get('etag') ?? '' });
  if (performed.kind !== 'failed')
    return { kind: 'redirect', status: 303, to: `${path}?${new URLSearchParams({ dn: entry.dn, done: row.name }).toString()}` };
  const { failure } = performed;
  if (failure.status === 412)
    return { ...editPage(request, admin, schema, entry, { wrong: [texts.changed] }), status: 412, error: failure.error };
  return again(
    failure.errors.map(({ message }) => message),
    failure.status === 400 ? 422 : failure.status,
    failure.error,
  );
}

function newPage(request: WebRequest, admin: Admin, schema: Schema, query: URLSearchParams, { typed, wrong = [] }: Tried): Drawn {
  const { realm } = request;
  const above = dnOf(request);
  if (above === undefined) return absent(errors.thingAbsent);
  const title = fillText(texts.newTitle, { name: nameOf(above) });
  const chosen = schema.objectClass(query.get('class') ?? '');
  return {
    title,
    main: html`${ancestors(request, above)}<h1>${title}</h1>${wrong.map((words, nth) => notice('bad', `wrong-${nth}`, sentence(words)))}
<section aria-label="${title}">${chosen === undefined ? classForm(request, schema, above) : newForm(admin, request, above, chosen.name, allowedBy(schema, [chosen.name]), typed)}
<p class="ways"><a href="${hrefOf(realm, path, { dn: above })}">Change nothing</a></p></section>`,
  };
}

function classForm({ realm }: WebRequest, schema: Schema, above: string): Piece {
  const names = structuralClasses(schema).map(({ name }) => name);
  const first = preferred.filter((name) => names.includes(name));
  const choices = [...first, ...names.filter((name) => !first.includes(name))].map((name) => [name, name] as const);
  return html`<form class="fields" method="get" action="${pathIn(realm, `${path}/new`)}"><input type="hidden" name="dn" value="${above}">
${field({ name: 'class', label: texts.chooseClass, kind: 'choice', choices, hint: texts.chooseClassHint })}<button type="submit">${texts.choose}</button></form>`;
}

function newForm(
  { csrfToken }: Admin,
  { realm }: WebRequest,
  above: string,
  objectClass: string,
  allowed: Allowed,
  typed: Tried['typed'],
): SafeHtml {
  const names = [...allowed.must, ...allowed.may].map(({ name }) => name);
  const usual = ['uid', 'cn', 'ou', 'o', 'dc'].find((name) => names.includes(name)) ?? names[0] ?? 'cn';
  const value = (type: AttributeType) => typed?.get(type.key) ?? '';
  return form({
    ...{ realm, path: `${path}/new?${new URLSearchParams({ dn: above, class: objectClass }).toString()}`, csrfToken, verb: texts.create },
    fields: [
      field({
        name: 'namedBy',
        label: texts.namedBy,
        kind: 'choice',
        choices: names.map((name) => [name, name] as const),
        value: typed?.get('namedBy') ?? usual,
        hint: texts.namedByHint,
      }),
      ...attributeFields(allowed, value, () => false),
      classesField(typed?.get(classesName) ?? ''),
    ],
  });
}

async function create(deps: ConsoleDeps, request: WebRequest, admin: Admin, given: URLSearchParams): Promise<Drawn | Reply> {
  const [above, row, schema] = [dnOf(request), deps.operations.get('entries.create'), await readSchema(admin.actor)];
  const chosen = schema.objectClass(request.query.get('class') ?? '');
  if (above === undefined || row === undefined || chosen === undefined) return absent(errors.thingAbsent);
  const typed = typedIn(given).set('namedBy', given.get('namedBy') ?? '');
  const classes = [chosen.name, ...valuesIn(typed.get(classesName) ?? '')];
  const { must, may } = allowedBy(schema, classes);
  const rows = [...must, ...may].map((type) => [type.name, valuesIn(typed.get(type.key) ?? '')] as const);
  const attributes = Object.fromEntries([['objectClass', classes] as const, ...rows.filter(([, values]) => values.length > 0)]);
  const namedBy = schema.attributeType(given.get('namedBy') ?? '')?.name ?? 'cn';
  const [first = ''] = attributes[namedBy] ?? [];
  const dn = `${formatRdn([{ type: namedBy, value: utf8(first) }])},${above}`;
  const performed = first === '' ? undefined : await run(deps, row, request, admin, { dn, attributes });
  if (performed !== undefined && performed.kind !== 'failed')
    return { kind: 'redirect', status: 303, to: `${path}?${new URLSearchParams({ dn, done: row.name }).toString()}` };
  const wrong = performed === undefined ? [`${namedBy}: ${texts.isRequired}`] : performed.failure.errors.map(({ message }) => message);
  const status = performed === undefined || performed.failure.status === 400 ? 422 : performed.failure.status;
  return {
    ...newPage(request, admin, schema, request.query, { typed, wrong }),
    status,
    error: performed?.failure.error ?? errors.formUnfit,
  };
}
