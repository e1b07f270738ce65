import { addressOctets, isInNetwork, type Network, readNetwork as readAnyNetwork } from '#base';

/** From where a request comes. */
export interface Origin {
  /** The peer's address as text. */
  readonly address: string;
  /** Over loopback or a Unix socket. */
  readonly loopback: boolean;
  /** TLS, a Unix socket, or another protected transport. */
  readonly secure: boolean;
}

/** From where a rule wants requests to come. */
export interface From {
  readonly networks: readonly Network[];
  readonly thisMachine: boolean;
  readonly isProtected: boolean;
}

export const fromAnywhere: From = { networks: [], thisMachine: false, isProtected: false };

/** Networks and this machine are alternatives of each other; protection must be there besides. */
export function isFrom({ networks, thisMachine, isProtected }: From, { address, loopback, secure }: Origin): boolean {
  if (isProtected && !secure) return false;
  if (networks.length === 0 && !thisMachine) return true;
  if (thisMachine && loopback) return true;
  const octets = networks.length === 0 ? undefined : addressOctets(address);
  return octets !== undefined && networks.some((network) => isInNetwork(network, octets));
}

/** @returns what is wrong with a word that is no network */
export function readNetwork(text: string): Network | { readonly why: string } {
  const read = readAnyNetwork(text);
  return 'octets' in read ? read : { why: `${text}: ${read.why ?? 'neither a network, this-machine nor protected'}` };
}
