import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRow, RouteMethod, RouteRow } from '#catalogue';
import type { Cookie } from './cookies.ts';
import type { Limit } from './limited.ts';
import type { Page } from './page.ts';
import type { WebRealm } from './realm.ts';

/** A request as handlers see it: parsed, bounded, and free of the framework underneath. */
export interface WebRequest {
  readonly method: RouteMethod;
  /** Asked with HEAD: answered as GET is, and nothing is kept for it (RFC 9110 §9.2.1). */
  readonly isHead: boolean;
  /** Whose page is asked for. Paths, here and in a reply, are those of the realm: its prefix is nobody's business but the door's. */
  readonly realm: WebRealm;
  /** The path as it came, without the realm's prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path and query together as they came, without the realm's prefix: what is parked and returned to. */
  readonly target: string;
  /** Named parts of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** Every value of a cookie of this name, since those of nested paths arrive together. */
  cookies(name: string): readonly string[];
  /**
   * The form of a POST, once its token is judged. There is no other way to a form's fields: who reads them has said whose they must be.
   *
   * @param subjectOf  whose token it must carry; it is given the form, since the subject may be named in it
   * @returns the form, and why its token is refused if it is
   */
  openForm(
    subjectOf: (form: URLSearchParams) => string,
  ): Promise<{ readonly form: URLSearchParams; readonly refused: ErrorRow | undefined }>;
  /** The value of a header; `undefined` when there is none, or several that may not be joined. */
  header(name: string): string | undefined;
  /**
   * Reads a body as JSON (RFC 8259): `application/json` in UTF-8, no deeper than it may be, without members that name a prototype.
   *
   * @param octetsMax  of the body; `http.bodyOctetsMax` when absent
   * @returns `undefined` for a request without a body
   * @throws Refusal with STS-HTTP-0004 (too large), 0012 (charset or encoding), 0013 (cut off), 9520 (another type), 9521 (no JSON), 9522 (too deep, names)
   */
  json(octetsMax?: number): Promise<unknown>;
  /**
   * A body as it comes, decompressed; what is not read is not held.
   *
   * @param types  media types of which it must have one
   * @throws Refusal as `json` does, when it is called or while it is read
   */
  stream(types: readonly string[], octetsMax: number): AsyncIterable<Uint8Array>;
  readonly door: 'http' | 'https';
  /** True when what is sent back cannot be read on the way. */
  readonly secure: boolean;
  /** Of this service as the browser sees it, without a slash at its end: `https://id.example.com`. */
  readonly origin: string;
  /** The client's address. */
  readonly address: string;
  /** The same in every audit row of this request. */
  readonly correlationId: string;
}

/** What a handler answers. Cookies, audit and headers are the sender's work. */
export type Reply = PageReply | RedirectReply | FileReply | JsonReply | StreamReply;

interface Common {
  readonly cookies?: readonly Cookie[];
  /** Why it is a refusal; recorded, never shown. */
  readonly error?: ErrorRow;
}

export interface PageReply extends Common {
  readonly kind: 'page';
  /** 200 when absent. */
  readonly status?: number;
  /** Seconds after which it is worth trying again: Retry-After (RFC 9110 §10.2.3). */
  readonly retryAfterS?: number;
  /** An attempt that was not admitted: answered 429 with Retry-After, and recorded unless `error` says that it was. */
  readonly limited?: Limit;
  readonly page: Page;
}

export interface RedirectReply extends Common {
  readonly kind: 'redirect';
  /** 303: whatever came, the browser goes on with a GET. */
  readonly status: 302 | 303;
  /** A path of the realm. */
  readonly to: string;
  /** Whether `to` is an absolute address of somebody else, which the handler has held against what may be led to. */
  readonly away?: true;
}

export interface JsonReply extends Common {
  readonly kind: 'json';
  /** 200 when absent. */
  readonly status?: number;
  /** Beside those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What JSON can say; with a status of 204 there is none. */
  readonly body?: unknown;
}

/** A body that is sent as it is made. Where it breaks off, the connection is cut, so that nobody takes it for whole. */
export interface StreamReply extends Common {
  readonly kind: 'stream';
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A file that never changes under its name. */
export interface FileReply extends Common {
  readonly kind: 'file';
  readonly type: string;
  readonly body: Uint8Array;
  readonly gzipped: Uint8Array;
}

export type Handler = (request: WebRequest) => Reply | Promise<Reply>;

/** A request for a library that answers by itself: Node's request and answer, with what the door has found out. */
export interface RawRequest extends Omit<WebRequest, 'openForm'> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /**
   * The fields of the form that came, with no token judged. To be called once; without a body there are none.
   *
   * @throws Refusal with STS-HTTP-0004 (too large), 0012 (charset or encoding), 0013 (cut off, broken compression), 9004 (no form), 9006 (too many fields, or
   *   no UTF-8)
   */
  form(): Promise<URLSearchParams>;
  /** Of the page that asks, when it is not of this service itself. */
  readonly foreignOrigin: string | undefined;
}

/** Answers by itself (`undefined`), or says what to answer. Headers of every answer are set before it is called. */
export type RawHandler = (request: RawRequest) => Promise<Reply | undefined>;

/** Which pages of other origins may ask before they do: a preflight names no client. */
export type MayAsk = (realm: WebRealm, origin: string) => Promise<boolean>;

/** A route row and what it does. */
export type WebRoute =
  | { readonly row: RouteRow; readonly handle: Handler }
  | { readonly row: RouteRow; readonly raw: RawHandler; readonly mayAsk?: MayAsk };

/** Joins a room's route rows with its handlers, which are called alike. */
export function bindRoutes<Name extends string>(
  rows: Readonly<Record<Name, RouteRow>>,
  handlers: Readonly<Record<Name, Handler>>,
): readonly WebRoute[] {
  return (Object.keys(rows) as Name[]).map((name) => ({ row: rows[name], handle: handlers[name] }));
}

/** The same for handlers that answer by themselves. */
export function bindRawRoutes<Name extends string>(
  rows: Readonly<Record<Name, RouteRow>>,
  handlers: Readonly<Record<Name, RawHandler>>,
  mayAsk: MayAsk,
): readonly WebRoute[] {
  return (Object.keys(rows) as Name[]).map((name) => ({ row: rows[name], raw: handlers[name], mayAsk }));
}
