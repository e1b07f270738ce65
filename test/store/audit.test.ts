import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type AuditStore, openAuditStore, type StoredAuditFilter, type StoredAuditRow } from '#store';
import { folder, settingsWith } from './support.ts';

function row(timeMs: number, fields: Partial<StoredAuditRow> = {}): StoredAuditRow {
  return {
    timeMs,
    realm: 'default',
    door: 'ldap',
    subject: 'uid=a',
    action: 'ldap.bind',
    outcome: 'success',
    errorCode: undefined,
    summary: 's',
    correlationId: 'c',
    address: '::1',
    ...fields,
  };
}

function opened(t: ExecutionContext, auditRowsMax = 1000, file = join(folder(t), 'audit')): AuditStore {
  const audit = openAuditStore({ file, settings: settingsWith({ 'persistence.auditRowsMax': auditRowsMax }) });
  t.teardown(() => audit.close());
  return audit;
}

test('rows come back as they were given, the newest first, also after reopening', async (t) => {
  const file = join(folder(t), 'audit');
  const rows = [row(1), row(2, { errorCode: 'STS-LDAP-9001', outcome: 'refused', summary: '[STS-LDAP-9001] no' }), row(2, { subject: '' })];
  const audit = opened(t, 1000, file);
  void audit.append(rows);
  const kept = rows.map((each, at) => ({ ...each, id: at + 1 })).toReversed();
  t.deepEqual(await audit.query({ limit: 10 }), kept);
  t.deepEqual(await audit.query({ limit: 1 }), kept.slice(0, 1));
  void audit.append([row(3)]);
  await audit.close();
  t.deepEqual(await opened(t, 1000, file).query({ limit: 10 }), [{ ...row(3), id: 4 }, ...kept]);
});

test('rows are asked for by any of their fields, and a code by its beginning', async (t) => {
  const audit = opened(t);
  await audit.append([
    row(1, { errorCode: 'STS-LDAP-9001' }),
    row(2, { errorCode: 'STS-LDAP-9002', realm: 'other', door: 'web' }),
    row(3, { errorCode: 'STS-LDAPX-1', outcome: 'failed', subject: 'uid=b' }),
    row(4, { errorCode: 'STS-CORE-1', action: 'session.begin', correlationId: 'd' }),
    row(5),
  ]);
  const asked: readonly (readonly [filter: Partial<StoredAuditFilter>, times: readonly number[]])[] = [
    [{ codePrefix: 'STS-LDAP' }, [3, 2, 1]],
    [{ codePrefix: 'STS-LDAP-' }, [2, 1]],
    [{ codePrefix: 'STS-LDAP-9001' }, [1]],
    [{ codePrefix: "STS' OR 1=1 --" }, []],
    [{ codePrefix: '' }, [4, 3, 2, 1]],
    [{ realm: 'other' }, [2]],
    [{ door: 'ldap', outcome: 'success' }, [5, 4, 1]],
    [{ subject: 'uid=b' }, [3]],
    [{ action: 'session.begin' }, [4]],
    [{ correlationId: 'd' }, [4]],
    [{ fromMs: 2, toMs: 4 }, [4, 3, 2]],
    [{ fromMs: 4 }, [5, 4]],
    [{ subjects: ['uid=b', 'uid=c'] }, [3]],
    [{ subjects: [] }, []],
    [{ behind: { timeMs: 3, id: 3 } }, [2, 1]],
    [{ behind: { timeMs: 3, id: 4 } }, [3, 2, 1]],
  ];
  for (const [filter, times] of asked) {
    t.deepEqual<unknown, unknown>(
      (await audit.query({ ...filter, limit: 10 })).map(({ timeMs }) => timeMs),
      times,
      JSON.stringify(filter),
    );
  }
});

test('codes are counted, of all realms and of one', async (t) => {
  const audit = opened(t);
  await audit.append([row(1, { errorCode: 'A' }), row(2, { errorCode: 'A', realm: 'other' }), row(3, { errorCode: 'B' }), row(4)]);
  t.deepEqual([...(await audit.counts())].sort(), [
    ['A', 2],
    ['B', 1],
  ]);
  t.deepEqual([...(await audit.counts('other'))], [['A', 1]]);
});

test('as many rows are kept as the bound says: the oldest go', async (t) => {
  const audit = opened(t, 3);
  await audit.append([row(1), row(2)]);
  await audit.append([row(3), row(4), row(5)]);
  t.deepEqual(
    (await audit.query({ limit: 10 })).map(({ timeMs }) => timeMs),
    [5, 4, 3],
  );
});

test('rows that cannot be written are refused, and those behind them are not', async (t) => {
  const audit = opened(t);
  await t.throwsAsync(audit.append([row(1), { ...row(2), subject: null as never }]), { message: /NOT NULL/ });
  await audit.append([row(3)]);
  t.deepEqual(await audit.query({ limit: 10 }), [{ ...row(3), id: 1 }]);
});
