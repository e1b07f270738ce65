export { readAuthorities } from './certificates/authorities.ts';
export { type CertificateOptions, openServerCertificate, type ServerCertificate } from './certificates/server.ts';
export { constantTimeEqual, hmacSha256, sha256 } from './digest.ts';
export { errors as keysErrors } from './errors.ts';
export { costOctets, formatHash, type HashCost, isHash, logNMin, type ParsedHash, type PasswordHash, parseHash } from './hash.ts';
export { computeScrypt, createHasher, type Hasher, type HasherOptions, type Verified } from './hasher.ts';
export { checkKek } from './kek.ts';
export { generatePassword } from './password.ts';
export { settings as keysSettings } from './settings.ts';
