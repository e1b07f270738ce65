import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { text } from '#base';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';

export interface BodyLimits {
  /** Octets, counted both as they arrive and after decompression. */
  readonly octetsMax: number;
  readonly fieldsMax: number;
}

const formType = 'application/x-www-form-urlencoded';

/** True when a body follows the headers. A GET without one is complete, but Node says so only later. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Reads a form.
 *
 * @throws Refusal with STS-HTTP-0004 (too large), 0012 (charset or encoding), 0013 (cut off, broken compression), 9004 (no form), 9006 (too many fields)
 * @see WHATWG URL §5.1 for the format
 */
export async function readForm(request: IncomingMessage, limits: BodyLimits): Promise<URLSearchParams> {
  if (!announcesBody(request)) return new URLSearchParams();
  const { type, charset } = parseContentType(request.headers['content-type']);
  if (type !== formType) throw refuse(errors.mediaTypeNotRead);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'us-ascii') throw refuse(errors.bodyNotRead);
  const body = text(await readBody(request, limits.octetsMax));
  if (body === undefined) throw refuse(errors.formMalformed);
  // Five megabytes of ampersands would be five million fields.
  if (separators(body) >= limits.fieldsMax) throw refuse(errors.formMalformed);
  return new URLSearchParams(body);
}

/** Reads a whole body, decompressed, never holding more than `octetsMax` of it. */
export function readBody(request: IncomingMessage, octetsMax: number): Promise<Uint8Array> {
  // It may have broken off before anybody asked for it.
  if (request.destroyed && !request.complete) return Promise.reject(refuse(errors.bodyBroken));
  if (Number(request.headers['content-length'] ?? 0) > octetsMax) return Promise.reject(refuse(errors.bodyTooLarge));
  const decoder = decoderOf(request.headers['content-encoding']);
  if (decoder === 'unknown') return Promise.reject(refuse(errors.bodyNotRead));

  return new Promise((resolve, reject) => {
    const source: Readable = decoder ?? request;
    const chunks: Uint8Array[] = [];
    let arrived = 0;
    let octets = 0;
    const end = () => {
      request.off('data', arriving).off('error', broken).off('close', closed);
      source.off('data', keep).off('end', whole);
      if (decoder !== undefined) request.unpipe(decoder);
      // A decoder that is given up may still report what it choked on.
      decoder?.on('error', () => undefined).destroy();
    };
    const fail = (row: (typeof errors)[keyof typeof errors]) => {
      end();
      reject(refuse(row));
    };
    const arriving = (chunk: Uint8Array) => {
      arrived += chunk.length;
      if (arrived > octetsMax) fail(errors.bodyTooLarge);
    };
    const keep = (chunk: Uint8Array) => {
      octets += chunk.length;
      if (octets > octetsMax) fail(errors.bodyTooLarge);
      else chunks.push(chunk);
    };
    const whole = () => {
      end();
      resolve(new Uint8Array(Buffer.concat(chunks)));
    };
    const broken = () => fail(errors.bodyBroken);
    const closed = () => {
      if (!request.complete) fail(errors.bodyBroken);
    };
    request.on('data', arriving).on('error', broken).on('close', closed);
    source.on('data', keep).on('end', whole);
    if (decoder !== undefined) {
      decoder.on('error', broken);
      request.pipe(decoder);
    }
  });
}

/** @see RFC 9110 §8.4.1; several codings on top of each other serve nobody but a bomb */
export function decoderOf(encoding: string | undefined): Transform | undefined | 'unknown' {
  switch ((encoding ?? 'identity').trim().toLowerCase()) {
    case 'identity':
    case '':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
  }
  return 'unknown';
}

export function parseContentType(header: string | undefined): { readonly type: string; readonly charset: string | undefined } {
  const [type = '', ...parameters] = (header ?? '').split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1])
    .find((found) => found !== undefined);
  return { type: type.trim().toLowerCase(), charset: charset?.toLowerCase() };
}

function separators(body: string): number {
  let count = 0;
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1)) count++;
  return count;
}
