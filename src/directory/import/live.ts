import { refuse } from '#catalogue';
import type { LdifRecord } from '#ldap';
import type { Change, Expectation } from '#store';
import { newestCsn } from '../csn.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { type ImportDesk, type ImportOptions, importEntries } from './import.ts';

/** What an import needs of an engine whose store is open: the realms, and the rules of access, as they are now. */
export function liveDesk(engine: Engine): Omit<Engine, 'realms'> & Pick<ImportDesk, 'realms' | 'rulesThere'> {
  const { access, realms, store } = engine;
  return { ...engine, realms: realms.in(store.snapshot()), rulesThere: (realm) => access.bookOf(engine, realm, store.snapshot()).rules };
}

/** Imports into the open store, as one commit: for what fits into memory. @throws Refusal as `importEntries`; `contended` */
export async function importLive(
  engine: Engine,
  records: AsyncIterable<LdifRecord> | Iterable<LdifRecord>,
  options: ImportOptions = {},
): Promise<{ readonly entries: number }> {
  const { store } = engine;
  const expected: Expectation[] = [];
  const changes: Change[] = [];
  const existing = {
    empty: store.snapshot().number === 0,
    newestCsn: newestCsn(store),
    keepsCsns: store.snapshot().number === 0,
    uuidAt: (dnKey: Uint8Array) => store.snapshot().byDnKey(dnKey)?.uuid,
    has: (uuid: string) => store.snapshot().byUuid(uuid) !== undefined,
  };
  const imported = await importEntries(
    { ...liveDesk(engine), making: engine.realms },
    records,
    {
      existing,
      put: (entry) => {
        expected.push({ kind: 'absent', dnKey: entry.dnKey });
        changes.push({ kind: 'put', entry });
        return undefined;
      },
    },
    options,
  );
  if (changes.length > 0 && (await store.commit(expected, changes)).kind === 'conflict') throw refuse(errors.contended);
  return imported;
}
