import { type Handler, html, type WebRequest } from '#web';
import { deedLink } from './acts.ts';
import { flash } from './flash.ts';
import { consolePage } from './frame.ts';
import { hrefOf, section } from './parts.ts';
import type { ConsoleDeps } from './run.ts';
import { curlCommand, terminal } from './terminal.ts';

const texts = {
  title: 'LDIF in and out',
  out: 'Out',
  outWords: 'Every entry of this realm that you may see, as LDIF (RFC 2849), written while it is read. Secrets are not in it.',
  plain: 'Export',
  operational: 'Export with operational attributes',
  in: 'In',
  inWords:
    'Entries to add, or change records, as LDIF. A dry run tells what would be added, changed, skipped and refused, and writes nothing. Larger files go over the management API or “atrium import”.',
  import: 'Import',
} as const;

/** The way to a realm's LDIF, and from it. */
export function createLdifHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request: WebRequest, admin) => {
    const { realm } = request;
    const way = (words: string, query: Readonly<Record<string, string>>) =>
      html`<a role="button" class="outline" href="${hrefOf(realm, '/admin/api-explorer/ldif.export', { run: '1', ...query })}">${words}</a>`;
    const deed = deedLink(
      deps,
      request,
      admin,
      { name: 'ldif.import', given: { 'in.dryRun': 'true' }, thing: '', back: '/admin/ldif' },
      texts.import,
    );
    return {
      title: texts.title,
      json: { export: '/admin-api/ldif', import: '/admin-api/ldif' },
      main: html`<h1>${texts.title}</h1>${flash(deps, request)}
${section('out', texts.out, html`<p>${texts.outWords}</p><div class="acts">${way(texts.plain, {})}${way(texts.operational, { operational: 'true' })}</div>`)}
${deed !== undefined && section('in', texts.in, html`<p>${texts.inWords}</p><div class="acts">${deed}</div>`)}
${terminal([curlCommand(request, 'GET', '/admin-api/ldif'), { tool: 'atrium', text: `atrium export --realm ${realm.id}\natrium import --realm ${realm.id} FILE` }])}`,
    };
  });
}
