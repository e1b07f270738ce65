import type { Identity } from './types.ts';

/** Who an identity is, as RFC 4513 §5.2.1.8 writes it: `dn:` and a name, `u:` and a word for what has none, nothing for anonymous. */
export function authzIdOf({ dn, strength }: Identity): string {
  if (dn !== undefined) return `dn:${dn}`;
  switch (strength) {
    case 'operatorsSocket':
      return 'u:operator';
    case 'webLayer':
      return 'u:web-layer';
    case 'anonymous':
    case 'appPassword':
    case 'ownPassword':
    case 'certificate':
    case 'onBehalf':
      return '';
  }
}
