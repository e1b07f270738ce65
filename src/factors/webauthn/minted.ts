import type { SecurityKey } from '#holdings';

/** What is kept of a challenge until it is claimed. */
export interface Minted {
  readonly holder: string;
  readonly role: SecurityKey['role'];
}

/** Reads back what was kept. */
export function parseMinted(json: unknown): Minted | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { holder, role } = json as Partial<Minted>;
  return typeof holder === 'string' && (role === 'mfa' || role === 'primary') ? { holder, role } : undefined;
}
