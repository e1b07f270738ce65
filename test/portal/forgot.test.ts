import test, { type ExecutionContext } from 'ava';
import { systemChance, utf8 } from '#base';
import { readSettings, type SettingValues } from '#catalogue';
import { systemTimers } from '#jobs';
import { sealingKey } from '#keys';
import { mailSettings, openMail } from '#mail';
import { type Links, openHourly, openLinks, openState, stateSettings } from '#state';
import { openStateStore, type StateStore, storeSettings } from '#store';
import type { WebRequest } from '#web';
import { type ForgotDeps, takeForgot } from '../../src/portal/links/forgot.ts';

const valuesOf = <T extends typeof mailSettings | typeof stateSettings>(rows: T): SettingValues<T> =>
  readSettings(rows, { environment: {} }).values as SettingValues<T>;
const nowMs = () => 1_800_000_000_000;
const person = (uid: string, email: object | undefined, disabled = false) => ({
  ...{ dn: `uid=${uid},ou=people,o=acme`, entryUuid: `uuid of ${uid}`, disabled, isBuiltIn: false, mustChange: false },
  holdings: { keys: [], app: undefined, recoveryCodesLeft: undefined, email, mfaRequired: false },
});
const verified = (address: string) => ({ address, verified: true, optedIn: true });
const people = new Map<string, unknown>([
  ['ada', person('ada', verified('ada@example.org'))],
  ['una', person('una', { address: 'una@example.org', verified: false, optedIn: false })],
  ['bare', person('bare', undefined)],
  ['dis', person('dis', verified('dis@example.org'), true)],
]);

/** All that a request for a link has done: what was asked of the rooms, and what of the state, in its order. */
async function workOf(t: ExecutionContext, name: string): Promise<readonly string[]> {
  const work: string[] = [];
  const told = <T extends object>(of: string, thing: T): T =>
    new Proxy(thing, {
      get: (from, key) => {
        const member: unknown = Reflect.get(from, key);
        if (typeof member !== 'function') return member;
        return (...given: readonly unknown[]) => {
          work.push(`${of}.${String(key)}`);
          return Reflect.apply(member, from, given);
        };
      },
    });
  const settings = { ...valuesOf(mailSettings), ...valuesOf(stateSettings), 'mail.smtpHost': 'localhost' };
  const clock = { nowMs };
  const memory = { ...readSettings(storeSettings, { environment: {} }).values, 'persistence.mode': 'memory' } as const;
  const opened = openStateStore({ file: 'unused', settings: memory, clock, epoch: 1 });
  t.teardown(() => opened.close());
  const store = told<StateStore>('state', opened);
  const state = openState({ store, clock });
  const mail = openMail({
    ...{ state, clock, chance: systemChance, timers: systemTimers, dataDir: '', service: settings, settingsOf: () => settings },
    ...{ audit: { record: () => undefined }, log: { warn: () => undefined }, realmNow: async () => undefined },
    // What is mailed waits for another process: it is counted, and not handed over here.
    wakeOther: async () => undefined,
    keys: [sealingKey(utf8('a key-encryption key of forty octets or so'), 'mail that waits')],
  });
  const links: Links = openLinks({ state, clock, chance: systemChance, settingsOf: () => settings });
  const deps = {
    ...{ links: told('links', links), mail: told('mail', mail), clock },
    people: told('people', { find: async () => people.get(name), nobody: () => `uid=${name},ou=people,o=acme` }),
    asked: { perPerson: told('perPerson', openHourly(state, clock, 'p')), perAddress: told('perAddress', openHourly(state, clock, 'a')) },
    ...{ csrf: { issue: () => 'token' }, mailsLinks: () => true, baseOf: () => 'https://id.example', settingsOf: () => settings },
    audit: told('audit', { record: () => undefined }),
  } as unknown as ForgotDeps;
  const realm = { id: 'acme', name: 'Acme', prefix: '', suffix: 'o=acme', mode: 'product' };
  const form = async () => ({ form: new URLSearchParams({ username: name }), refused: undefined });
  const reply = await takeForgot(deps, {
    ...{ realm, address: '192.0.2.1', door: 'https', correlationId: 'c', openForm: form },
  } as unknown as WebRequest);
  t.like(reply, { kind: 'page' });
  return work;
}

test('/portal/forgot-password: whoever a name means, or nobody, the same searches, the same link, the same mail and the same writes are made', async (t) => {
  const known = await workOf(t, 'ada');
  t.deepEqual(
    known.filter((step) => !step.startsWith('state.')),
    ['perAddress.enter', 'people.find', 'perPerson.enter', 'links.issue', 'mail.send', 'audit.record'],
  );
  t.true(known.filter((step) => step === 'state.put').length >= 4, 'counts, a link and a mail');
  // Who has a name for nobody is asked for one, which is no work.
  for (const name of ['una', 'bare', 'dis', 'nobody', 'x)(uid=*', 'y'.repeat(300)])
    t.deepEqual(
      (await workOf(t, name)).filter((step) => step !== 'people.nobody' && (name.length < 257 || step !== 'people.find')),
      known.filter((step) => name.length < 257 || step !== 'people.find'),
      name,
    );
});
