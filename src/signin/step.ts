import type { ErrorRow } from '#catalogue';
import type { Enrollable, Mechanism } from '#policy';
import type { Parked, Progress, Role } from '#sessions';
import type { Limit, Page, WebRealm, WebRequest } from '#web';
import type { Known } from './password.ts';

/**
 * One step of a sign-in: a page, and what is made of its form. It knows no other step, no policy and no session: the frame has found the request that
 * waits, judged the form's token, the browser and the time before a step is called, and asks the decider what comes after it.
 */
export interface Step {
  /** Stands in `Progress.underWay.step`. */
  readonly name: string;
  /** Below the realm: `/authn/totp`. GET draws it, POST takes its form. */
  readonly path: string;
  /** What it proves; `undefined` for a step that proves nothing (setup, password change). */
  readonly mechanism: Mechanism | undefined;
  /** Every sign-in begins here: it is shown whatever was reached before, and begins anew. */
  readonly begins?: true;
  /** What is shown to a browser other than the one in which the sign-in goes on; that it is over, when absent. */
  readonly elsewhere?: (realm: WebRealm) => Page | undefined;
  /** Draws the page. What it begins (a challenge) it returns as `change`. */
  show(call: StepCall, fault?: Fault): Drawn | Promise<Drawn>;
  /** Judges what was sent. Never called for a form whose token, browser or time is refused. */
  take(call: StepCall, form: URLSearchParams): Promise<Outcome>;
}

/** What a step is given. */
export interface StepCall {
  readonly request: WebRequest;
  readonly realm: WebRealm;
  /** Of the request that waits. */
  readonly id: string;
  readonly parked: Parked;
  readonly progress: Progress;
  /** Who was proven, or is meant by the typed name; read from the directory for this call. */
  readonly person: Known | undefined;
  /** As what the mechanism answers here. Decided from the parked record, never from a form. */
  readonly role: Role;
  /** First use: the step enrols. */
  readonly enrols: boolean;
  /** What may be enrolled, on the step that leads there; and whether it may not be ignored. */
  readonly choices: readonly Enrollable[];
  readonly required: boolean;
  /** A factor is asked for that somebody may have lost: the page says whom to ask. */
  readonly mayBeStuck: boolean;
  /** What the first screen asks for. */
  readonly first: FirstScreen;
  /** The other ways that the policy allows, as links. */
  readonly ways: readonly Way[];
  readonly nowMs: number;
  /** Until when this step waits. */
  readonly waitsUntilMs: number;
  /** For the form: the hidden field `csrfField`. */
  readonly csrfToken: string;
  /** The form's address, with the realm's prefix and the request's id. */
  readonly action: string;
  /** Puts a refusal of this step into the audit trail, in the name of its person. */
  readonly note: (action: string, error: ErrorRow) => void;
}

/** The first screen, by the policy and the demand. */
export interface FirstScreen {
  /** A password does. */
  readonly password: boolean;
  /** A key alone does. */
  readonly passwordless: boolean;
  /** A second factor can be asked for: the box; `demanded` when it is ticked for the person. */
  readonly secondFactor: 'none' | 'box' | 'demanded';
  /** One may go on without signing in. */
  readonly anonymous: boolean;
}

/** What a step may change of what was reached; `undefined` takes a member away. What is proven, by whom and until when is the frame's. */
export type Change = {
  readonly [Name in 'userName' | 'entryUuid' | 'ticked' | 'declined' | 'enrolling' | 'underWay']?: Progress[Name] | undefined;
};

export interface Way {
  /** With the realm's prefix and the request's id. */
  readonly href: string;
  readonly words: string;
}

/** What went wrong, as the page tells it. */
export interface Fault {
  /** A sentence: what happened, what to do next. */
  readonly words: string;
  /** The `id` of the field it is about; of the whole form when absent. */
  readonly field?: string;
  /** What was typed and may be shown again. Never a secret. */
  readonly kept?: Readonly<Record<string, string>>;
}

export interface Drawn {
  readonly page: Page;
  readonly change?: Change;
}

/** What came of a form that leads on. */
export type Reached = Extract<Outcome, { readonly kind: 'proven' | 'moved' }>;

/** What came of a form. */
export type Outcome =
  /** The factor was shown. The frame notes it in the call's role; `person` when this step found out who it is. */
  | { readonly kind: 'proven'; readonly amr: readonly string[]; readonly person?: Known; readonly change?: Change }
  /** Drawn again with the words; the sign-in is where it was but for `change`. */
  | {
      readonly kind: 'fault';
      readonly fault: Fault;
      /** HTTP; 200 when absent. */
      readonly status?: number;
      /** The attempt was not admitted. */
      readonly limited?: Limit;
      /** Recorded, never shown. */
      readonly error?: ErrorRow;
      readonly change?: Change;
    }
  /** The person goes on without signing in; counts only where `call.first.anonymous` says so. */
  | { readonly kind: 'anonymous' }
  /** Something else is reached: the frame asks the decider, and draws this step again if it is still one that may be taken. */
  | {
      readonly kind: 'moved';
      readonly change: Change;
      readonly person?: Known /** The step's time begins anew. */;
      readonly renews?: true;
    };
