import { existsSync } from 'node:fs';
import { Refusal } from '#catalogue';
import { ClientRefusal, clientErrors, connectOperators, type OperatorsClient } from '#client';
import { resultCodes, resultName } from '#ldap';
import type { Context } from './command.ts';

/** Connects to the running service. `undefined` when none runs on this folder. */
export async function connectRunning(context: Context): Promise<OperatorsClient | undefined> {
  const located = context.locate();
  if (located.kind === 'refused' || located.operatorsSocket === undefined || !existsSync(located.operatorsSocket)) return undefined;
  try {
    return await connectOperators({ socketPath: located.operatorsSocket });
  } catch (error) {
    if (error instanceof Refusal && error.row === clientErrors.unreachable) return undefined;
    throw error;
  }
}

/** The directory's answer in words: the diagnostic when there is one, and the code's name. For what is not there the protocol has no words. */
export function explain({ code, diagnostic }: ClientRefusal): string {
  const name = resultName(code);
  if (diagnostic === '' && code === resultCodes.noSuchObject) return `there is no such entry (${name})`;
  return diagnostic === '' ? name : `${diagnostic} (${name})`;
}

/** Runs something and tells a refusal of the directory in a line, with exit status 1. */
export async function withRefusals(context: Context, act: () => Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (error) {
    const line = error instanceof ClientRefusal ? explain(error) : error instanceof Refusal ? error.message : undefined;
    if (line === undefined) throw error;
    context.stderr.write(`atrium: ${line}\n`);
    return 1;
  }
}
