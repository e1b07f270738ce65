import { utf8 } from '#base';
import type { Control, PartialAttribute } from '../message/types.ts';
import type { LdifRecord } from './types.ts';

/** What a file of records begins with (RFC 2849, version-spec). */
export const ldifHeader = 'version: 1\n\n';

/** No line is longer than this (RFC 2849, note 2). */
const columnsMax = 76;

/**
 * One record as LDIF: ASCII text, folded at 76 columns, base64 where RFC 2849 asks for it, and the empty line that ends it.
 *
 * @see RFC 2849
 */
export function formatLdifRecord(record: LdifRecord): string {
  const dn = line('dn', utf8(record.dn));
  switch (record.kind) {
    case 'content':
      return `${dn}${attributeLines(record.attributes)}\n`;
    case 'add':
      return `${dn}${changeHead(record)}${attributeLines(record.attributes)}\n`;
    case 'delete':
      return `${dn}${changeHead(record)}\n`;
    case 'modify': {
      const changes = record.changes.map(
        ({ operation, attribute }) => `${fold(`${operation}: ${attribute.description}`)}${attributeLines([attribute])}-\n`,
      );
      return `${dn}${changeHead(record)}${changes.join('')}\n`;
    }
    case 'modrdn': {
      const superior = record.newSuperior === undefined ? '' : line('newsuperior', utf8(record.newSuperior));
      return `${dn}${changeHead(record)}${line('newrdn', utf8(record.newRdn))}deleteoldrdn: ${record.deleteOldRdn ? 1 : 0}\n${superior}\n`;
    }
  }
}

function changeHead(record: Exclude<LdifRecord, { kind: 'content' }>): string {
  return `${record.controls.map(controlLine).join('')}changetype: ${record.kind}\n`;
}

function controlLine({ oid, critical, value }: Control): string {
  const head = `control: ${oid} ${critical}`;
  return value ? line(head, value) : fold(head);
}

function attributeLines(attributes: readonly PartialAttribute[]): string {
  let lines = '';
  for (const { description, values } of attributes) for (const value of values) lines += line(description, value);
  return lines;
}

/** `name: value`, or `name:: base64` for a value that is no SAFE-STRING or ends with a space. */
function line(name: string, value: Uint8Array): string {
  const octets = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (!isSafe(octets)) return fold(`${name}:: ${octets.toString('base64')}`);
  return fold(octets.length === 0 ? `${name}:` : `${name}: ${octets.toString('latin1')}`);
}

/** SAFE-STRING (RFC 2849), and no space at its end (note 8). A tab in front would be safe, but OpenLDAP's tools skip every white space there. */
function isSafe(octets: Uint8Array): boolean {
  const first = octets[0] ?? 0x21;
  if (first <= 0x20 || first === 0x3a || first === 0x3c || octets.at(-1) === 0x20) return false;
  for (const octet of octets) if (octet >= 0x80 || octet === 0 || octet === 0x0a || octet === 0x0d) return false;
  return true;
}

function fold(text: string): string {
  if (text.length <= columnsMax) return `${text}\n`;
  let folded = text.slice(0, columnsMax);
  // A folded line begins with a space, which is one of its columns.
  for (let at = columnsMax; at < text.length; at += columnsMax - 1) folded += `\n ${text.slice(at, at + columnsMax - 1)}`;
  return `${folded}\n`;
}
