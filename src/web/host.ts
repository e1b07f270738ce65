/** Where a request came from and to, as far as its socket and its Host header say. */
export interface HostRules {
  /** Only names of this machine itself: what stands in a page on another name could be steered here by DNS rebinding. */
  readonly loopbackOnly: boolean;
  /** The host, with port, of `global.publicBaseUrl`; empty when it is not set. */
  readonly publicHost: string;
}

/**
 * The host a request is for, in lower case, or `undefined` when the service does not answer for it.
 *
 * @param header  the Host header
 * @param local   true for a connection from this machine, which may always use the machine's own names
 * @see RFC 9112 §3.2: a request without a valid Host is refused
 */
export function readHost(header: string | undefined, local: boolean, { loopbackOnly, publicHost }: HostRules): string | undefined {
  const host = header?.toLowerCase();
  if (host === undefined || !isHost(host)) return undefined;
  if (isLoopbackHost(host)) return loopbackOnly || local || publicHost === '' ? host : undefined;
  if (publicHost !== '') return host === publicHost ? host : undefined;
  return loopbackOnly ? undefined : host;
}

/** True for `localhost`, names below it, and loopback addresses; with or without a port. */
export function isLoopbackHost(host: string): boolean {
  const name = withoutPort(host);
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name.replace(/^\[|\]$/g, ''));
}

/** True for 127.0.0.0/8 and ::1, also as Node writes IPv4 on a socket of both families. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

/** True for a literal address, for which a browser keeps no HSTS (RFC 6797 §8.1.1). */
export function isAddressHost(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(withoutPort(host));
}

export function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '');
}

/** An address as people write it: IPv4 without the mapping. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}

function isHost(host: string): boolean {
  if (
    !/^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/.test(
      host,
    )
  )
    return false;
  return URL.canParse(`http://${host}/`);
}
