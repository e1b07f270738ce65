import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { openClock } from '../support/clock.ts';

test('in a running service: a request too long to be returned to is refused with STS-AUTHN-9201, and not parked', async (t) => {
  await using atrium = await startTestAtrium({ settings: { STS_AUTHN_RETURN_TARGET_LENGTH_MAX: '256' } });
  const ask = (target: string) => fetch(`${atrium.addresses.http}${target}`, { redirect: 'manual' });
  const short = await ask('/portal?a=b');
  t.is(short.status, 303);
  t.regex(short.headers.get('location') ?? '', /^\/authn\/login\?authn=/);

  const long = await ask(`/portal?${'a'.repeat(300)}`);
  t.is(long.status, 400);
  t.false((await long.text()).includes('STS-'));
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-9201'));
});

test('in a running service: the sweep runs by itself at authn.sessionSweepS and gives up what has expired', async (t) => {
  const clock = openClock(Date.UTC(2026, 10, 21, 4, 0, 0));
  const passS = async (s: number) => {
    clock.passS(s);
    await new Promise(setImmediate);
  };
  await using atrium = await startTestAtrium({ clock, timers: clock.timers, settings: { STS_AUTHN_PENDING_TTL_S: '60' } });
  await fetch(`${atrium.addresses.http}/portal`, { redirect: 'manual' });
  await passS(30);
  t.regex(atrium.log(), /sessions\.sweep: 0 sessions ended, 0 interrupted/);
  await passS(30);
  t.regex(atrium.log(), /sessions\.sweep: 0 sessions ended, 1 interrupted/);
});
