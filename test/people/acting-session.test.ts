import test from 'ava';
import { actingSession } from '#people';

const browser = { address: '192.0.2.7', secure: true };
const event = (whenMs: number, acr: string) => ({ whenMs, amr: ['pwd'], acr, door: 'authn', mechanisms: ['password' as const] });

test('how strong and how fresh a session is are told of one sign-in: two factors of long ago do not make a fresh one stronger', (t) => {
  t.like(actingSession([event(1000, 'mfa'), event(9000, '1')], browser), { factors: 1, authenticatedMs: 9000 });
  t.like(actingSession([event(1000, '1'), event(9000, 'mfa')], browser), { factors: 2, authenticatedMs: 9000 });
});

test('a session that nobody signed in to acts for nobody', (t) => {
  t.is(actingSession([], browser), undefined);
});
