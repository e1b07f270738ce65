import { ClientRefusal } from '#client';
import { resultCodes } from '#ldap';
import { Unfit } from './unfit.ts';

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
    throw new Unfit({ field, message: words });
  }
}
