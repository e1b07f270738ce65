import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';

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
  let nowMs = Date.UTC(2026, 10, 21, 4, 0, 0);
  const due: { atMs: number; callback: () => void }[] = [];
  const timers = {
    after: (delayMs: number, callback: () => void) => {
      const timer = { atMs: nowMs + delayMs, callback };
      due.push(timer);
      return () => void due.splice(due.indexOf(timer) >>> 0, 1);
    },
  };
  const passS = async (s: number) => {
    nowMs += s * 1000;
    for (const timer of due.filter(({ atMs }) => atMs <= nowMs)) {
      due.splice(due.indexOf(timer), 1);
      timer.callback();
    }
    await new Promise(setImmediate);
  };
  await using atrium = await startTestAtrium({ clock: { nowMs: () => nowMs }, timers, settings: { STS_AUTHN_PENDING_TTL_S: '60' } });
  await fetch(`${atrium.addresses.http}/portal`, { redirect: 'manual' });
  await passS(30);
  t.regex(atrium.log(), /sessions\.sweep: 0 sessions ended, 0 interrupted/);
  await passS(30);
  t.regex(atrium.log(), /sessions\.sweep: 0 sessions ended, 1 interrupted/);
});
