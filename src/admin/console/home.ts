import { type Actor, allOf, ClientRefusal, equals } from '#client';
import { type Handler, html, pathIn, readTime, type SafeHtml, things, timeHtml, type WebRequest } from '#web';
import { flash } from './flash.ts';
import { consolePage } from './frame.ts';
import type { Admin } from './gate.ts';
import { homeTexts as texts } from './home-texts.ts';
import { figure, section, state } from './parts.ts';
import { groups, placesIn } from './places.ts';
import { type ConsoleDeps, mayRun } from './run.ts';
import { searchCommand, terminal } from './terminal.ts';

/** One thing that makes an installation ready, as it is measured now. */
interface Step {
  readonly name: string;
  readonly isDone: boolean;
  readonly words: string | SafeHtml;
  /** Where it is done, when that is by a page. */
  readonly way?: SafeHtml | undefined;
}

/** The first page: what is to be done to make this installation ready, and the way to everything. */
export function createHomeHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin) => {
    const { realm } = request;
    const steps = await stepsOf(deps, request, admin);
    const counted = await Promise.all(
      texts.counted.map(async ([below, words, path]) => [words, path, await countBelow(admin.actor, `${below},${realm.suffix}`)] as const),
    );
    const left = steps.filter(({ isDone }) => !isDone);
    const places = placesIn(deps.places, realm, admin.role);
    return {
      title: texts.title,
      json: {
        ready: left.length === 0,
        steps: steps.map(({ name, isDone }) => ({ name, done: isDone })),
        counts: Object.fromEntries(counted.map(([words, , count]) => [words, count])),
      },
      main: html`<h1>${texts.title}</h1>${flash(deps, request)}
${section('ready', left.length === 0 ? texts.ready : texts.todo, html`<p>${texts.measured}</p>`, things(steps.map(({ name, isDone, words, way }) => ({ name, lines: way === undefined ? [words] : [words, way], action: isDone ? state('good', texts.done) : state('careful', texts.open) }))))}
${section('counts', texts.counts, html`<dl>${counted.map(([words, path, count]) => html`<div><dt>${words}</dt><dd>${places.some((place) => place.path === path) ? html`<a class="way" href="${pathIn(realm, path)}">${figure(count)}</a>` : figure(count)}</dd></div>`)}</dl>`)}
${section(
  'ways',
  texts.everything,
  html`<dl>${groups.flatMap((group) => {
    const those = places.filter((place) => place.group === group);
    return those.length === 0
      ? []
      : [
          html`<div><dt>${group}</dt><dd class="acts">${those.map(({ path, words }) => html`<a class="way" href="${pathIn(realm, path)}">${words}</a>`)}</dd></div>`,
        ];
  })}</dl>`,
)}
${terminal([searchCommand(admin, { base: realm.suffix, scope: 'one', filter: '(objectClass=*)', attributes: ['numSubordinates'] })])}`,
    };
  });
}

async function stepsOf(deps: ConsoleDeps, request: WebRequest, admin: Admin): Promise<readonly Step[]> {
  const settings = deps.operating.settingsOf(request.realm.id) as Readonly<Record<string, unknown>>;
  const isSet = (name: string) => typeof settings[name] === 'string' && settings[name] !== '';
  const { keys, app } = admin.person.holdings;
  const way = (path: string, words: string) => html`<a class="way" href="${pathIn(request.realm, path)}">${words}</a>`;
  const holdsFactor = app !== undefined || keys.length > 0;
  const factor = { ...step(texts.factor, holdsFactor), way: holdsFactor ? undefined : way('/portal/mfa', texts.addFactor) };
  const own: Step[] = [step(texts.mail, isSet('mail.smtpHost')), factor];
  if (request.realm.prefix !== '') return own;
  const backUp = deps.operations.get('backup.create');
  const isOffered = backUp !== undefined && mayRun(admin, backUp);
  const backup = await lastBackup(admin.actor, request.realm.suffix);
  return [
    step(texts.kek, isSet('keys.kek')),
    certificateStep(deps, isSet('tls.certFile'), admin.nowMs),
    ...own,
    backup === undefined
      ? { ...step(texts.backup, false), way: isOffered ? way('/admin/do/backup.create', texts.backUp) : undefined }
      : { name: texts.backup[0], isDone: true, words: html`${texts.backup[1]} ${timeHtml(backup, admin.nowMs)}.` },
  ];
}

function step([name, done, open]: readonly [name: string, done: string, open: string], isDone: boolean): Step {
  return { name, isDone, words: isDone ? done : open };
}

const dayMs = 24 * 60 * 60 * 1000;

/** By what is shown now: one of the operator's that ends soon is to be renewed. */
function certificateStep({ operating }: ConsoleDeps, isOperators: boolean, nowMs: number): Step {
  const shown = operating.description?.certificate();
  const standing = step(texts.certificate, isOperators);
  if (!isOperators || shown === undefined) return standing;
  const isDone = shown.untilMs - nowMs > texts.certificateDays * dayMs;
  return {
    ...standing,
    isDone,
    words: html`${isDone ? standing.words : texts.certificateEnds} ${texts.certificateUntil} ${timeHtml(shown.untilMs, nowMs)}.`,
  };
}

const backupsMax = 100;

/** When a task of this service has last made a backup; copies that other programs made are not known here. */
async function lastBackup(actor: Actor, suffix: string): Promise<number | undefined> {
  const filter = allOf(equals('stsTaskKind', 'backup'), equals('stsTaskState', 'done'));
  try {
    const { entries } = await actor.search({
      base: `cn=tasks,${suffix}`,
      scope: 'one',
      filter,
      attributes: ['stsTaskEnded'],
      sizeLimit: backupsMax,
    });
    const times = entries.flatMap((entry) => readTime(entry.one('stsTaskEnded')) ?? []);
    return times.length === 0 ? undefined : Math.max(...times);
  } catch (error) {
    if (error instanceof ClientRefusal) return undefined;
    throw error;
  }
}

async function countBelow(actor: Actor, dn: string): Promise<number> {
  return Number((await actor.read(dn, ['numSubordinates']))?.one('numSubordinates') ?? 0);
}
