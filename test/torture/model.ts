/** An entry as a search shows it: attribute names in lower case, values sorted. */
export interface Entry {
  readonly dn: string;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  /** The entries of a slot that is several, its root first. */
  readonly parts?: readonly Entry[];
}

/** An entry, or that there is none. */
export type State = Entry | undefined;

/** A change that was sent. Its answer, when one came, is known by `id` wherever it is seen again, in a trace of system calls for example. */
export interface Step {
  /** Connection and message id; of a transaction those of its end, and empty before that is sent. */
  id: string;
  /** What the entry is when the change succeeds. */
  readonly after: State;
  readonly what: string;
  /** The result code, when it was answered. */
  code: number | undefined;
  /** Searches, by id, whose answers showed the change: then it was made, answered or not. */
  readonly shownBy: string[];
}

/**
 * One thing that changes by itself: an entry under whatever name it has, or a mark, which is a pair of values in an entry that many share.
 * At most one change of it is on its way at a time, so that what it may be after a failure is one of two states.
 */
export interface Slot {
  readonly name: string;
  /** Tells this slot's part out of an entry that was found. */
  readonly part: (entry: Entry) => State;
  /** Makes one state of its parts, where it is several entries. */
  readonly joined?: (parts: readonly Entry[]) => Entry;
  start: State;
  steps: Step[];
}

/** What a slot may be when only the changes that `answered` knows were answered or shown: one state, or two while a change is on its way. */
export function possible(slot: Slot, answered: (step: Step) => boolean): readonly State[] {
  let state = slot.start;
  for (const step of slot.steps) {
    if (!answered(step)) return [state, step.after];
    if (isMade(step)) state = step.after;
  }
  return [state];
}

/** What a slot was before one of its steps. */
export function settledBefore(slot: Slot, at: number): State {
  return slot.steps.slice(0, at).reduce((state, step) => (isMade(step) ? step.after : state), slot.start);
}

function isMade({ code, shownBy }: Step): boolean {
  return code === 0 || (code === undefined && shownBy.length > 0);
}

/** The state of a slot of which nothing is on its way. */
export function settledState(slot: Slot): State {
  return settledBefore(slot, slot.steps.length);
}

export function isPending(slot: Slot): boolean {
  const last = slot.steps.at(-1);
  return last !== undefined && last.code === undefined;
}

/** What a slot is among all entries that were found. More than one is a fault, which the text then shows. */
export function observed(slot: Slot, found: readonly Entry[]): State {
  const parts = found.map((entry) => slot.part(entry)).filter((part) => part !== undefined);
  if (parts.length > 0 && slot.joined !== undefined) return slot.joined(parts);
  if (parts.length < 2) return parts[0];
  return { dn: parts.map(({ dn }) => dn).join(' AND '), attributes: new Map() };
}

/** The same text for equal states and no others. */
export function textOf(state: State): string {
  if (state === undefined) return 'absent';
  const attributes = [...state.attributes].map(([name, values]) => `${name}: ${[...values].sort().join(' | ')}`).sort();
  return [`dn: ${state.dn}`, ...attributes].join('\n');
}

/** Holds what was found against what may be; a line for each thing that is not so. */
export function compare(slots: readonly Slot[], found: readonly Entry[], answered: (step: Step) => boolean): string[] {
  const faults: string[] = [];
  for (const slot of slots) {
    const is = observed(slot, found);
    const may = possible(slot, answered);
    if (may.some((state) => textOf(state) === textOf(is))) continue;
    const next = slot.steps.findIndex((step) => !answered(step));
    const sent = next < 0 ? slot.steps : slot.steps.slice(0, next + 1);
    const steps = sent
      .slice(-stepsShown)
      .map((step) => `${step.what} ${answered(step) ? `was answered ${step.code}` : 'was not answered'}`);
    const differences = may.map((state) => `  it is not ${difference(state, is)}`);
    faults.push([`${slot.name} is what it may not be. Its last changes: ${steps.join('; ') || 'none'}`, ...differences].join('\n'));
  }
  for (const entry of found) {
    if (!slots.some((slot) => slot.part(entry) !== undefined)) faults.push(`nobody made ${entry.dn}`);
  }
  return faults;
}

const stepsShown = 4;

/** In what one state differs from another, in a line. */
function difference(wanted: State, is: State): string {
  const [one, other] = [textOf(wanted).split('\n'), textOf(is).split('\n')];
  const only = (lines: string[], others: string[]) =>
    lines.filter((line) => !others.includes(line)).map((line) => line.slice(0, lineShown));
  return `{ ${only(one, other).join(', ')} } but { ${only(other, one).join(', ')} }`;
}

const lineShown = 70;

/** Takes what was found for what is, so that the next load can begin. */
export function settle(slots: readonly Slot[], found: readonly Entry[]): void {
  for (const slot of slots) {
    slot.start = observed(slot, found);
    slot.steps = [];
  }
}
