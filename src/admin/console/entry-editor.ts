import { isUtf8 } from 'node:buffer';
import { text, utf8 } from '#base';
import type { ClientEntry } from '#client';
import { formatLdifRecord, formatRdn } from '#ldap';
import type { AttributeType, Schema } from '#schema';
import { fillText, type Handler, html, notice, type Piece, pathIn, type Reply, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { ancestors, dnOf } from './directory.ts';
import { directoryTexts as texts } from './directory-texts.ts';
import { type Act, consoleForm, consolePage, type Drawn } from './frame.ts';
import { freshSignIn, isRuleName, isWayIn } from './fresh.ts';
import { type Admin, type Needs, nameOf } from './gate.ts';
import { absent, field, form, hrefOf } from './parts.ts';
import { type ConsoleDeps, run } from './run.ts';
import { type Allowed, allowedBy, readSchema, structuralClasses } from './schema.ts';
import { sentence } from './sentences.ts';
import { type Command, searchCommand, terminal, writeCommand } from './terminal.ts';

const path = '/admin/directory';
const writing: Needs = { needs: 'write', back: path };
const prefix = 'a.';
const classesName = 'classes';
const valueLengthMax = 20_000;
/** Only what is most used: the list has all the others, too. */
const preferred = ['inetOrgPerson', 'groupOfNames', 'organizationalUnit', 'stsApplication', 'stsAccessRule'];

/** The handlers that change entries by their schema: what they must have, what they may have. */
export function createEditorHandlers(deps: ConsoleDeps): Readonly<Record<'entryEdit' | 'entrySave' | 'entryNew' | 'entryCreate', Handler>> {
  // The form's address says which entry it is about, or above the new one, as that of its page does.
  const needsOf = ({ query }: WebRequest): Needs => ({ ...writing, fresh: isRuleName(query.get('dn') ?? '') });
  const page =
    (act: Act): Handler =>
    (request) =>
      consolePage(deps, needsOf(request), act)(request);
  const taking =
    (take: typeof save): Handler =>
    (request) =>
      consoleForm(deps, needsOf(request), (_, admin, given) => take(deps, request, admin, given))(request);
  return {
    entryEdit: page(async (request, admin) => {
      const entry = await entryOf(request, admin);
      return entry === undefined ? absent(errors.thingAbsent) : editPage(request, admin, await readSchema(admin.actor), entry, {});
    }),
    entrySave: taking(save),
    entryNew: page(async (request, admin) => newPage(request, admin, await readSchema(admin.actor), request.query, {})),
    entryCreate: taking(create),
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
  /** What is wrong with the values of one attribute, by attribute. */
  readonly faults?: ReadonlyMap<string, string>;
}

/** The directory names the attribute at the beginning of its words (`mail: …`): what is said of one that has a field stands there, and the rest above. */
function toldOf(messages: readonly string[], { must, may }: Allowed): Required<Pick<Tried, 'wrong' | 'faults'>> {
  const fields = new Set([...must, ...may].map(({ key }) => key));
  const [wrong, faults]: [string[], Map<string, string>] = [[], new Map()];
  for (const message of messages) {
    const [, attribute = '', words = ''] = /^([\w-]+)[^:]*: (.+)$/s.exec(message) ?? [];
    const key = attribute.toLowerCase();
    if (fields.has(key) && !faults.has(key)) faults.set(key, sentence(words));
    else wrong.push(message);
  }
  return { wrong, faults };
}

function editPage(request: WebRequest, admin: Admin, schema: Schema, entry: ClientEntry, { typed, wrong = [], faults }: Tried): Drawn {
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
  fields: [...attributeFields(allowed, lineOf, isFixed, faults), classesField(typed?.get(classesName) ?? '')],
})}
<p class="ways"><a href="${hrefOf(realm, path, { dn: entry.dn })}">Change nothing</a></p></section>
${terminal([
  searchCommand(admin, { base: entry.dn, scope: 'base', filter: '(objectClass=*)' }),
  exampleOf(
    admin,
    entry.dn,
    [...allowed.must, ...allowed.may].find(({ key }) => key === 'description')?.name ?? allowed.must[0]?.name ?? 'cn',
  ),
])}`,
  };
}

/** How ldapmodify changes an attribute of an entry: it is for its reader to say which, and to what. */
function exampleOf(admin: Admin, dn: string, description: string): Command | undefined {
  const changes = [{ operation: 'replace', attribute: { description, values: [utf8('VALUE')] } }] as const;
  return writeCommand(admin, formatLdifRecord({ kind: 'modify', line: 0, controls: [], dn, changes }));
}

/** How ldapmodify adds an entry of a class, with what it must have. */
function newExample(admin: Admin, above: string, objectClass: string, { must }: Allowed): Command | undefined {
  const [usual = 'cn'] = ['uid', 'cn', 'ou', 'o', 'dc'].filter((name) => must.some((type) => type.name === name));
  const rows = [...new Set([usual, ...must.map(({ name }) => name)])].filter((name) => name !== 'objectClass');
  const attributes = [['objectClass', objectClass], ...rows.map((name) => [name, 'VALUE'])].map(([description = '', value = '']) => ({
    description,
    values: [utf8(value)],
  }));
  return writeCommand(admin, formatLdifRecord({ kind: 'add', line: 0, controls: [], dn: `${usual}=VALUE,${above}`, attributes }));
}

/** Required ones and those that have a value first; the others folded in. */
function attributeFields(
  { must, may }: Allowed,
  lineOf: (type: AttributeType) => string,
  isFixed: (type: AttributeType) => boolean,
  faults?: ReadonlyMap<string, string>,
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
      fault: faults?.get(type.key),
    });
  };
  const filled = may.filter((type) => lineOf(type) !== '' || isFixed(type) || faults?.has(type.key) === true);
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
  const allowed = allowedBy(schema, entry.all('objectClass'));
  const { must, may } = allowed;
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
  const again = (messages: readonly string[], status: number, error: Drawn['error']): Drawn => ({
    ...editPage(request, admin, schema, entry, { typed, ...toldOf(messages, allowed) }),
    status,
    ...(error === undefined ? {} : { error }),
  });
  const names = Object.keys(attributes);
  if (names.length === 0) return again([texts.nothingChanged], 422, errors.formUnfit);
  const signIn = isWayIn(schema, names) ? await freshSignIn(deps, request, writing) : undefined;
  if (signIn !== undefined) return signIn;
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

function newPage(request: WebRequest, admin: Admin, schema: Schema, query: URLSearchParams, { typed, wrong = [], faults }: Tried): Drawn {
  const { realm } = request;
  const above = dnOf(request);
  if (above === undefined) return absent(errors.thingAbsent);
  const title = fillText(texts.newTitle, { name: nameOf(above) });
  const chosen = schema.objectClass(query.get('class') ?? '');
  return {
    title,
    main: html`${ancestors(request, above)}<h1>${title}</h1>${wrong.map((words, nth) => notice('bad', `wrong-${nth}`, sentence(words)))}
<section aria-label="${title}">${chosen === undefined ? classForm(request, schema, above) : newForm(admin, request, above, chosen.name, allowedBy(schema, [chosen.name]), { typed, faults })}
<p class="ways"><a href="${hrefOf(realm, path, { dn: above })}">Change nothing</a></p></section>
${chosen !== undefined && terminal([newExample(admin, above, chosen.name, allowedBy(schema, [chosen.name]))])}`,
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
  { typed, faults }: { readonly typed: Tried['typed']; readonly faults: Tried['faults'] },
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
      ...attributeFields(allowed, value, () => false, faults),
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
  const signIn = isRuleName(dn) ? await freshSignIn(deps, request, writing) : undefined;
  if (signIn !== undefined) return signIn;
  const performed = first === '' ? undefined : await run(deps, row, request, admin, { dn, attributes });
  if (performed !== undefined && performed.kind !== 'failed')
    return { kind: 'redirect', status: 303, to: `${path}?${new URLSearchParams({ dn, done: row.name }).toString()}` };
  const messages = performed === undefined ? [`${namedBy}: ${texts.isRequired}`] : performed.failure.errors.map(({ message }) => message);
  const status = performed === undefined || performed.failure.status === 400 ? 422 : performed.failure.status;
  return {
    ...newPage(request, admin, schema, request.query, { typed, ...toldOf(messages, allowedBy(schema, [chosen.name])) }),
    status,
    error: performed?.failure.error ?? errors.formUnfit,
  };
}
