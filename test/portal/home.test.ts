import test from 'ava';
import type { Session } from '#sessions';
import { homePage } from '../../src/portal/pages.ts';
import { htmlText } from '../../src/web/html.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const event = { whenMs: nowMs, amr: ['pwd'], acr: '1', door: 'web', address: '192.0.2.1' };
const session: Session = {
  realm: 'default',
  subject: 'urn:uuid:0e0d3f7c-0c5f-4b57-9f5e-0a4b6bb0a001',
  entryUuid: '0e0d3f7c-0c5f-4b57-9f5e-0a4b6bb0a001',
  sid: 'sid',
  authenticated: true,
  events: [event, { ...event, address: '2001:db8::1' }],
  createdMs: nowMs,
  lastUsedMs: nowMs,
  endsAtMs: nowMs + 3_600_000,
};
const realm = { id: 'acme', name: 'Acme', suffix: 'o=acme', mode: 'product', prefix: '/realm/acme', removing: false } as const;
const hostile = `<b>"'&\``;

function home(others: readonly Session[], moreOthers: boolean): string {
  const entry = { dn: `cn=${hostile}`, all: (attribute: string) => (attribute === 'cn' ? [hostile] : []) };
  return htmlText(homePage({ realm, entry, session, others, moreOthers, nowMs, csrfToken: 't', ldapUrl: 'ldap://x' }).main);
}

test('a session says every address it was authenticated from', (t) => {
  t.true(home([], false).includes('192.0.2.1, 2001:db8::1'));
});

test('who is signed in nowhere else is offered no way to end it, and who is in many places is told so', (t) => {
  t.false(home([], false).includes('sign-out-elsewhere'));
  t.true(home([session], false).includes('sign-out-elsewhere'));
  t.false(home([session], false).includes('There are more sessions'));
  t.true(home([session], true).includes('There are more sessions'));
});

test('whatever an entry holds is text on the page', (t) => {
  t.false(home([], false).includes('<b>'));
});

test('every address on the page is one of the realm', (t) => {
  const links = [...home([session], true).matchAll(/(?:href|action)="([^"]*)"/g)].map(([, address]) => address);
  t.deepEqual(links, ['/realm/acme/portal/mfa', '/realm/acme/portal/keys', '/realm/acme/portal/sign-out-elsewhere']);
});
