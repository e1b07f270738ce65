export { type Mode, makesEntries, protectsPasswords, refusesPasswordsToChange, reservedPassword, verifiesPasswords } from './mode.ts';
export { settings as policySettings } from './settings.ts';
