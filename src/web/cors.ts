import type { ErrorRow } from '#catalogue';
import { errors } from './errors.ts';
import type { MayAsk } from './exchange.ts';
import type { Exchange } from './exchanges.ts';

/** Seconds a browser may keep what a preflight was told: as long as an operator may have to wait for a change to count everywhere. */
const preflightMaxAgeS = 600;

/** Serialized as browsers do (RFC 6454 §6.1); `null` and lists are none that anybody could list. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}

/** The page's origin when it is another than this service's own. */
export function foreignOriginOf({ request, origin }: Pick<Exchange, 'request' | 'origin'>): string | undefined {
  const asked = request.headers.origin;
  return asked === undefined || asked === origin ? undefined : asked;
}

/**
 * Answers a preflight: always 204, and with leave only for an origin that may ask.
 *
 * @param listed  `global.corsOrigins`
 * @param mayAsk  by the realm's applications; absent for what any page may read
 * @returns headers, and why leave was not given
 * @see WHATWG Fetch §3.2.2, specification document 2, STS-HTTP-0019
 */
export async function preflight(
  exchange: Exchange,
  methods: readonly string[],
  { listed, mayAsk, isOpen }: { readonly listed: readonly string[]; readonly mayAsk: MayAsk | undefined; readonly isOpen: boolean },
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly refused?: ErrorRow }> {
  const { request, origin, realm } = exchange;
  const asked = request.headers.origin ?? '';
  const isOwn = asked === origin || listed.includes(asked);
  const isAllowed = isOpen || isOwn || (isOrigin(asked) && (await mayAsk?.(realm, asked)) === true);
  if (!isAllowed) return { headers: { Vary: 'Origin' }, refused: errors.corsPreflight };
  const wanted = request.headers['access-control-request-headers'];
  return {
    headers: {
      Vary: 'Origin, Access-Control-Request-Headers',
      'Access-Control-Allow-Origin': isOpen ? '*' : asked,
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Max-Age': String(preflightMaxAgeS),
      ...(typeof wanted === 'string' && /^[\w-]+(?:\s*,\s*[\w-]+)*$/.test(wanted) ? { 'Access-Control-Allow-Headers': wanted } : {}),
    },
  };
}
