import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { addPerson } from '../flows/people.ts';
import { ask, hiddenOf, openScreen, submit } from '../flows/raw.ts';
import { createApp } from '../support/app.ts';
import { connect, startWithWorkers } from './crew.ts';

function replace(object: string, description: string, ...values: string[]): Request {
  return { kind: 'modifyRequest', object, changes: [{ operation: 'replace', attribute: { description, values: values.map(utf8) } }] };
}

test('with threads beside the main one: factors are written at each of them, sealed or hashed, shown at each, and a code is spent once', async (t) => {
  const nowMs = 1_795_000_020_000;
  await using atrium = await startWithWorkers(1, { clock: { nowMs: () => nowMs } });
  const base = atrium.addresses.http ?? '';
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const lanes = new Map<string, Awaited<ReturnType<typeof connect>>['lane']>();
  for (let tries = 0; lanes.size < 2 && tries < 100; tries++) {
    const { lane, thread } = await connect(atrium);
    lanes.set(thread, lane);
  }
  t.is(lanes.size, 2);

  for (const lane of lanes.values()) {
    const app = createApp();
    t.is((await lane.send(replace(ada.dn, 'stsTotpCredential', app.credential)).answer)?.code, 0);
    t.is((await lane.send(replace(ada.dn, 'stsRecoveryCode', 'ABCDE-FGHJK', 'LMNPQ-RSTUV')).answer)?.code, 0);
    t.is((await lane.send(replace(ada.dn, 'stsTotpCredential', 'JBSWY3DP')).answer)?.code, 19);
    const screen = await openScreen(base);
    const step = await submit(base, screen, ada.uid, ada.password);
    t.regex(step.location, /\/authn\/totp\?/);
    const cookies = { sts_signin: screen.browser };
    const page = await ask(base, step.location, { cookies });
    const form = { csrf: hiddenOf(page, 'csrf'), code: app.code(nowMs) };
    const answers = await Promise.all([1, 2, 3].map(() => ask(base, step.location, { method: 'POST', cookies, form })));
    t.is(answers.filter(({ location }) => location.endsWith('/portal')).length, 1);
    for (const other of lanes.values()) {
      const filter = { kind: 'present', description: 'stsAuthenticatorApp' } as const;
      const rest = { derefAliases: 'never', sizeLimit: 0, timeLimitS: 0, typesOnly: false } as const;
      const attributes = ['stsAuthenticatorApp', 'stsRecoveryCodesLeft', 'stsTotpCredential', 'stsRecoveryCode'];
      const found = await other.send({ kind: 'searchRequest', baseObject: ada.dn, scope: 'base', filter, attributes, ...rest }).answer;
      t.is(found?.code, 0);
      t.deepEqual([...(found?.entries[0]?.attributes.keys() ?? [])], ['stsauthenticatorapp', 'stsrecoverycodesleft']);
    }
  }
  t.truthy(await atrium.recorded(({ errorCode }) => errorCode === 'STS-AUTHN-9311'));
});
