export { readAuthorities } from './certificates/authorities.ts';
export {
  type Certificate,
  type Extension,
  issued,
  keyIdentifierOf,
  type NameValue,
  type PublicKey,
  readCertificate,
  readCertificates,
  readName,
  valuesOf,
} from './certificates/certificate.ts';
export { type RevocationList, readRevocationList, revocationAddresses } from './certificates/crl.ts';
export {
  type DerElement,
  derChildren,
  derInteger,
  derOid,
  derTags,
  derTime,
  isContext,
  isUniversal,
  readDer,
  readOneDer,
} from './certificates/der.ts';
export { type CertificateDescribed, describeCertificate, describeTls, type TlsDescribed } from './certificates/described.ts';
export { type CertificateNames, readCertificateNames } from './certificates/names.ts';
export { chainMax, findPath, type Path } from './certificates/path.ts';
export { type CertificateOptions, openServerCertificate, renewServerCertificate, type ServerCertificate } from './certificates/server.ts';
export { constantTimeEqual, digest, type HashName, hmac, hmacSha256, keyedMac, sha256 } from './digest.ts';
export { errors as keysErrors } from './errors.ts';
export { cryptForms, foreignSchemes, type HashBounds, isBroken, type ParsedForeign, parseForeign } from './foreign/parse.ts';
export { costOctets, formatHash, type HashCost, isHash, logNMin, type ParsedHash, type PasswordHash, parseHash } from './hash.ts';
export { boundsOf, computeScrypt, createHasher, type Hasher, type HasherOptions, type Stretch, type Verified } from './hasher.ts';
export { jobs as keysJobs } from './jobs.ts';
export { checkKek } from './kek.ts';
export { generatePassword } from './password.ts';
export { isSealed, type SealingKey, seal, sealingKey, sealingScheme, unseal } from './seal.ts';
export { createSealer, type Sealer, type SealerKeys, sealerKeys, type Unsealed } from './sealer.ts';
export { settings as keysSettings } from './settings.ts';
export { digestOfAlgorithm, publicKeyOf, samePublicKey, verifyJose, verifySignature } from './signature.ts';
export {
  algorithmOfKey,
  makeSigningKey,
  readSigningKey,
  type SigningAlgorithm,
  type SigningKey,
  signingAlgorithms,
} from './signing-key.ts';
export {
  loadTotp,
  type Totp,
  type TotpAlgorithm,
  type TotpParameters,
  totpAlgorithms,
  totpDigits,
  totpPeriodS,
  totpSecretOctets,
  totpStep,
} from './totp.ts';
