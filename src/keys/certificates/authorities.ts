import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { refuse } from '#catalogue';
import { errors } from '../errors.ts';

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The authorities that vouch for clients.
 *
 * @param file  path of a PEM file; empty for none
 * @returns its certificates as PEM, `undefined` for none
 * @throws Refusal `authoritiesUnusable` (STS-TLS-9002) for a file that cannot be read, that holds no certificate, or one that is no authority's
 */
export function readAuthorities(file: string): string | undefined {
  if (file === '') return undefined;
  try {
    const certificates = readFileSync(file, 'utf8').match(pem) ?? [];
    if (certificates.length === 0) throw new Error('it holds no certificate');
    for (const each of certificates) if (!new X509Certificate(each).ca) throw new Error('it holds a certificate that is no authority’s');
    return certificates.join('\n');
  } catch (error) {
    throw refuse(errors.authoritiesUnusable, { why: error instanceof Error ? error.message : String(error) });
  }
}
