import { concat } from '#base';

/** Gets what stands at an address. @throws for whatever keeps it from being whole, in time and within the size */
export type Fetch = (address: string, bounds: FetchBounds) => Promise<Uint8Array>;

export interface FetchBounds {
  readonly timeoutMs: number;
  /** After decompression. */
  readonly octetsMax: number;
  /** Whether other addresses that the answer names are gone to. */
  readonly redirects: boolean;
}

/** GET by the fetch of Node, with an end to time and size. */
export const boundedFetch: Fetch = async (address, { timeoutMs, octetsMax, redirects }) => {
  const answer = await fetch(address, {
    redirect: redirects ? 'follow' : 'error',
    credentials: 'omit',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`${address} answers ${answer.status}`);
  }
  const parts: Uint8Array[] = [];
  let octets = 0;
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    octets += part.length;
    // Leaving the loop cancels the rest.
    if (octets > octetsMax) throw new Error(`${address} has more than ${octetsMax} octets`);
    parts.push(part);
  }
  return concat(parts);
};
