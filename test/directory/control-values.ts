import { utf8 } from '#base';
import { type BerReader, type Control, decodeAttributes, decodeBer, encodeBer, type PartialAttribute } from '#ldap';
import { filterOf, type Shown } from './driver.ts';

const oids = {
  paged: '1.2.840.113556.1.4.319',
  sort: '1.2.840.113556.1.4.473',
  sorted: '1.2.840.113556.1.4.474',
  view: '2.16.840.1.113730.3.4.9',
  viewed: '2.16.840.1.113730.3.4.10',
  matched: '1.2.826.0.1.3344810.2.3',
  dereference: '1.3.6.1.4.1.4203.666.5.16',
  session: '1.3.6.1.4.1.21008.108.63.1',
} as const;

const none = new Uint8Array(0);

/** RFC 2696 §2 */
export function paged(size: number, cookie: Uint8Array = none, critical = true): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(size);
      ber.octets(cookie);
    }),
  );
  return { oid: oids.paged, critical, value };
}

/** Keys as `ldapsearch -E sss=` takes them: a minus in front for reverse, a rule behind a colon (RFC 2891 §1.1). */
export function sortedBy(keys: string, critical = true): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      for (const key of keys.split('/')) {
        const [attribute = '', rule] = key.replace(/^-/, '').split(':');
        ber.sequence(() => {
          ber.string(attribute);
          if (rule !== undefined) ber.string(rule, 0x80);
          if (key.startsWith('-')) ber.boolean(true, 0x81);
        });
      }
    }),
  );
  return { oid: oids.sort, critical, value };
}

/** draft-ietf-ldapext-ldapv3-vlv-09 §5 */
export function viewed(
  before: number,
  after: number,
  target: readonly [offset: number, count: number] | string,
  context?: Uint8Array,
): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(before);
      ber.number(after);
      if (typeof target === 'string') ber.string(target, 0x81);
      else {
        ber.sequence(() => {
          for (const each of target) ber.number(each);
        }, 0xa0);
      }
      if (context !== undefined) ber.octets(context);
    }),
  );
  return { oid: oids.view, critical: true, value };
}

/** RFC 3876 §2 */
export function matching(...filters: string[]): Control {
  const value = encodeBer((ber) => ber.sequence(() => filters.forEach((filter) => void ber.filter(filterOf(filter)))));
  return { oid: oids.matched, critical: true, value };
}

/** draft-masarati-ldap-deref §2.1 */
export function dereferenced(specs: Readonly<Record<string, readonly string[]>>, critical = true): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      for (const [attribute, attributes] of Object.entries(specs)) {
        ber.sequence(() => {
          ber.string(attribute);
          ber.sequence(() => attributes.forEach((each) => void ber.string(each)));
        });
      }
    }),
  );
  return { oid: oids.dereference, critical, value };
}

/** draft-wahl-ldap-session §2 */
export function session(...parts: readonly [ip: string, name: string, format: string, identifier: string]): Control {
  const value = encodeBer((ber) => ber.sequence(() => parts.forEach((part) => void ber.string(part))));
  return { oid: oids.session, critical: false, value };
}

export type Answered = { readonly controls: readonly Control[] };

function answerOf<T>({ controls }: Answered, oid: string, read: (ber: BerReader) => T): T | undefined {
  const value = controls.find((control) => control.oid === oid)?.value;
  return value && decodeBer(value, (ber) => ber.sequence(() => read(ber)));
}

export function pageOf(answers: Answered) {
  return answerOf(answers, oids.paged, (ber) => ({ estimate: ber.number(), cookie: ber.octets() }));
}

/** The result of sorting, and the key at fault. */
export function sortOf(answers: Answered) {
  return answerOf(answers, oids.sorted, (ber) => [ber.enumerated(), ...(ber.more ? [ber.string(0x80)] : [])] as const);
}

export function viewOf(answers: Answered) {
  return answerOf(answers, oids.viewed, (ber) => ({
    position: ber.number(),
    count: ber.number(),
    code: ber.enumerated(),
    context: ber.more ? ber.octets() : undefined,
  }));
}

/** What the dereference control of an entry says: for each value the attributes of its entry. */
export function dereferencesOf(entry: Shown | undefined) {
  if (entry === undefined) return undefined;
  const text = (values: PartialAttribute['values']) => values.map((value) => Buffer.from(value).toString());
  return answerOf(entry, oids.dereference, (ber) => {
    const found: [attribute: string, name: string, attributes: Readonly<Record<string, readonly string[]>> | undefined][] = [];
    while (ber.more) {
      ber.sequence(() => {
        const [attribute, name] = [ber.string(), ber.string()];
        const pieces: Uint8Array[] = [];
        if (ber.more) ber.list(() => void pieces.push(ber.element()), 0xa0);
        const attributes = decodeAttributes(Buffer.concat(pieces)).map(({ description, values }) => [description, text(values)] as const);
        found.push([attribute, name, pieces.length === 0 ? undefined : Object.fromEntries(attributes)]);
      });
    }
    return found;
  });
}

export const octets = utf8;
