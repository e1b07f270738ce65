import { isUtf8 } from 'node:buffer';
import type { ClientEntry, OperatorsClient, SearchOptions } from '#client';
import { ClientRefusal } from '#client';
import { type Control, encodeBer, resultCodes } from '#ldap';
import type { Context } from './command.ts';

/** An entry as `--json` prints it: text as text, other octets as `{ "base64": … }`. */
export function entryJson(entry: ClientEntry): { readonly dn: string; readonly attributes: Readonly<Record<string, readonly unknown[]>> } {
  return {
    dn: entry.dn,
    attributes: Object.fromEntries(entry.attributes.map(({ description, values }) => [description, values.map(valueJson)])),
  };
}

function valueJson(value: Uint8Array): unknown {
  return isUtf8(value) ? Buffer.from(value).toString('utf8') : { base64: Buffer.from(value).toString('base64') };
}

/** A value for the eye. */
export function shown(value: Uint8Array): string {
  return isUtf8(value) ? Buffer.from(value).toString('utf8') : `(${value.length.toLocaleString('en')} octets)`;
}

/** Entries come in the order of an attribute of text (RFC 2891); more than the directory sorts, in its own. */
export function sortedBy(attribute: string): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() =>
      ber.sequence(() => {
        ber.string(attribute);
        // uid and cn have no order of their own (RFC 4519).
        ber.string('caseIgnoreOrderingMatch', 0x80);
      }),
    ),
  );
  return { oid: '1.2.840.113556.1.4.473', critical: false, value };
}

/** Entries one by one, no more than were asked for; that there are more is told. */
export async function* upTo(
  client: OperatorsClient,
  options: SearchOptions,
  controls: readonly Control[],
  { stderr }: Context,
): AsyncGenerator<ClientEntry, void, undefined> {
  let found = 0;
  try {
    for await (const entry of client.search(options, controls)) {
      found++;
      yield entry;
    }
  } catch (error) {
    const { sizeLimit = 0 } = options;
    const isLimit = error instanceof ClientRefusal && error.code === resultCodes.sizeLimitExceeded;
    if (!isLimit || sizeLimit === 0 || found < sizeLimit) throw error;
    stderr.write(`There are more than the ${sizeLimit.toLocaleString('en')} that were asked for.\n`);
  }
}
