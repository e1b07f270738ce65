import { text, utf8, withoutGroups } from '#base';
import { isHash, parseHash } from '#keys';

/** What stands in the place of the last code of a set when it is spent: a set that is used up is not the same as none. */
export const spentMark = '{SPENT}';

/** More codes than any set has. */
export const recoveryCodesMax = 100;
const codeForm = /^[A-Z0-9]{8,64}$/;
/** More than anybody types for one, with whatever stands between. */
const typedMax = 256;

/**
 * A recovery code as it is hashed: without dashes and spaces, and in upper case.
 *
 * @returns `undefined` for what can be none
 */
export function recoveryForm(typed: string): Uint8Array | undefined {
  if (typed.length > typedMax) return undefined;
  const bare = withoutGroups(typed);
  return codeForm.test(bare) ? utf8(bare) : undefined;
}

/** The codes of a set that are left, as they are stored. */
export function codesLeft(values: readonly Uint8Array[]): readonly string[] {
  return values.map((value) => text(value) ?? '').filter(isHash);
}

/** The set that is left when one code of it is spent. */
export function withoutCode(values: readonly Uint8Array[], spent: string): readonly Uint8Array[] {
  const left = values.filter((value) => text(value) !== spent);
  return codesLeft(left).length > 0 ? left : [utf8(spentMark)];
}

/**
 * What is wrong with values of `stsRecoveryCode` as they are to be stored, in words that follow the attribute's name; nothing for a set: hashes with one salt
 * and one cost, so that one hash judges a try, or the mark of a set that is used up.
 */
export function recoverySetFault(values: readonly Uint8Array[]): string | undefined {
  if (values.length > recoveryCodesMax) return `a set has ${recoveryCodesMax} codes at most`;
  const [first, ...others] = values.map((value) => text(value) ?? '');
  if (first === undefined || (first === spentMark && others.length === 0)) return undefined;
  const parsed = [first, ...others].map((each) => parseHash(each, Number.MAX_SAFE_INTEGER));
  const salts = new Set(
    parsed.map((each) => {
      if (each.kind !== 'hash') return undefined;
      const { logN, r, p, salt } = each.hash;
      return `${logN} ${r} ${p} ${Buffer.from(salt).toString('base64')}`;
    }),
  );
  if (salts.has(undefined)) return 'a code that is brought as a hash is one of scheme {SCRYPT}';
  return salts.size > 1 ? 'a set is replaced as a whole: its codes have one salt' : undefined;
}
