import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { connectToEach, startWithWorkers } from './crew.ts';

function addition(entry: string, values: Readonly<Record<string, string>>): Request {
  const attributes = Object.entries(values).map(([description, value]) => ({ description, values: [utf8(value)] }));
  return { kind: 'addRequest', entry, attributes };
}

test('a realm that one thread makes is there in every other at once, and what they wrote is sound', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'atrium-realms-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const dataDir = join(base, 'data');
  const atrium = await startWithWorkers(1, { dataDir });
  const registry = `ou=realms,${atrium.suffix}`;
  const connected = await connectToEach(atrium, 2, 1);
  const [one, other] = connected.map(({ lane }) => lane);
  if (one === undefined || other === undefined) return t.fail('two threads');
  const root: Request = {
    ...{ kind: 'searchRequest', baseObject: '', scope: 'base', derefAliases: 'never', sizeLimit: 0, timeLimitS: 0, typesOnly: false },
    filter: { kind: 'present', description: 'objectClass' },
    attributes: ['namingContexts'],
  };
  for (let at = 0; at < 8; at++) {
    const [maker, looker] = at % 2 === 0 ? [one, other] : [other, one];
    const id = `r${at}`;
    t.is((await maker.send(addition(`cn=${id},${registry}`, { objectClass: 'stsRealmEntry', cn: id, stsRealmId: id })).answer)?.code, 0);
    const found = (await looker.send(root).answer)?.entries[0]?.attributes.get('namingcontexts');
    t.true(found?.includes(`o=${id}`), `${id} is there`);
    const person = { objectClass: 'inetOrgPerson', uid: 'ada', cn: 'Ada', sn: 'Ada' };
    t.is((await looker.send(addition(`uid=ada,ou=people,o=${id}`, person)).answer)?.code, 0);
  }
  for (const { lane } of connected) lane.close();
  await atrium.stop();
  const { status, stdout, stderr } = await runCli(['doctor'], testEnvironment(dataDir));
  t.is(status, 0, `${stdout}${stderr}`);
});
