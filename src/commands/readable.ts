import { LdifError } from '#ldap';
import type { Context } from './command.ts';
import { withRefusals } from './operators.ts';

/** Runs something that reads LDIF; what cannot be read is told with its line, with exit status 1. */
export async function withReadable(context: Context, act: () => Promise<number>): Promise<number> {
  try {
    return await withRefusals(context, act);
  } catch (error) {
    if (!(error instanceof LdifError)) throw error;
    context.stderr.write(`atrium: ${error.message}\n`);
    return 1;
  }
}
