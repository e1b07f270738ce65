import type { IncomingMessage } from 'node:http';
import type { ErrorRow } from '#catalogue';
import type { Session } from '#sessions';
import type { RawRequest } from '#web';
import type { Application } from '../applications/index.ts';
import type { Issuer } from '../issuer.ts';

/** One request on its way through the library: what this service knows of it, and finds out on the way. */
export interface Passing {
  readonly raw: RawRequest;
  readonly issuer: Issuer;
  /** Applications that were looked up for this request: each once. */
  readonly applications: Map<string, Promise<Application | undefined>>;
  /** The live session of somebody who may be here. */
  session?: Session | undefined;
  /** The scope as it was asked for: the library takes `offline_access` out of it. */
  askedScope?: string;
  /** What was noted of this very request when it was last answered at a screen; `null` when nothing was, `undefined` before anybody asked. */
  answered?: Readonly<Record<string, unknown>> | null;
  /** The token set that begins with this request. */
  begins?: { readonly setId: string };
  /** Its refusal, where that has a code of its own. */
  because?: ErrorRow;
  /** What is to be shown to the person, since there is no application to tell. */
  shown?: { readonly status: number; readonly error: string; readonly description: string; readonly row: ErrorRow };
}

const passing = new WeakMap<IncomingMessage, Passing>();

export function beginPassing(raw: RawRequest, issuer: Issuer): Passing {
  const made: Passing = { raw, issuer, applications: new Map() };
  passing.set(raw.request, made);
  return made;
}

export function passingOf({ req }: { readonly req: IncomingMessage }): Passing {
  const found = passing.get(req);
  if (found === undefined) throw new Error('a request that this service did not hand over');
  return found;
}
