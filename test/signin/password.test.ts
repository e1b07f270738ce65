import test, { type ExecutionContext } from 'ava';
import { systemClock, utf8 } from '#base';
import { openPeople } from '#people';
import { provePassword } from '../../src/signin/password.ts';
import { admin, person, suffix } from '../directory/driver.ts';
import { openWebLayer } from '../support/web-layer.ts';

const realm = { id: 'default', name: 'example.com', suffix, mode: 'product', prefix: '', removing: false } as const;
const visit = { door: 'http', address: '192.0.2.1', correlationId: 'c1' };

/** Ada's sign-in, with something that happens between her bind and its answer. */
async function signIn(t: ExecutionContext, meanwhile: (acting: ReturnType<Layer['client']['as']>) => Promise<void>) {
  const { client, house } = await openWebLayer(t);
  const people = openPeople({ client, administratorUid: 'admin', clock: systemClock });
  const { audit } = house.engine;
  const judge = async (presented: Parameters<typeof client.judge>[0]) => {
    const judged = await client.judge(presented);
    await meanwhile(client.as({ dn: admin }));
    return judged;
  };
  return provePassword({ registry: people, judge, audit }, realm, { userName: 'ada', password: 'lovelace', secure: true }, visit);
}
type Layer = Awaited<ReturnType<typeof openWebLayer>>;

test('an accepted password proves the person as they are then, not as they were found', async (t) => {
  const proved = await signIn(t, async () => undefined);
  t.like(proved, { kind: 'proven', person: { dn: person('ada'), disabled: false } });
});

test('who is disabled while their password is judged is known to be disabled', async (t) => {
  const lock = { description: 'pwdAccountLockedTime', values: [utf8('000001010000Z')] };
  const proved = await signIn(t, (acting) => acting.modify(person('ada'), [{ operation: 'add', attribute: lock }]));
  t.like(proved, { kind: 'proven', person: { disabled: true } });
});

test('who is deleted or renamed while their password is judged is nobody: the name that was bound may be another’s', async (t) => {
  for (const change of ['delete', 'rename'] as const) {
    const proved = await signIn(t, (acting) =>
      change === 'delete' ? acting.delete(person('ada')) : acting.rename(person('ada'), { newRdn: 'uid=countess', deleteOldRdn: true }),
    );
    t.deepEqual(proved, { kind: 'proven', person: undefined }, change);
  }
});
