import { type Cursor, close, open, peekTag, readNumber, readOctets, readString } from '../ber/read.ts';
import { readAttributes } from './requests.ts';
import { operationTags as tags, universal } from './tags.ts';
import type { Response, Result } from './types.ts';

/** Reads the response at the cursor; `undefined` when `tag` is no response's. */
export function decodeResponse(c: Cursor, tag: number): Response | undefined {
  switch (tag) {
    case tags.searchResultEntry: {
      const outer = open(c, tag);
      const object = readString(c, universal.octets);
      const attributes = readAttributes(c);
      close(c, outer);
      return { kind: 'searchResultEntry', object, attributes };
    }
    case tags.searchResultDone:
      return { kind: 'searchResultDone', result: plainResult(c, tag) };
    case tags.searchResultReference:
      return { kind: 'searchResultReference', uris: readUris(c, tag) };
    case tags.bindResponse: {
      const outer = open(c, tag);
      const result = readResult(c);
      const serverSaslCreds = peekTag(c) === 0x87 ? readOctets(c, 0x87) : undefined;
      close(c, outer);
      return { kind: 'bindResponse', result, ...(serverSaslCreds && { serverSaslCreds }) };
    }
    case tags.modifyResponse:
      return { kind: 'modifyResponse', result: plainResult(c, tag) };
    case tags.addResponse:
      return { kind: 'addResponse', result: plainResult(c, tag) };
    case tags.delResponse:
      return { kind: 'delResponse', result: plainResult(c, tag) };
    case tags.modifyDNResponse:
      return { kind: 'modifyDNResponse', result: plainResult(c, tag) };
    case tags.compareResponse:
      return { kind: 'compareResponse', result: plainResult(c, tag) };
    case tags.extendedResponse: {
      const outer = open(c, tag);
      const result = readResult(c);
      const named = oidAndValue(c, 0x8a, 0x8b);
      close(c, outer);
      return { kind: 'extendedResponse', result, ...named };
    }
    case tags.intermediateResponse: {
      const outer = open(c, tag);
      const named = oidAndValue(c, 0x80, 0x81);
      close(c, outer);
      return { kind: 'intermediateResponse', ...named };
    }
  }
  return undefined;
}

function plainResult(c: Cursor, tag: number): Result {
  const outer = open(c, tag);
  const result = readResult(c);
  close(c, outer);
  return result;
}

/** COMPONENTS OF LDAPResult (RFC 4511 §4.1.9). */
function readResult(c: Cursor): Result {
  const code = readNumber(c, universal.enumerated);
  const matchedDN = readString(c, universal.octets);
  const diagnostic = readString(c, universal.octets);
  const referral = peekTag(c) === 0xa3 ? readUris(c, 0xa3) : undefined;
  return { code, matchedDN, diagnostic, ...(referral && { referral }) };
}

function readUris(c: Cursor, tag: number): string[] {
  const outer = open(c, tag);
  const uris: string[] = [];
  while (c.at < c.end) uris.push(readString(c, universal.octets));
  c.end = outer;
  return uris;
}

function oidAndValue(c: Cursor, oidTag: number, valueTag: number): { oid?: string; value?: Uint8Array } {
  const oid = peekTag(c) === oidTag ? readString(c, oidTag) : undefined;
  const value = peekTag(c) === valueTag ? readOctets(c, valueTag) : undefined;
  return { ...(oid !== undefined && { oid }), ...(value && { value }) };
}
