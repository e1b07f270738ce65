import { watch } from '#client';
import { facts, fillText, type Handler, html, notice, type Piece, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { shapeOf } from './forms.ts';
import { consolePage, type Drawn } from './frame.ts';
import { absent, hrefOf, section, state, table } from './parts.ts';
import { type ConsoleDeps, run } from './run.ts';
import { sameOf } from './same.ts';
import { sentence } from './sentences.ts';
import { serverTexts as texts } from './server-texts.ts';

/** What `authorization-servers.list` says of one. */
interface Server {
  readonly issuer: string;
  readonly realm: string;
  readonly name: string;
  readonly discovery: readonly string[];
  readonly jwks: string;
  readonly conformance: readonly { readonly document: string; readonly address: string }[];
  readonly algorithm: string;
  readonly keys: readonly { readonly kid: string; readonly algorithm: string; readonly state: string }[];
  readonly applications: readonly { readonly id: string; readonly name: string; readonly clientId: string; readonly disabled: boolean }[];
}

/** The issuers that there are, and who uses them. */
export function createServersHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin): Promise<Drawn> => {
    const row = deps.operations.get('authorization-servers.list');
    if (row === undefined) return absent(errors.thingAbsent);
    const { actor, searches } = watch(admin.actor);
    const performed = await run(deps, row, request, { ...admin, actor }, {});
    const output = performed.kind === 'done' ? performed.output : undefined;
    const failure = performed.kind === 'failed' ? performed.failure : undefined;
    const servers = (output?.['servers'] ?? []) as readonly Server[];
    return {
      title: texts.title,
      json: output ?? { errors: failure?.errors ?? [] },
      ...(failure === undefined ? {} : { status: failure.status, error: failure.error }),
      main: html`<h1>${texts.title}</h1><p>${texts.intro}</p>
${failure?.errors.map(({ message }, nth) => notice('bad', `wrong-${nth}`, sentence(message)))}${output?.['complete'] === false && notice('careful', 'more', texts.incomplete)}
${servers.map((server, nth) => serverSection(request, server, nth))}
${sameOf(request, row, shapeOf(row.input), {}, { who: admin, searches })}`,
    };
  });
}

function titleOf({ realm }: WebRequest, server: Server): string {
  const isHere = server.realm === realm.id;
  if (server.name === '') return isHere ? texts.own : fillText(texts.ownOf, { realm: server.realm });
  return fillText(isHere ? texts.named : texts.namedOf, { name: server.name, realm: server.realm });
}

function serverSection(request: WebRequest, server: Server, nth: number): SafeHtml {
  const { realm } = request;
  const { issuer, keys, applications } = server;
  const isHere = server.realm === realm.id;
  const address = (url: string): SafeHtml => html`<a href="${url}"><code>${url}</code></a>`;
  const list = (all: readonly SafeHtml[]): SafeHtml => html`<ul class="plain">${all.map((each) => html`<li>${each}</li>`)}</ul>`;
  return section(
    `server-${nth}`,
    titleOf(request, server),
    facts([
      [texts.issuer, html`<code>${issuer}</code>`],
      [texts.discovery, list(server.discovery.map(address))],
      [texts.jwks, address(server.jwks)],
      [texts.algorithm, server.algorithm],
      [
        texts.conformance,
        list(server.conformance.map(({ document, address: url }) => html`<a href="${url}">${texts.documents[document] ?? document}</a>`)),
      ],
    ]),
    html`<h3>${texts.applications}</h3>`,
    applications.length === 0
      ? html`<p>${texts.noApplications}</p>`
      : table(fillText(texts.applicationsOf, { issuer }), applications, [
          {
            head: texts.application,
            of: ({ id, name, disabled }): Piece =>
              html`${isHere ? html`<a class="way" href="${hrefOf(realm, `/admin/applications/${id}`)}">${name}</a>` : name}${disabled && html` ${state('bad', texts.disabled)}`}`,
          },
          { head: texts.clientId, of: ({ clientId }) => html`<code>${clientId}</code>` },
        ]),
    // Named ones sign by the same keys as their realm's own.
    server.name === '' &&
      html`<h3>${texts.keys}</h3>${
        keys.length === 0
          ? html`<p>${texts.noKeys}</p>`
          : table(fillText(texts.keysOf, { issuer }), keys, [
              { head: texts.key, of: ({ kid }) => html`<code>${kid}</code>` },
              { head: texts.keyAlgorithm, of: ({ algorithm }) => algorithm },
              { head: texts.keyState, of: ({ state: now }) => now },
            ])
      }${isHere && html`<p class="ways"><a href="${hrefOf(realm, '/admin/keys')}">${texts.toKeys}</a></p>`}`,
    !isHere && html`<p class="ways"><a href="/realm/${server.realm}/admin">${texts.toRealm}</a></p>`,
  );
}
