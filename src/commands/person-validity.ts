import { utf8 } from '#base';
import { barOf, type Validity, validityAttributes, validityOf } from '#holdings';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { need, people } from './lookup.ts';

/** Sets from when and until when anybody may sign in as a person, or shows it. */
export async function personValidity(given: Given, context: Context): Promise<number> {
  const [from, until] = ['from', 'until'].map((name) => given.texts(name).map((text) => readMoment(name, text))[0]);
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const person = await need(client, suffix, people, given.need('PERSON'), validityAttributes);
    const changes = [
      ...(from === undefined ? [] : [replace('stsValidFrom', from)]),
      ...(until === undefined ? [] : [replace('stsValidUntil', until)]),
    ];
    if (changes.length > 0) await client.actor.modify(person.dn, changes);
    const now = await client.actor.read(person.dn, [...validityAttributes]);
    const validity = validityOf((name) => now?.one(name));
    const nowMs = context.clock.nowMs();
    const object = { dn: person.dn, ...shownValidity(validity), valid: barOf(validity, nowMs) === undefined };
    context.stdout.write(given.flag('json') ? `${JSON.stringify(object)}\n` : `${person.dn}: ${stateOf(validity, nowMs)}\n`);
    return 0;
  });
}

/** How an account stands, in words. */
export function stateOf(validity: Validity, nowMs: number): string {
  const { fromMs, untilMs } = validity;
  switch (barOf(validity, nowMs)) {
    case 'disabled':
      return 'disabled: nobody can sign in as them';
    case 'early':
      return `not valid yet: nobody can sign in as them before ${shownMoment(fromMs)}`;
    case 'late':
      return `valid no longer: nobody can sign in as them since ${shownMoment(untilMs)}`;
    case undefined:
      return untilMs === undefined ? 'enabled' : `enabled until ${shownMoment(untilMs)}`;
  }
}

/** The same for programs. */
export function shownValidity({ locked, fromMs, untilMs }: Validity) {
  const shown = (ms: number | undefined) => (ms === undefined ? undefined : shownMoment(ms));
  return { disabled: locked, from: shown(fromMs), until: shown(untilMs) };
}

function shownMoment(ms: number | undefined): string {
  return ms === undefined || !Number.isFinite(ms)
    ? 'a time that cannot be read'
    : new Date(ms)
        .toISOString()
        .replace('T', ' ')
        .replace(/\.000Z$|Z$/, ' UTC');
}

function replace(description: string, value: string) {
  return { operation: 'replace', attribute: { description, values: value === '' ? [] : [utf8(value)] } } as const;
}

/** A day begins at midnight UTC. */
const forms = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * The GeneralizedTime of a moment as people write it (RFC 3339, or a day); empty for `none`.
 *
 * @throws Misuse
 */
function readMoment(option: string, text: string): string {
  if (text === 'none') return '';
  const ms = forms.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
  if (Number.isNaN(ms)) throw new Misuse(`--${option}: ${JSON.stringify(text)} is no time such as 2026-12-31, 2026-12-31T18:00Z or none`);
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
}
