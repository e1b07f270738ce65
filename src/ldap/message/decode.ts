import {
  type Cursor,
  close,
  cursor,
  Malformed,
  open,
  peekTag,
  readBoolean,
  readNumber,
  readOctets,
  readString,
  skip,
} from '../ber/read.ts';
import { decodeRequest } from './requests.ts';
import { decodeResponse } from './responses.ts';
import { universal } from './tags.ts';
import type { Control, Message } from './types.ts';

export type Decoded =
  | { readonly kind: 'message'; readonly message: Message }
  | {
      readonly kind: 'bad';
      readonly why: string;
      /** Both as far as they could be read, so that the answer can be a protocolError to that very request. */
      readonly messageId?: number;
      readonly requestTag?: number;
    };

const noControls: readonly Control[] = [];

/**
 * Decodes one LDAPMessage. Octet strings of the result are views into `bytes`.
 *
 * @param bytes   exactly one message, as `readFrame` found it
 * @param limits  nesting and components of a search filter
 * @returns the message, or `bad` for octets that are none; nothing is thrown whatever the octets are
 * @see RFC 4511 §4.1.1
 */
export function decodeMessage(bytes: Uint8Array, limits: { readonly depthMax: number; readonly filterItemsMax?: number }): Decoded {
  const c = cursor(bytes);
  let messageId: number | undefined;
  let requestTag: number | undefined;
  try {
    const outer = open(c, universal.sequence);
    if (c.end !== outer) throw new Malformed('octets behind the message');
    messageId = readNumber(c, universal.integer);
    const tag = peekTag(c);
    if (tag >= 0) requestTag = tag;
    const op = decodeRequest(c, tag, limits) ?? decodeResponse(c, tag);
    if (op === undefined) throw new Malformed(tag < 0 ? 'no operation' : `operation 0x${tag.toString(16)}`);
    const controls = readControls(c);
    close(c, outer);
    return { kind: 'message', message: { messageId, op, controls } };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return {
      kind: 'bad',
      why: error.message,
      ...(messageId !== undefined && { messageId }),
      ...(requestTag !== undefined && { requestTag }),
    };
  }
}

/** Controls are [0], behind the operation; components in between that are not known are passed over. */
function readControls(c: Cursor): readonly Control[] {
  while (c.at < c.end && peekTag(c) !== 0xa0) skip(c);
  if (c.at >= c.end) return noControls;
  const outer = open(c, 0xa0);
  const controls: Control[] = [];
  while (c.at < c.end) controls.push(readControl(c));
  c.end = outer;
  return controls;
}

/** Control ::= SEQUENCE { controlType, criticality DEFAULT FALSE, controlValue OPTIONAL } (RFC 4511 §4.1.11). */
function readControl(c: Cursor): Control {
  const outer = open(c, universal.sequence);
  const oid = readString(c, universal.octets);
  const critical = peekTag(c) === universal.boolean && readBoolean(c, universal.boolean);
  const value = peekTag(c) === universal.octets ? readOctets(c, universal.octets) : undefined;
  close(c, outer);
  return value === undefined ? { oid, critical } : { oid, critical, value };
}
