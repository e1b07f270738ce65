import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { uuid4 } from '#base';
import { refuse } from '#catalogue';
import { attributesOf, type Update } from '#client';
import { resultCodes } from '#ldap';
import { errors } from '../errors.ts';
import { spool } from './ldif-gather.ts';
import { neverDone } from './ldif-together.ts';
import type { Call } from './row.ts';
import { Unfit } from './unfit.ts';

interface Options {
  readonly dryRun: boolean;
  readonly existing: 'refuse' | 'skip';
}

/**
 * Has a task import what is more than one transaction holds. Whether its caller may give one is asked of the directory before anything is put into a file.
 *
 * @returns its name
 * @throws Refusal `taskDenied`; Unfit
 */
export async function importByTask(call: Call, ldif: AsyncIterable<Uint8Array>, { dryRun, existing }: Options): Promise<string> {
  const { actor, realm, deps } = call;
  if (existing === 'skip') {
    const message = `is for what one transaction holds (${largest(call)}), or goes with continue`;
    throw new Unfit({ field: 'existing', message });
  }
  const name = `import-${uuid4(deps.chance)}`;
  const file = `${name}.ldif`;
  const members = { objectClass: 'stsTask', cn: name, stsTaskKind: 'import', stsTaskRealm: realm.id, stsTaskFile: file };
  const attributes = attributesOf({ ...members, stsTaskOption: ['drop', ...(dryRun ? ['dry-run'] : [])] });
  const dn = `cn=${name},cn=tasks,${deps.realms.standing.suffix}`;
  await mayGive(call, { op: { kind: 'addRequest', entry: dn, attributes } });
  await spool(ldif, deps.exchange, file);
  try {
    await actor.add(dn, attributes);
  } catch (error) {
    rmSync(join(deps.exchange, file), { force: true });
    throw error;
  }
  return name;
}

/** What one transaction holds. */
export function largest({ deps: { settings } }: Pick<Call, 'deps'>): string {
  return `${settings['ldap.transactionUpdatesMax'] - 1} records, ${settings['ldap.transactionMib']} MiB`;
}

/** Where the list of tasks is not seen, none may be given. */
const denied: ReadonlySet<number> = new Set([resultCodes.insufficientAccessRights, resultCodes.noSuchObject]);

async function mayGive({ caller, deps, realm }: Call, task: Update): Promise<void> {
  const refused = await deps.client.together({ dn: caller.dn, session: caller.session }, [task, neverDone(realm.suffix)]);
  if (refused?.at !== 0) return;
  throw denied.has(refused.refusal.code) ? refuse(errors.taskDenied) : refused.refusal;
}
