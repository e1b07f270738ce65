import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { text } from '#base';
import { refuse } from '#catalogue';
import { announcesBody, decoderOf, parseContentType, readBody } from './body.ts';
import { errors } from './errors.ts';

export interface JsonLimits {
  /** Octets, counted both as they arrive and after decompression. */
  readonly octetsMax: number;
  /** Arrays and objects that stand within each other. */
  readonly depthMax: number;
}

/** Names of members that a careless copy would let reach an object's prototype. */
const namesRefused = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a body as JSON.
 *
 * @returns `undefined` when there is no body
 * @throws Refusal with STS-HTTP-0004, 0012, 0013, 9520, 9521, 9522
 * @see RFC 8259
 */
export async function readJson(request: IncomingMessage, { octetsMax, depthMax }: JsonLimits): Promise<unknown> {
  if (!announcesBody(request)) return undefined;
  judgeType(request, ['application/json']);
  const body = text(await readBody(request, octetsMax));
  if (body === undefined) throw refuse(errors.jsonMalformed);
  // Before it is parsed: what is made of deep nesting cannot be walked or written any more.
  if (depthOf(body, depthMax) > depthMax) throw refuse(errors.jsonRefused);
  let refused = false;
  let value: unknown;
  try {
    value = JSON.parse(body, (name, member: unknown) => {
      if (namesRefused.has(name)) refused = true;
      return member;
    });
  } catch {
    throw refuse(errors.jsonMalformed);
  }
  if (refused) throw refuse(errors.jsonRefused);
  return value;
}

/**
 * A body as it comes, decompressed. Octets are counted as they arrive and after decompression.
 *
 * @throws Refusal with STS-HTTP-9520 and 0012 at once, 0004 and 0013 while it is read
 */
export function streamBody(request: IncomingMessage, types: readonly string[], octetsMax: number): AsyncIterable<Uint8Array> {
  judgeType(request, types);
  const decoder = decoderOf(request.headers['content-encoding']);
  if (decoder === 'unknown') throw refuse(errors.bodyNotRead);
  if (Number(request.headers['content-length'] ?? 0) > octetsMax) throw refuse(errors.bodyTooLarge);
  return bounded(request, decoder, octetsMax);
}

async function* bounded(
  request: IncomingMessage,
  decoder: Exclude<ReturnType<typeof decoderOf>, 'unknown'>,
  octetsMax: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!announcesBody(request)) return;
  let arrived = 0;
  let octets = 0;
  const counted = async function* () {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      arrived += chunk.length;
      if (arrived > octetsMax) throw refuse(errors.bodyTooLarge);
      yield chunk;
    }
    if (!request.complete) throw refuse(errors.bodyBroken);
  };
  try {
    for await (const chunk of decoder === undefined ? counted() : through(counted(), decoder)) {
      octets += chunk.length;
      if (octets > octetsMax) throw refuse(errors.bodyTooLarge);
      yield chunk;
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'row' in thrown) throw thrown;
    throw refuse(errors.bodyBroken);
  }
}

/** Octets as a decoder makes them of others; what fails before it fails behind it. */
function through(source: AsyncIterable<Uint8Array>, decoder: Transform): AsyncIterable<Uint8Array> {
  pipeline(source, decoder, () => undefined);
  return decoder as AsyncIterable<Uint8Array>;
}

function judgeType({ headers }: IncomingMessage, types: readonly string[]): void {
  const { type, charset } = parseContentType(headers['content-type']);
  if (!types.includes(type)) throw refuse(errors.jsonTypeNotRead);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'us-ascii') throw refuse(errors.bodyNotRead);
}

/** How deep a text nests; beyond `enough` it is looked at no further. Brackets within strings do not count. */
function depthOf(body: string, enough: number): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at);
    if (quoted) {
      if (code === 0x5c) at++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepest) deepest = depth;
      if (deepest > enough) return deepest;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}
