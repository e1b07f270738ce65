/** One algorithm of public keys: what the setting calls it, and its COSE number (IANA "COSE Algorithms"; RFC 9053, RFC 8230, RFC 9964). */
interface AlgorithmRow {
  readonly name: string;
  readonly cose: number;
}

/** Every algorithm that is verified, in the standing order of preference. */
const algorithms = [
  { name: 'ML-DSA-44', cose: -48 },
  { name: 'ML-DSA-65', cose: -49 },
  { name: 'ML-DSA-87', cose: -50 },
  { name: 'ES256', cose: -7 },
  { name: 'ES384', cose: -35 },
  { name: 'ES512', cose: -36 },
  { name: 'EdDSA', cose: -8 },
  { name: 'RS256', cose: -257 },
  { name: 'RS384', cose: -258 },
  { name: 'RS512', cose: -259 },
  { name: 'PS256', cose: -37 },
  { name: 'PS384', cose: -38 },
  { name: 'PS512', cose: -39 },
] as const satisfies readonly AlgorithmRow[];

export const algorithmNames: readonly string[] = algorithms.map(({ name }) => name);
