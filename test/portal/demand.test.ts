import test from 'ava';
import type { Session } from '#sessions';
import { demandOf } from '../../src/portal/demand.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const session = (ageS: number, amr: readonly string[] = ['pwd'], acr = '1') =>
  ({ events: [{ whenMs: nowMs - ageS * 1000, amr, acr, door: 'web', address: '' }] }) as unknown as Session;
const asked = (query: string, one?: Session) => demandOf(new URLSearchParams(query), one, nowMs);

test('without a session there is a demand, and it is empty where the address asks for nothing', (t) => {
  t.deepEqual(asked('a=1'), {});
  t.deepEqual(asked('acr_values=mfa'), { acrValues: ['mfa'] });
  t.deepEqual(asked('prompt=login'), { reauthenticate: true });
});

test('prompt=login is never met by a session that is there', (t) => {
  t.deepEqual(asked('prompt=login', session(0)), { reauthenticate: true });
  t.deepEqual(asked('prompt=none login', session(0)), { reauthenticate: true });
  t.is(asked('prompt=none', session(9999)), undefined);
});

test('max_age is met by an authentication that is young enough', (t) => {
  t.is(asked('max_age=600', session(600)), undefined);
  t.deepEqual(asked('max_age=600', session(601)), { reauthenticate: true });
  t.is(asked('max_age=ten', session(601)), undefined);
});

test('max_age=0 does not ask for ever: an authentication just made is young enough for it', (t) => {
  t.is(asked('max_age=0', session(29)), undefined);
  t.deepEqual(asked('max_age=0', session(31)), { reauthenticate: true });
});

test('acr_values: what does not meet the demand is sent through the screen again with it, a session that does is not', (t) => {
  t.deepEqual(asked('acr_values=mfa', session(0)), { acrValues: ['mfa'] });
  t.is(asked('acr_values=mfa', session(0, ['pwd', 'otp'], 'mfa')), undefined);
  t.is(asked('acr_values=mfa 1', session(0)), undefined);
  t.deepEqual(asked('acr_values=hwk', session(0, ['pwd', 'otp'], 'mfa')), { acrValues: ['hwk'] });
  t.deepEqual(asked('acr_values=phr', session(0, ['hwk'])), { acrValues: ['phr'] });
  t.is(asked('acr_values=phrh', session(0, ['pwd', 'hwk'], 'mfa')), undefined);
});

test('acr_values that are none of this service are asked of the screen, which refuses them, and met by no session', (t) => {
  t.deepEqual(asked('acr_values=urn:x', session(0, ['pwd', 'hwk'], 'mfa')), { acrValues: ['urn:x'] });
});
