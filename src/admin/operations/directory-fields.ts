import { ClientRefusal } from '#client';
import { resultCodes } from '#ldap';
import { type Failure, isConflict } from './failure.ts';
import type { Operation } from './row.ts';
import { Conflicting, Unfit } from './unfit.ts';

/**
 * Does something in the directory whose refusals of a value are told by the member that it came from: the directory names the attribute at the beginning of
 * its words (`stsFirstFactor: …`).
 *
 * @param fields  members by the attribute's name in lower case
 */
export async function inFields<T>(fields: Readonly<Record<string, string>>, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ClientRefusal) || error.code === resultCodes.entryAlreadyExists) throw error;
    const [, attribute = '', words = ''] = /^(\w+): (.+)$/s.exec(error.diagnostic) ?? [];
    const field = Object.hasOwn(fields, attribute.toLowerCase()) ? fields[attribute.toLowerCase()] : undefined;
    if (field === undefined) throw error;
    throw isConflict(error) ? new Conflicting({ field, message: words }) : new Unfit({ field, message: words });
  }
}

/** A failure with the member that it is about, where the directory's words name an attribute, or the name of the entry is taken. */
export function located(
  { fields, input }: Pick<Operation, 'fields' | 'input'>,
  { attributes }: Readonly<Record<string, unknown>>,
  thrown: unknown,
  failure: Failure,
): Failure {
  if (fields === undefined || !(thrown instanceof ClientRefusal)) return failure;
  const at = (field: string | undefined, message: string): Failure =>
    field === undefined ? failure : { ...failure, errors: [{ field, message }] };
  const { code, diagnostic } = thrown;
  if (code === resultCodes.entryAlreadyExists) return at(fields['dn'], 'is taken: there is such an entry');
  const [told] = failure.errors;
  // What the directory says to operators alone is not told here.
  if (told?.message !== diagnostic) return failure;
  const [, attribute, words] = /^([\w-]+): (.+)$/s.exec(diagnostic) ?? /^(?=.*\battribute '([\w-]+)')(.+)$/s.exec(diagnostic) ?? [];
  if (attribute === undefined || words === undefined) return failure;
  const type = attribute.toLowerCase();
  const isBeside =
    typeof attributes === 'object' && attributes !== null && Object.keys(attributes).some((each) => each.toLowerCase() === type);
  if (!isBeside && Object.hasOwn(fields, type)) return at(fields[type], words);
  return at('attributes' in input.shape ? `attributes.${attribute}` : undefined, diagnostic);
}
