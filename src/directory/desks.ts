import type { Origin } from './access/networks.ts';

/** What an operation asks of the rooms above: who mails, and who knows where browsers reach the service. Everything here may go from thread to thread. */
export interface Desks {
  readonly links: LinkDesk;
  readonly mails: MailDesk;
}

/** A link that is asked for. */
export interface LinkAsked {
  /** The realm's id. */
  readonly realm: string;
  readonly kind: 'activation' | 'reset';
  readonly dn: string;
  readonly entryUuid: string;
  readonly hasPassword: boolean;
  /** It is to be mailed to this address, and shown to nobody; `''` for an entry that has none. `undefined`: it is shown. */
  readonly mailTo: string | undefined;
  readonly correlationId: string;
  readonly from: { readonly door: string; readonly address: Origin['address'] };
}

/** `mailed` has no link: whoever asked never sees it. */
export interface LinkIssued {
  readonly link?: string;
  readonly untilMs: number;
}

export interface LinkDesk {
  /** Why such a link cannot be issued at this moment, in words for who asks; `undefined` when it can. Nothing is done. */
  hindrance(asked: LinkAsked): Promise<string | undefined>;
  /** Ends what a reset ends above, and issues the link. `undefined` when the mail was not taken; then there is no link. */
  issue(asked: LinkAsked): Promise<LinkIssued | undefined>;
}

/** A mail that waits, or that was given up. Nothing of what it says. */
export interface MailShown {
  readonly id: string;
  readonly state: 'waiting' | 'failed';
  readonly kind: string;
  /** Whose it is: `urn:uuid:` and an entryUUID. */
  readonly subject: string;
  readonly writtenMs: number;
  readonly attempts: number;
  /** Of the last try that failed. */
  readonly why: string;
}

export interface MailDesk {
  /** The oldest first, at most so many. */
  list(realm: string, limit: number): Promise<readonly MailShown[]>;
  /** Has one tried again now; all of the realm without an id. @returns how many are tried, and how many say nothing good any more */
  retry(realm: string, id: string | undefined): Promise<{ readonly tried: number; readonly over: number }>;
  /** Looks soon for mails that are due. */
  wake(): void;
}

/** Desks that are opened later than the directory, when what stands above it has started. */
export interface DesksToCome extends Desks {
  open(desks: Desks): void;
}

export function createDesks(): DesksToCome {
  let opened: Desks | undefined;
  const there = () => {
    if (opened === undefined) throw new Error('nobody stands at this desk yet');
    return opened;
  };
  return {
    open: (desks) => {
      opened = desks;
    },
    links: {
      hindrance: async (asked) => (opened === undefined ? 'the service is still starting; try again' : opened.links.hindrance(asked)),
      issue: (asked) => there().links.issue(asked),
    },
    mails: {
      list: (realm, limit) => there().mails.list(realm, limit),
      retry: (realm, id) => there().mails.retry(realm, id),
      // A service that is still starting looks by itself.
      wake: () => opened?.mails.wake(),
    },
  };
}
