import { type Arena, arena, begin, end, take, writeBoolean, writeHeader, writeNumber, writeOctets, writeString } from '../ber/write.ts';
import { writeFilter } from '../filter/ber.ts';
import { writeAttribute } from './attributes.ts';
import { derefPolicies, modifyOperations, scopes, operationTags as tags, universal } from './tags.ts';
import type { Control, Message, PartialAttribute, Request, Response, Result, SearchRequest } from './types.ts';

/** One LDAPMessage as octets (RFC 4511 §4.1.1). */
export function encodeMessage(message: Message): Uint8Array {
  const a = arena(256);
  writeMessage(a, message);
  return new Uint8Array(take(a));
}

/** Writes one LDAPMessage behind what the arena holds. */
export function writeMessage(a: Arena, message: Message): void {
  const mark = begin(a, universal.sequence);
  writeNumber(a, universal.integer, message.messageId);
  writeOperation(a, message.op);
  writeControls(a, message.controls);
  end(a, mark);
}

/** Controls [0], or nothing when there are none (RFC 4511 §4.1.11). */
export function writeControls(a: Arena, controls: readonly Control[]): void {
  if (controls.length === 0) return;
  const list = begin(a, 0xa0);
  for (const control of controls) {
    const mark = begin(a, universal.sequence);
    writeString(a, universal.octets, control.oid);
    // RFC 4511 §5.1: a value equal to its default is left out.
    if (control.critical) writeBoolean(a, universal.boolean, true);
    if (control.value) writeOctets(a, universal.octets, control.value);
    end(a, mark);
  }
  end(a, list);
}

function writeOperation(a: Arena, op: Request | Response): void {
  switch (op.kind) {
    case 'unbindRequest':
      writeHeader(a, tags.unbindRequest, 0);
      return;
    case 'delRequest':
      writeString(a, tags.delRequest, op.entry);
      return;
    case 'abandonRequest':
      writeNumber(a, tags.abandonRequest, op.messageId);
      return;
    case 'bindRequest':
    case 'searchRequest':
    case 'modifyRequest':
    case 'addRequest':
    case 'modifyDNRequest':
    case 'compareRequest':
    case 'extendedRequest': {
      const mark = begin(a, tags[op.kind]);
      writeRequest(a, op);
      end(a, mark);
      return;
    }
    case 'bindResponse':
    case 'searchResultEntry':
    case 'searchResultReference':
    case 'searchResultDone':
    case 'modifyResponse':
    case 'addResponse':
    case 'delResponse':
    case 'modifyDNResponse':
    case 'compareResponse':
    case 'extendedResponse':
    case 'intermediateResponse': {
      const mark = begin(a, tags[op.kind]);
      writeResponse(a, op);
      end(a, mark);
      return;
    }
  }
}

function writeRequest(a: Arena, op: Exclude<Request, { kind: 'unbindRequest' | 'delRequest' | 'abandonRequest' }>): void {
  switch (op.kind) {
    case 'bindRequest':
      writeNumber(a, universal.integer, op.version);
      writeString(a, universal.octets, op.name);
      if (op.authentication.kind === 'simple') {
        writeOctets(a, 0x80, op.authentication.password);
      } else {
        const sasl = begin(a, 0xa3);
        writeString(a, universal.octets, op.authentication.mechanism);
        if (op.authentication.credentials) writeOctets(a, universal.octets, op.authentication.credentials);
        end(a, sasl);
      }
      return;
    case 'searchRequest':
      writeSearch(a, op);
      return;
    case 'modifyRequest': {
      writeString(a, universal.octets, op.object);
      const list = begin(a, universal.sequence);
      for (const change of op.changes) {
        const mark = begin(a, universal.sequence);
        writeNumber(a, universal.enumerated, modifyOperations.indexOf(change.operation));
        writeAttribute(a, change.attribute);
        end(a, mark);
      }
      end(a, list);
      return;
    }
    case 'addRequest':
      writeString(a, universal.octets, op.entry);
      writeAttributes(a, op.attributes);
      return;
    case 'modifyDNRequest':
      writeString(a, universal.octets, op.entry);
      writeString(a, universal.octets, op.newRdn);
      writeBoolean(a, universal.boolean, op.deleteOldRdn);
      if (op.newSuperior !== undefined) writeString(a, 0x80, op.newSuperior);
      return;
    case 'compareRequest': {
      writeString(a, universal.octets, op.entry);
      const ava = begin(a, universal.sequence);
      writeString(a, universal.octets, op.description);
      writeOctets(a, universal.octets, op.value);
      end(a, ava);
      return;
    }
    case 'extendedRequest':
      writeString(a, 0x80, op.oid);
      if (op.value) writeOctets(a, 0x81, op.value);
      return;
  }
}

function writeSearch(a: Arena, op: SearchRequest): void {
  writeString(a, universal.octets, op.baseObject);
  writeNumber(a, universal.enumerated, scopes.indexOf(op.scope));
  writeNumber(a, universal.enumerated, derefPolicies.indexOf(op.derefAliases));
  writeNumber(a, universal.integer, op.sizeLimit);
  writeNumber(a, universal.integer, op.timeLimitS);
  writeBoolean(a, universal.boolean, op.typesOnly);
  writeFilter(a, op.filter);
  const list = begin(a, universal.sequence);
  for (const attribute of op.attributes) writeString(a, universal.octets, attribute);
  end(a, list);
}

function writeResponse(a: Arena, op: Response): void {
  switch (op.kind) {
    case 'searchResultEntry':
      writeString(a, universal.octets, op.object);
      writeAttributes(a, op.attributes);
      return;
    case 'searchResultReference':
      for (const uri of op.uris) writeString(a, universal.octets, uri);
      return;
    case 'searchResultDone':
    case 'modifyResponse':
    case 'addResponse':
    case 'delResponse':
    case 'modifyDNResponse':
    case 'compareResponse':
      writeResult(a, op.result);
      return;
    case 'bindResponse':
      writeResult(a, op.result);
      if (op.serverSaslCreds) writeOctets(a, 0x87, op.serverSaslCreds);
      return;
    case 'extendedResponse':
      writeResult(a, op.result);
      if (op.oid !== undefined) writeString(a, 0x8a, op.oid);
      if (op.value) writeOctets(a, 0x8b, op.value);
      return;
    case 'intermediateResponse':
      if (op.oid !== undefined) writeString(a, 0x80, op.oid);
      if (op.value) writeOctets(a, 0x81, op.value);
      return;
  }
}

/** COMPONENTS OF LDAPResult (RFC 4511 §4.1.9). */
function writeResult(a: Arena, result: Result): void {
  writeNumber(a, universal.enumerated, result.code);
  writeString(a, universal.octets, result.matchedDN);
  writeString(a, universal.octets, result.diagnostic);
  if (!result.referral) return;
  const referral = begin(a, 0xa3);
  for (const uri of result.referral) writeString(a, universal.octets, uri);
  end(a, referral);
}

function writeAttributes(a: Arena, attributes: readonly PartialAttribute[]): void {
  const list = begin(a, universal.sequence);
  for (const attribute of attributes) writeAttribute(a, attribute);
  end(a, list);
}
