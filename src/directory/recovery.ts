import { text } from '#base';
import { refuse } from '#catalogue';
import { recoveryCodesMax, recoveryForm, recoverySetFault, spentMark } from '#credentials';
import { isHash } from '#keys';
import { type Engine, hashCost } from './engine.ts';
import { errors } from './errors.ts';
import { recoveryCode, recoveryCodeKey } from './holders.ts';
import type { Realm } from './realm.ts';
import type { Attributes } from './record.ts';

/**
 * What is stored of a set of recovery codes that a request brings: hashes with one salt.
 *
 * @param mayBringHashes  true for an administrator, whose `{SCRYPT}…` values, and the mark of a set that is used up, are taken as they are
 * @throws Refusal `valueRefused` (19) for what can be no code, `hashQueueFull` (51)
 */
export async function storedRecoveryCodes(
  engine: Engine,
  realm: Realm,
  given: readonly Uint8Array[],
  mayBringHashes: boolean,
): Promise<ReadonlyMap<Uint8Array, Uint8Array>> {
  if (given.length > recoveryCodesMax) throw unfit(`a set has ${recoveryCodesMax} codes at most`);
  const brought = given.filter((value) => isBrought(text(value) ?? ''));
  if (brought.length > 0 && !mayBringHashes) throw unfit('a hash may be given by an administrator only');
  const codes = given.filter((value) => !brought.includes(value));
  const forms = codes.map((value) => recoveryForm(text(value) ?? ''));
  const whole = forms.filter((form) => form !== undefined);
  if (whole.length < codes.length) throw unfit('a code has 8 to 64 letters and digits, and dashes and spaces between them');
  if (new Set(whole.map((form) => text(form))).size < whole.length)
    throw unfit('two of its codes are the same but for dashes, spaces and case');
  const hashes = await engine.hasher.hashSet(whole, hashCost(realm));
  return new Map([...brought.map((value) => [value, value] as const), ...codes.map((value, at) => [value, hashOf(hashes, at)] as const)]);
}

function hashOf(hashes: readonly string[], at: number): Uint8Array {
  const hash = hashes[at];
  if (hash === undefined) throw new Error('a set of codes has fewer hashes than codes');
  return Buffer.from(hash);
}

function isBrought(value: string): boolean {
  return value === spentMark || isHash(value);
}

/** @throws Refusal `valueRefused` (19) for values that are no set: of more than one salt, or in clear */
export function checkRecoverySet(attributes: Attributes): void {
  const fault = recoverySetFault(attributes.get(recoveryCodeKey)?.values ?? []);
  if (fault !== undefined) throw unfit(fault);
}

function unfit(why: string) {
  return refuse(errors.valueRefused, { attribute: recoveryCode, why });
}
