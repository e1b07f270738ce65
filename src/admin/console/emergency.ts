import { type Handler, html, notice, type Reply, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import type { Operation } from '../operations/row.ts';
import { statusOf } from './acts.ts';
import { takenBack } from './consequences.ts';
import { emergencyTexts as texts } from './emergency-texts.ts';
import { shapeOf } from './forms.ts';
import { consoleForm, consolePage, type Drawn } from './frame.ts';
import type { Admin } from './gate.ts';
import { absent, crumbs, field, form, hrefOf } from './parts.ts';
import { type ConsoleDeps, run } from './run.ts';
import { sameOf } from './same.ts';
import { directoryCommands } from './twins.ts';

const path = '/admin/keys/emergency';
const keysPath = '/admin/keys';
/** What confirms it. @see specification document 2, STS-KEYS: `confirm` equal to `compromised` */
const word = 'compromised';

/** The form that takes back all signing keys: apart from the usual rotation, and done by nothing but the word. */
export function createEmergencyHandlers(deps: ConsoleDeps): Readonly<Record<'emergency' | 'emergencyRotate', Handler>> {
  const needs = { needs: 'write', fresh: true, back: keysPath } as const;
  const row = deps.operations.get('keys.rotate');
  return {
    emergency: consolePage(deps, needs, async (request, admin) =>
      row === undefined ? absent(errors.thingAbsent) : emergencyPage(deps, request, admin, row),
    ),
    emergencyRotate: consoleForm(deps, needs, async (request, admin, given): Promise<Drawn | Reply> => {
      if (row === undefined) return absent(errors.thingAbsent);
      if ((given.get('confirm') ?? '').trim() !== word)
        return { ...(await emergencyPage(deps, request, admin, row, { fault: texts.wrong })), status: 422, error: errors.formUnfit };
      const performed = await run(deps, row, request, admin, { emergency: true, confirm: word });
      if (performed.kind !== 'failed') return { kind: 'redirect', status: 303, to: `${keysPath}?done=${row.name}` };
      const { failure } = performed;
      const why = failure.errors.map(({ message }) => message).join(' ');
      return { ...(await emergencyPage(deps, request, admin, row, { why })), status: statusOf(failure.status), error: failure.error };
    }),
  };
}

async function emergencyPage(
  deps: ConsoleDeps,
  request: WebRequest,
  admin: Admin,
  row: Operation,
  { fault, why }: { readonly fault?: string; readonly why?: string } = {},
): Promise<Drawn> {
  const { realm } = request;
  const shape = shapeOf(row.input);
  const given = { emergency: 'true', confirm: word };
  return {
    title: texts.title,
    main: html`${crumbs(realm, [[keysPath, texts.keys]])}<h1>${texts.title}</h1>
${why !== undefined && notice('bad', 'why', why)}${notice('careful', 'for', texts.when)}
<section aria-label="${texts.title}"><p>${texts.falls}</p>${await takenBack(deps, request, admin)}<p>${texts.stays}</p>
${form({
  ...{ realm, path, csrfToken: admin.csrfToken, verb: texts.verb, look: 'danger' },
  fields: [field({ name: 'confirm', label: texts.confirm, kind: 'text', required: true, hint: texts.hint, fault })],
})}
<p class="ways"><a href="${hrefOf(realm, keysPath)}">${texts.cancel}</a></p></section>
${sameOf(request, row, shape, given, { tools: await directoryCommands(deps, request, admin, row, shape, given) })}`,
  };
}
