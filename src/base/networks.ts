import { isIPv4, isIPv6 } from 'node:net';

/** A network: its address, and how many bits of it count. */
export interface Network {
  readonly octets: Uint8Array;
  readonly bits: number;
}

/** @param address  as `addressOctets` gives it */
export function isInNetwork({ octets, bits }: Network, address: Uint8Array): boolean {
  if (octets.length !== address.length) return false;
  const whole = bits >>> 3;
  for (let at = 0; at < whole; at++) if (octets[at] !== address[at]) return false;
  const rest = bits & 7;
  return rest === 0 || ((octets[whole] ?? 0) ^ (address[whole] ?? 0)) >>> (8 - rest) === 0;
}

/**
 * @param text  an address and the length of its prefix (RFC 4632 §3.1, RFC 4291 §2.3), or an address alone; of IPv4 within IPv6 (`::ffff:192.0.2.0/120`) it is
 *              the network of IPv4
 * @returns what is wrong with it, for what is no network; no `why` where it is nothing of the kind
 */
export function readNetwork(text: string): Network | { readonly why: string | undefined } {
  const [address = '', prefix, ...more] = text.split('/');
  const octets = addressOctets(address);
  if (octets === undefined || more.length > 0) return { why: undefined };
  const most = octets.length * 8;
  const given = prefix === undefined ? most : /^(?:0|[1-9]\d{0,2})$/.test(prefix) ? Number(prefix) : Number.NaN;
  // The prefix of IPv4 within IPv6 counts all sixteen octets.
  const bits = octets.length === 4 && address.includes(':') && given >= mappedBits ? given - mappedBits : given;
  if (!(bits <= most)) return { why: `the length of the prefix is a number up to ${most}` };
  for (let bit = bits; bit < most; bit++)
    if (((octets[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) return { why: 'the address has bits behind the prefix' };
  return { octets, bits };
}

/** What stands before an IPv4 address within IPv6 (RFC 4291 §2.5.5.2). */
const mappedBits = 96;

/** The octets of an address, four or sixteen; IPv4 within IPv6 (RFC 4291 §2.5.5.2) is IPv4. `undefined` for what is no address. */
export function addressOctets(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split('.').map(Number));
  // A zone names an interface of this machine, and no network (RFC 4007 §11).
  const plain = text.replace(/%.*$/, '');
  if (!isIPv6(plain)) return undefined;
  const mapped = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain);
  const groups = expand(mapped === null ? plain : `${mapped[1]}${asGroups(mapped[2] ?? '')}`);
  const octets = Uint8Array.from(groups.flatMap((group) => [group >>> 8, group & 0xff]));
  const isMapped = octets.subarray(0, 10).every((octet) => octet === 0) && octets[10] === 0xff && octets[11] === 0xff;
  return isMapped ? octets.slice(12) : octets;
}

function asGroups(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function expand(text: string): number[] {
  const [head = '', tail] = text.split('::');
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  return tail === undefined ? first : [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}
