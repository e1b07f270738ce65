import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';

/** The protection of connections, as this process gives it. */
export interface TlsDescribed {
  /** Of the server's certificate: `ec P-256`, `rsa 3072`. */
  readonly certificate: string;
  readonly versions: string;
  /** How keys are established. */
  readonly groups: string;
}

/** What tells one certificate of the server from another. */
export interface CertificateDescribed {
  /** In hexadecimal. */
  readonly serialNumber: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** From this version of OpenSSL on a hybrid of X25519 and ML-KEM-768 is offered and taken first. */
const hybridFrom = [3, 5] as const;

/** @param cert  PEM: the server's certificate first */
export function describeCertificate(cert: string): CertificateDescribed {
  const { serialNumber, validFromDate, validToDate } = new X509Certificate(cert);
  return { serialNumber, fromMs: validFromDate.getTime(), untilMs: validToDate.getTime() };
}

/** @param cert  PEM: the server's certificate first */
export function describeTls(cert: string): TlsDescribed {
  const { asymmetricKeyType = 'unknown', asymmetricKeyDetails = {} } = new X509Certificate(cert).publicKey;
  const { namedCurve, modulusLength } = asymmetricKeyDetails;
  const size = namedCurve === 'prime256v1' ? 'P-256' : (namedCurve ?? modulusLength ?? '');
  const { openssl } = process.versions;
  const [major = 0, minor = 0] = openssl.split('.').map(Number);
  const isHybrid = tls.DEFAULT_ECDH_CURVE === 'auto' && (major > hybridFrom[0] || (major === hybridFrom[0] && minor >= hybridFrom[1]));
  const groups = isHybrid ? 'X25519MLKEM768 with clients that offer it, else X25519 and NIST curves' : 'X25519 and NIST curves';
  return {
    certificate: `${asymmetricKeyType} ${size}`.trim(),
    versions: `${tls.DEFAULT_MIN_VERSION} to ${tls.DEFAULT_MAX_VERSION}`,
    groups: `${groups} (OpenSSL ${openssl})`,
  };
}
