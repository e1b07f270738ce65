import test from 'ava';
import { builtInAuthnPolicy, type Next } from '#policy';
import { noProgress, type Parked, type Progress } from '#sessions';
import type { Known } from '#signin';
import type { WebRealm } from '#web';
import type { Step, StepCall } from '../../src/signin/step.ts';
import { allows, firstScreenOf, isAsFar, progressAfter, situationOf, unaccepted, withChange } from '../../src/signin/way.ts';
import { offers, standing } from '../policy/situations.ts';

const realm: WebRealm = { id: 'default', name: 'Default', suffix: 'dc=x', mode: 'product', prefix: '', removing: false };
const parked = { demand: {} } as unknown as Parked;
const email = { address: 'ada@example.org', verified: true, optedIn: true, failures: 9, firstFailures: 0 };
const key = { role: 'mfa' } as unknown as Known['holdings']['keys'][number];
const ada: Known = {
  dn: 'uid=ada,ou=people,dc=x',
  entryUuid: 'ada',
  disabled: false,
  isBuiltIn: false,
  mustChange: true,
  administrator: 'role',
  holdings: { keys: [key], app: undefined, recoveryCodesLeft: 3, email, mfaRequired: true },
};
const password = { mechanism: 'password', role: 'first', atMs: 0, amr: ['pwd'] } as const;
const shown: Progress = { ...noProgress, entryUuid: 'ada', userName: 'ada', browser: 'b', proven: [password] };
const step = (mechanism: Step['mechanism'], more: Partial<Step> = {}) => ({ name: 'x', path: '/x', mechanism, ...more }) as Step;
const ask = (mechanism: Step['mechanism'] & string, role: 'first' | 'second', others: readonly string[] = []): Next =>
  ({ step: 'ask', mechanism, role, enrols: false, others }) as Next;

test('before anything is proven, what is shown depends on nobody', (t) => {
  const situation = (progress: Progress) => situationOf(realm, parked, progress, ada, builtInAuthnPolicy, offers, 'none', 0);
  const nothing = situation({ ...noProgress, entryUuid: 'ada' });
  t.like(nothing, { holds: { mfaKey: false, recoveryCodes: 0 }, administrator: 'none', mfaRequired: false, mustChange: false });
  t.like(situation(shown), { holds: { mfaKey: true, recoveryCodes: 3 }, administrator: 'role', mfaRequired: true, mustChange: true });
});

test('stsEmailFailureLimit wrong codes turn the mailed second factor off, and not one fewer', (t) => {
  const at = (failures: number) => {
    const person = { ...ada, holdings: { ...ada.holdings, email: { ...email, failures, firstFailures: 100 } } };
    return situationOf(realm, parked, shown, person, builtInAuthnPolicy, offers, 'none', 0).holds.email;
  };
  t.deepEqual([builtInAuthnPolicy.emailFailureLimit - 1, builtInAuthnPolicy.emailFailureLimit].map(at), ['good', 'failed']);
});

test('whose sign-in it is, and what was ticked, stands from the first factor on', (t) => {
  const ticked = { secondFactor: false, passwordless: true };
  t.like(withChange(shown, { entryUuid: 'eve', userName: 'eve', ticked }), {
    entryUuid: 'ada',
    userName: 'ada',
    ticked: noProgress.ticked,
  });
  t.like(withChange(noProgress, { entryUuid: 'eve', ticked }), { entryUuid: 'eve', ticked });
});

test('a demand for a hardware key refuses a code and a recovery code, whatever else may be asked for (STS-AUTHN-0204)', (t) => {
  const call = { role: 'second', parked: { demand: { hardwareKey: true } } as unknown as Parked } as const;
  for (const mechanism of ['authenticator-app', 'recovery-code'] as const)
    t.like(unaccepted(step(mechanism), call, builtInAuthnPolicy), { why: 'hardwareKeyDemanded' });
  t.is(unaccepted(step('security-key'), call, builtInAuthnPolicy), undefined);
});

test('what the policy of this moment does not take in its role is refused where it is posted (STS-AUTHN-0268, STS-AUTHN-0269)', (t) => {
  const policy = { ...builtInAuthnPolicy, firstFactors: [], secondFactors: [] };
  t.like(unaccepted(step('password', { begins: true }), { role: 'second', parked }, policy), { why: 'mechanismNotAccepted' });
  t.like(unaccepted(step('recovery-code'), { role: 'second', parked }, policy), { why: 'secondNotAccepted' });
});

test('a step is taken when it is asked for or does as well; a key alone only where its box was ticked, and the first screen never as a second factor', (t) => {
  const boxed = { ticked: { secondFactor: false, passwordless: true } };
  t.true(allows(step('authenticator-app'), ask('security-key', 'second', ['authenticator-app']), noProgress));
  t.false(allows(step('recovery-code'), ask('security-key', 'second', ['authenticator-app']), noProgress));
  t.false(allows(step('security-key'), ask('security-key', 'first'), noProgress));
  t.true(allows(step('security-key'), ask('security-key', 'first'), boxed));
  t.false(allows(step('password', { begins: true }), ask('security-key', 'second', ['password']), noProgress));
});

test('whoever has shown a factor has the whole of a step’s time for the next one', (t) => {
  const call = { progress: noProgress, role: 'first' } as StepCall;
  const after = progressAfter(step('password'), call, { kind: 'proven', amr: ['pwd'], person: ada }, 1000, 300_000);
  t.like(after, { waitsUntilMs: 301_000, entryUuid: 'ada', proven: [{ mechanism: 'password', atMs: 1000 }] });
  t.throws(() =>
    progressAfter(
      step('recovery-code'),
      { ...call, progress: shown },
      { kind: 'proven', amr: [], person: { ...ada, entryUuid: 'eve' } },
      0,
      0,
    ),
  );
});

test('a sign-in is as far as it was when no more than its page has changed, or its step was ended by a wrong code', (t) => {
  const underWay = { step: 'webauthn', untilMs: 9, data: {} };
  t.true(isAsFar({ ...shown, underWay }, shown));
  t.true(isAsFar({ ...shown, proven: [], underWay: { ...underWay, untilMs: 0 } }, shown));
  const second = { mechanism: 'recovery-code', role: 'second', atMs: 0, amr: ['otp'] } as const;
  for (const other of [
    { ...shown, proven: [password, second] },
    { ...shown, proven: [] },
    { ...shown, entryUuid: 'eve' },
    { ...shown, browser: 'c' },
    { ...shown, ticked: { secondFactor: false, passwordless: true } },
  ])
    t.false(isAsFar(other, shown));
});

test('whoever asks for anything of the sign-in asks for one: nobody goes on without signing in then', (t) => {
  const first = ask('password', 'first');
  t.true(firstScreenOf({ ...standing, demand: {} }, first, true).anonymous);
  t.false(firstScreenOf({ ...standing, demand: { reauthenticate: true } }, first, true).anonymous);
  t.false(firstScreenOf({ ...standing, demand: {} }, first, false).anonymous);
});
