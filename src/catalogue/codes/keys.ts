import { reserve } from './reserve.ts';

const xml = 'an XML signature or encryption is refused';
const persistence = 'signing keys or the certificate authority could not be kept, loaded or rotated';
const operation = 'an operation of the certificate authority is refused';
const path = 'a presented certificate path does not hold';
const logged = 'a condition inside or at the start of the certificate authority; logged only';
const responder = 'an answer of the CRL or OCSP responder';
const authoring = 'an action of the authoring pane or on a key pair is refused';

/** @see specification document 2, "STS-KEYS" and "STS-PKI" */
export const keys = [
  reserve('KEYS', 'retired', [['0006', 'retired']]),
  reserve('KEYS', 'reserved', [
    ['0002', 'the key-encryption key is empty or shorter than 32 bytes'],
    ['0003', 'this runtime cannot generate ML-DSA keys'],
    ['0004 0005', 'a stored hash cannot be decoded or computed and is no match'],
    ['0007-0025', xml],
    ['0026-0039', persistence],
    ['0041 0042', persistence],
    ['0043-0054', 'a secret could not be had: unreadable, empty, wrong permissions, unknown provider'],
    ['0055', 'keys.kidFormat: the thumbprint URI cannot be computed; the internal kid is used'],
    ['0056-0058', persistence],
    ['0059 0060', 'the detached signature of an HTTP redirect fails or cannot be checked'],
    ['0061', 'an XML signature or encryption uses an algorithm that is not supported'],
    ['0062', 'an XML signature uses SHA-1 while saml.allowSha1Signatures is off'],
    ['0063-0069', persistence],
    ['0070', 'rsa-1_5 key transport in product mode'],
    ['0071', 'a cipher or a key management that is not allowed'],
    ['0072', 'an OAEP digest or mask generation that is not fit'],
    ['0073', 'an agreement method that is not supported'],
    ['0074', 'the recipient key is no elliptic-curve key'],
    ['0075 0076', persistence],
    ['0077', 'an ECDSA curve weaker than P-256 in product mode'],
    ['0078', 'any failure to decrypt AES-CBC, told as one'],
    ['0090', 'an ECDH-ES key derivation that is not fit'],
    ['0091-0106', 'data encryption keys and the key management service'],
  ]),
  reserve('PKI', 'retired', [
    ['0071 0072', 'retired'],
    ['0108', 'retired'],
  ]),
  reserve('PKI', 'reserved', [
    ['0001-0013', operation],
    ['0014-0021', path],
    ['0022-0026', operation],
    ['0027', 'pki.maxStoredObjects is reached and a new object is refused', { http: 400 }],
    ['0028-0029', operation],
    ['0030-0033', logged],
    ['0034-0043', operation],
    ['0044-0054', logged],
    ['0055-0059', operation],
    ['0060-0062', logged],
    ['0063', responder],
    ['0064', logged],
    ['0065-0070', responder],
    ['0073 0074', responder],
    ['0075', authoring],
    ['0076', logged],
    ['0077-0092', authoring],
    ['0093', logged],
    ['0094-0096', authoring],
    ['0097', logged],
    ['0098-0100', authoring],
    ['0101', 'an export needs the role Admin Write', { http: 403 }],
    ['0102 0103', authoring],
    ['0104', logged],
    ['0105-0107', authoring],
    ['0109-0117', authoring],
    ['0118', 'a presented certificate is revoked'],
    ['0119', 'the revocation status is unknown under pki.revocationCheck=hard-fail'],
    ['0120-0128', 'fetching or checking revocation information failed'],
    ['0129', 'registered certificates are refused'],
    ['0130-0134', responder],
    ['0140-0149', 'an uploaded certificate is refused', { http: 400 }],
  ]),
];
