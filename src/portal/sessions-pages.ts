import type { Session } from '#sessions';
import { fillText, html, notice, type Page, type Piece, type SafeHtml, type ThingRow, things, timeHtml, type WebRealm } from '#web';
import { formButton } from './frame.ts';
import { sessionsTexts as texts } from './sessions-texts.ts';
import { methodTexts } from './texts.ts';

/** What was done, as the list says it afterwards. */
export type SessionsDone = keyof typeof texts.done;

export function sessionsDoneOf(given: string | null): SessionsDone | undefined {
  return (Object.keys(texts.done) as SessionsDone[]).find((each) => each === given);
}

export interface SessionsList {
  readonly realm: WebRealm;
  /** Of this browser. */
  readonly session: Session;
  /** In other browsers, the one used last first. */
  readonly others: readonly Session[];
  /** True when there are others yet. */
  readonly moreOthers: boolean;
  readonly done: SessionsDone | undefined;
  readonly csrfToken: string;
  readonly nowMs: number;
}

/** Where a person is signed in: each session with the way to end it. */
export function sessionsPage({ realm, session, others, moreOthers, done, csrfToken, nowMs }: SessionsList): Page {
  const end = (each: Session, words: string, about: string) =>
    formButton(realm, '/portal/sessions/end', words, csrfToken, { fields: { sid: each.sid }, about });
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${texts.title}</h1>
${done !== undefined && notice('good', 'done', texts.done[done])}
<p>${texts.words}</p>
<section aria-labelledby="here"><h2 id="here">${texts.here}</h2>
${things([{ ...sessionRow(session, true, nowMs), action: end(session, texts.signOut, texts.here) }])}</section>
<section aria-labelledby="others"><h2 id="others">${texts.others}</h2>
${others.length === 0 && html`<p>${texts.noOthers}</p>`}
${
  others.length > 0 &&
  html`${things(others.map((other) => ({ ...sessionRow(other, false, nowMs), action: end(other, texts.end, aboutOf(other)) })))}
${moreOthers && html`<p class="quiet">${texts.moreOthers}</p>`}
${formButton(realm, '/portal/sign-out-elsewhere', texts.endOthers, csrfToken)}`
}</section>`,
  };
}

/** One session: how, when, from where. */
export function sessionRow({ events, createdMs, lastUsedMs, endsAtMs }: Session, isHere: boolean, nowMs: number): ThingRow {
  const ways = [...new Set(events.flatMap(({ amr, mechanisms }) => mechanisms ?? amr))];
  const from = [...new Set(events.map(({ address }) => address))].join(', ');
  const last = events.at(-1)?.whenMs ?? createdMs;
  const name: Piece = isHere ? html`<span class="tag">${texts.thisBrowser}</span>` : texts.otherBrowser;
  const with_ = ways.length === 0 ? texts.without : ways.map((way) => methodTexts[way] ?? way).join(', ');
  const when: SafeHtml = html`${texts.since} ${timeHtml(createdMs, nowMs)}${
    last > createdMs && html`, ${texts.again} ${timeHtml(last, nowMs)}`
  } · ${texts.lastUsed} ${timeHtml(lastUsedMs, nowMs)} · ${texts.until} ${timeHtml(endsAtMs, nowMs)}`;
  const recovery = ways.includes('recovery-code') ? [html`<span class="mark">${texts.recovery}</span>`] : [];
  return { name, lines: [fillText(texts.how, { ways: with_, from }), when, ...recovery] };
}

/** What tells a session from the others when its button is read aloud. */
function aboutOf({ events }: Session): string {
  return fillText(texts.about, { from: events.at(-1)?.address ?? '' });
}
