import type { ClientRefusal } from '#client';
import { type LdifRecord, resultCodes } from '#ldap';

/** Why the directory refuses a record: in its own words, with attribute and rule, where it has some; else in those of the result code. */
export function refusalWords({ kind }: Pick<LdifRecord, 'kind'>, { code, diagnostic, message }: ClientRefusal): string {
  if (diagnostic !== '') return diagnostic;
  switch (code) {
    case resultCodes.noSuchObject:
      return kind === 'content' || kind === 'add'
        ? 'there is no entry above it, or none that you may see: that has to come before it'
        : 'there is no such entry, or none that you may see';
    case resultCodes.entryAlreadyExists:
      return 'an entry of that name exists: existing=skip passes over such records';
  }
  return message;
}
