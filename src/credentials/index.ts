export {
  appPasswordForm,
  appPasswordGroup,
  appPasswordLength,
  appPasswordsFault,
  parseStoredAppPassword,
  printStoredAppPassword,
  type StoredAppPassword,
  saltOf,
  storedAppPasswords,
} from './app-password.ts';
export { type CommonPasswords, commonPasswordsIn, readCommonPasswords } from './common.ts';
export { errors as credentialsErrors } from './errors.ts';
export {
  type Accepted,
  type Account,
  appPasswordRules,
  type Circumstances,
  isAloneTooLittle,
  judgeMatches,
  judgePassword,
  ownPasswordRules,
  type PasswordDoor,
  type Presented,
  scramJudgement,
} from './judge.ts';
export { createKnownMemory, createKnownPasswords, type KnownMemory, type KnownPasswords, type Recalled } from './known.ts';
export { codesLeft, recoveryCodesMax, recoveryForm, recoverySetFault, spentMark, withoutCode } from './recovery.ts';
export { saslPrep } from './sasl-prep.ts';
export {
  formatVerifier,
  judgeProof,
  makeVerifier,
  mockVerifier,
  parseVerifier,
  type ScramMechanism,
  type ScramVerifier,
  scramHashes,
  scramSaltOctets,
} from './scram.ts';
export { settings as credentialsSettings } from './settings.ts';
export { type HashesBrought, isStoredPassword, readStoredPassword, storedPassword } from './stored.ts';
export { judgeTotp, readTotpCredential, type TotpCredential, type TotpJudgement } from './totp.ts';
