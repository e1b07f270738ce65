/** One algorithm of public keys: what the setting calls it, and its COSE number (IANA "COSE Algorithms"; RFC 9053, RFC 8230, RFC 9964). */
interface AlgorithmRow {
  readonly name: string;
  readonly cose: number;
  /** COSE key type; for curves the only one that goes with the algorithm (Web Authentication Level 3 §5.8.5). */
  readonly keyType: number;
  readonly curve?: number;
}

const okp = 1;
const ec2 = 2;
const rsa = 3;
const akp = 7;

/** Every algorithm that is verified, in the standing order of preference. */
const algorithms: readonly AlgorithmRow[] = [
  { name: 'ML-DSA-44', cose: -48, keyType: akp },
  { name: 'ML-DSA-65', cose: -49, keyType: akp },
  { name: 'ML-DSA-87', cose: -50, keyType: akp },
  { name: 'ES256', cose: -7, keyType: ec2, curve: 1 },
  { name: 'ES384', cose: -35, keyType: ec2, curve: 2 },
  { name: 'ES512', cose: -36, keyType: ec2, curve: 3 },
  { name: 'EdDSA', cose: -8, keyType: okp, curve: 6 },
  { name: 'RS256', cose: -257, keyType: rsa },
  { name: 'RS384', cose: -258, keyType: rsa },
  { name: 'RS512', cose: -259, keyType: rsa },
  { name: 'PS256', cose: -37, keyType: rsa },
  { name: 'PS384', cose: -38, keyType: rsa },
  { name: 'PS512', cose: -39, keyType: rsa },
];

export const algorithmNames: readonly string[] = algorithms.map(({ name }) => name);

/** COSE numbers of the algorithms that the setting names, in its order. */
export function coseNumbers(names: readonly string[]): number[] {
  return names.flatMap((name) => algorithms.find((each) => each.name === name)?.cose ?? []);
}

/** Whether a key type and a curve go with an algorithm. */
export function fitsAlgorithm(cose: number, keyType: unknown, curve: unknown): boolean {
  const row = algorithms.find((each) => each.cose === cose);
  return row !== undefined && row.keyType === keyType && (row.curve === undefined || row.curve === curve);
}
