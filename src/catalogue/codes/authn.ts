import { reserve } from './reserve.ts';

/** @see specification document 1, "Errors" and "Requiring a second factor" */
export const authn = [
  reserve('AUTHN', 'reserved', [
    ['0142', 'product mode: a password door other than the sign-in screen refuses an account whose password must be changed'],
    ['0171', 'a passwordless sign-in where a second factor is required'],
    ['0172', 'a second factor is required and both mechanisms are off'],
    ['0180', 'a sign-in whose person has no directory entry'],
    ['0200', 'a password is refused: the account is disabled'],
    ['0201', 'a new session is refused: the account is disabled'],
    ['0204', 'a hardware key is demanded, which neither a code nor a recovery code can be'],
    ['0206', 'product mode: the passwordless box for somebody without a primary key'],
    ['0213', 'a password-only door refuses the own password of a person with a second factor'],
    ['0214', 'an app password at a door outside its scopes, or at a browser sign-in'],
    ['0244', 'a policy turns on an emailed factor where no mail can be sent'],
    ['0268', 'a mechanism answered as a first factor and the policy does not accept it there'],
    ['0269', 'a mechanism answered as a second factor and the policy does not accept it there'],
    ['0270', 'Ignore was posted on an enrolment that is required'],
  ]),
  reserve('RISK', 'reserved', [['0039', 'enrolling a second factor was offered to an administrator at elevated risk']]),
];
