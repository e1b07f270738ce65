import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { text, utf8 } from '#base';
import { type ClientEntry, ClientRefusal } from '#client';
import { type Filter, formatDn, formatLdifRecord, type PartialAttribute, parseDn } from '#ldap';
import { fillText, type Handler, html, type Piece, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { deedLink } from './acts.ts';
import { directoryTexts as texts } from './directory-texts.ts';
import { flash } from './flash.ts';
import { consolePage, type Drawn } from './frame.ts';
import { type Admin, nameOf } from './gate.ts';
import { behindOf, filterOf } from './listing.ts';
import { absent, field, filterForm, hrefOf, lostNotice, pager, section, table } from './parts.ts';
import type { ConsoleDeps } from './run.ts';
import { curlCommand, searchCommand, terminal } from './terminal.ts';

const path = '/admin/directory';
const pageMax = 50;
const foundMax = 200;
const present: Filter = { kind: 'present', description: 'objectClass' };

/** The entry that a page of the browser is about: the realm's own where none is named. */
export function dnOf({ query, realm }: WebRequest): string | undefined {
  const given = (query.get('dn') ?? '').slice(0, 4000);
  if (given === '') return realm.suffix;
  const dn = parseDn(given);
  const top = parseDn(realm.suffix);
  if (dn === undefined || top === undefined) return undefined;
  return formatDn(dn.slice(dn.length - top.length)).toLowerCase() === formatDn(top).toLowerCase() ? formatDn(dn) : undefined;
}

/** The handlers of the browser: an entry with what is below it, searches, and its LDIF. */
export function createDirectoryHandlers(deps: ConsoleDeps): Readonly<Record<'directory' | 'directoryLdif', Handler>> {
  return {
    directory: consolePage(deps, { needs: 'read' }, async (request, admin) => {
      const dn = dnOf(request);
      const entry = dn && (await admin.actor.read(dn, ['*', '+', 'numSubordinates']));
      if (dn === undefined || !entry) return absent(errors.thingAbsent);
      const asked = (request.query.get('q') ?? '').trim();
      return entryPage(
        deps,
        request,
        admin,
        entry,
        asked === '' ? await below(request, admin, dn) : await found(request, admin, dn, asked),
        asked,
      );
    }),
    directoryLdif: consolePage(deps, { needs: 'read' }, async (request, admin) => {
      const dn = dnOf(request);
      const entry = dn && (await admin.actor.read(dn, ['*', ...(request.query.has('operational') ? ['+'] : [])]));
      if (!entry) return absent(errors.thingAbsent);
      const ldif = `version: 1\n\n${formatLdifRecord({ kind: 'content', line: 0, dn: entry.dn, attributes: entry.attributes })}`;
      return { kind: 'stream', type: 'text/plain; charset=utf-8', body: Readable.from([utf8(ldif)]) };
    }),
  };
}

interface Listed {
  readonly title: string;
  readonly entries: readonly ClientEntry[];
  readonly pages: Piece;
  readonly fault?: string;
  /** What was asked for is no place in a list. */
  readonly isLost?: true;
}

/** A page of what stands directly below an entry. */
async function below({ realm, query }: WebRequest, { actor }: Admin, dn: string): Promise<Listed> {
  const behind = behindOf({ query });
  if (behind === undefined) return { title: texts.below, entries: [], pages: lostNotice(realm, path, { dn }), isLost: true };
  const { entries, next } = await actor.page({
    base: dn,
    scope: 'one',
    filter: present,
    attributes: ['objectClass'],
    size: pageMax,
    ...behind,
  });
  const from = Math.max(1, Number.parseInt(query.get('from') ?? '1', 10) || 1);
  const more = next === undefined ? undefined : { after: Buffer.from(next).toString('base64url'), from: String(from + pageMax) };
  return { title: texts.below, entries, pages: pager({ realm, path, query: { dn }, from, shown: entries.length, next: more }) };
}

async function found({ realm }: WebRequest, { actor }: Admin, dn: string, asked: string): Promise<Listed> {
  const filter = filterOf(asked, ['cn', 'uid', 'ou', 'description']);
  if (typeof filter === 'string') return { title: texts.found, entries: [], pages: undefined, fault: filter };
  try {
    const { entries, complete } = await actor.search({ base: dn, scope: 'sub', filter, attributes: ['objectClass'], sizeLimit: foundMax });
    return {
      title: texts.found,
      entries,
      pages: pager({ realm, path, query: {}, from: 1, shown: entries.length, count: { of: entries.length, isAtLeast: !complete } }),
    };
  } catch (error) {
    if (error instanceof ClientRefusal)
      return { title: texts.found, entries: [], pages: undefined, fault: error.diagnostic || error.message };
    throw error;
  }
}

function entryPage(deps: ConsoleDeps, request: WebRequest, admin: Admin, entry: ClientEntry, listed: Listed, asked: string): Drawn {
  const { realm } = request;
  const { dn } = entry;
  const deed = (name: string): Piece =>
    deedLink(deps, request, admin, { name, given: { dn }, thing: nameOf(dn), back: name === 'entries.delete' ? path : hrefIn(dn) });
  const link = (to: string, words: string) => html`<a role="button" class="outline" href="${hrefOf(realm, to, { dn })}">${words}</a>`;
  const mayWrite = admin.role === 'write';
  return {
    title: nameOf(dn),
    ...(listed.isLost && { status: 422, error: errors.formUnfit }),
    json: {
      dn,
      attributes: Object.fromEntries(entry.attributes.map(({ description, values }) => [description, values.map(shownValue)])),
      below: listed.entries.map((each) => each.dn),
    },
    main: html`${ancestors(request, dn)}<h1>${nameOf(dn)}</h1>${flash(deps, request)}
<div class="acts">${mayWrite && link(`${path}/edit`, texts.edit)}${mayWrite && link(`${path}/new`, texts.add)}${link(`${path}/ldif`, texts.ldif)}${deed('entries.rename')}${deed('entries.delete')}</div>
${section(
  'entry',
  texts.entry,
  html`<p><code>${dn}</code></p>`,
  attributeTable(
    request,
    entry.attributes.filter(({ description }) => !isOperational(description)),
  ),
  html`<details class="more"><summary>${texts.operational}</summary>${attributeTable(
    request,
    entry.attributes.filter(({ description }) => isOperational(description)),
  )}</details>`,
)}
<section aria-labelledby="below"><h2 id="below">${listed.title}</h2>
${filterForm(realm, path, [html`<input type="hidden" name="dn" value="${dn}">${field({ name: 'q', label: texts.search, kind: 'search', hint: texts.searchHint, value: asked, fault: listed.fault })}`])}
${listed.entries.length === 0 ? html`<p>${asked === '' ? texts.nothingBelow : texts.nothing}</p>` : entryTable(request, listed.entries, asked !== '')}${listed.pages}</section>
${terminal([
  searchCommand(admin, { base: dn, scope: 'base', filter: '(objectClass=*)', attributes: ['*', '+'] }),
  searchCommand(admin, {
    base: dn,
    scope: asked === '' ? 'one' : 'sub',
    filter: asked.startsWith('(') ? asked : '(objectClass=*)',
    attributes: ['1.1'],
  }),
  curlCommand(request, 'GET', `/admin-api/entries?${new URLSearchParams({ dn }).toString()}`),
])}`,
  };
}

function hrefIn(dn: string): string {
  return `${path}?${new URLSearchParams({ dn }).toString()}`;
}

/** From the realm's suffix down to the entry's superior. */
export function ancestors({ realm }: WebRequest, dn: string): SafeHtml {
  const name = parseDn(dn) ?? [];
  const depth = name.length - (parseDn(realm.suffix)?.length ?? 0);
  const above = Array.from({ length: Math.max(0, depth) }, (_, at) => formatDn(name.slice(depth - at)));
  return html`<p class="crumbs">${above.map((each, at) => html`${at > 0 && html`<span aria-hidden="true">›</span>`}<a href="${hrefOf(realm, path, { dn: each })}">${at === 0 ? each : nameOf(each)}</a>`)}</p>`;
}

const operational = new Set(
  [
    'createTimestamp',
    'modifyTimestamp',
    'creatorsName',
    'modifiersName',
    'entryUUID',
    'entryCSN',
    'entryDN',
    'structuralObjectClass',
    'subschemaSubentry',
    'hasSubordinates',
    'numSubordinates',
    'contextCSN',
    'memberOf',
  ].map((name) => name.toLowerCase()),
);

function isOperational(description: string): boolean {
  return operational.has(description.toLowerCase());
}

const valuesMax = 200;

function attributeTable({ realm }: WebRequest, attributes: readonly PartialAttribute[]): Piece {
  const value = (octets: Uint8Array): Piece => {
    const shown = shownValue(octets);
    const dn = shown.length < 1000 && /^[a-z][\w.-]*=.+,/i.test(shown) ? parseDn(shown) : undefined;
    return dn === undefined ? shown : html`<a class="way" href="${hrefOf(realm, path, { dn: shown })}">${shown}</a>`;
  };
  return table(texts.entry, attributes, [
    { head: texts.attribute, of: ({ description }) => html`<code>${description}</code>` },
    {
      head: texts.values,
      of: ({ values }) =>
        html`<ul>${values.slice(0, valuesMax).map((each) => html`<li>${value(each)}</li>`)}${values.length > valuesMax && html`<li class="quiet">+ ${values.length - valuesMax}</li>`}</ul>`,
    },
  ]);
}

/** A value as a screen can show it. */
export function shownValue(octets: Uint8Array): string {
  const shown = isUtf8(octets) ? text(octets) : undefined;
  return shown === undefined || /(?![\t\n\v\f\r])\p{Cc}/u.test(shown) ? fillText(texts.octets, { count: octets.length }) : shown;
}

function entryTable({ realm }: WebRequest, entries: readonly ClientEntry[], isWhole: boolean): SafeHtml {
  return table(texts.below, entries, [
    {
      head: texts.name,
      of: ({ dn }) => html`<a class="way" href="${hrefOf(realm, path, { dn })}">${isWhole ? dn : (dn.split(/(?<!\\),/, 1)[0] ?? dn)}</a>`,
    },
    {
      head: texts.classes,
      of: (entry) =>
        entry
          .all('objectClass')
          .filter((name) => name !== 'top')
          .join(', '),
    },
  ]);
}
