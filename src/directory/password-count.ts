import { text } from '#base';
import { decodeAttributes } from '#ldap';
import type { StoredEntry } from '#store';
import { passwordKey } from './write.ts';

/** Counts passwords by how they are kept. */
export interface PasswordCount {
  see(entry: Pick<StoredEntry, 'secret'>): void;
  /** By scheme: `{SCRYPT}`, `{SSHA}`, `{CRYPT}$6$`; the most frequent first. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Names that are told apart; whatever else there should be is counted together. */
const schemesMax = 64;
const others = 'others';

export function countPasswords(): PasswordCount {
  const counts = new Map<string, number>();
  return {
    see({ secret }) {
      for (const value of passwordsOf(secret)) {
        const scheme = schemeOf(value);
        const name = counts.has(scheme) || counts.size < schemesMax ? scheme : others;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    },
    get counts() {
      return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
    },
  };
}

function passwordsOf(secret: Uint8Array): readonly Uint8Array[] {
  try {
    return decodeAttributes(secret).find(({ description }) => description.toLowerCase() === passwordKey)?.values ?? [];
  } catch {
    // Octets that no encoder of ours wrote: the examination tells of them.
    return [];
  }
}

function schemeOf(value: Uint8Array): string {
  const [, scheme, crypt = ''] = /^(\{[A-Za-z0-9./_-]{1,32}\})(\$[A-Za-z0-9]{1,8}\$)?/.exec(text(value) ?? '') ?? [];
  return scheme === undefined ? 'no scheme' : scheme.toUpperCase() + (scheme.toUpperCase() === '{CRYPT}' ? crypt : '');
}
