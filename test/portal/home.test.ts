import test from 'ava';
import type { Holdings } from '#holdings';
import type { Session } from '#sessions';
import { homePage } from '../../src/portal/home-pages.ts';
import { todoOf } from '../../src/portal/todo.ts';
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

const nothing: Holdings = { keys: [], app: undefined, recoveryCodesLeft: undefined, email: undefined, mfaRequired: false };

function home(others: readonly Session[], moreOthers: boolean, holdings = nothing): string {
  const entry = { dn: `cn=${hostile}`, all: (attribute: string) => (attribute === 'cn' ? [hostile] : []) };
  const uses = new Map([['password', { atMs: nowMs - 120_000, address: '192.0.2.7' }]]);
  const given = {
    realm,
    entry,
    holdings,
    appPasswords: [],
    uses,
    passwordExpiresMs: undefined,
    todo: [],
    session,
    others,
    moreOthers,
    nowMs,
    csrfToken: 't',
    ldapUrl: 'ldap://x',
  };
  return htmlText(homePage(given).main);
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
  t.deepEqual(links, ['/realm/acme/portal/password', '/realm/acme/portal/sign-out-elsewhere', '/realm/acme/portal/sessions']);
});

test('what one signs in with is told with when and from where it last did', (t) => {
  t.regex(home([], false), /Last used to sign in <time[^>]*>2 min ago<\/time> from 192\.0\.2\.7/);
  const app = { algorithm: 'SHA1', digits: 6, period: 30, addedMs: nowMs - 7_200_000, lastStep: (nowMs - 600_000) / 30_000 } as const;
  const text = home([], false, { ...nothing, app, recoveryCodesLeft: 4 });
  t.regex(text, /Authenticator app<\/strong><p>Added <time[^>]*>2 h ago<\/time> · Last used to sign in <time[^>]*>10 min ago</);
  t.regex(text, /Recovery codes<\/strong><p>Left: 4<\/p><p>Not used lately/);
});

const app = { algorithm: 'SHA1', digits: 6, period: 30, addedMs: 1 } as const;
const mail = { address: 'a@b.example', verified: false, optedIn: false, failures: 0, firstFailures: 0 };
const allOffered = { app: true, key: true, codes: true };
const needs: readonly (readonly [
  title: string,
  holdings: Partial<Holdings>,
  more: Partial<Parameters<typeof todoOf>[0]>,
  paths: readonly string[],
])[] = [
  ['who holds nothing is told to add a second factor', {}, {}, ['/portal/mfa']],
  ['where no app can be added, a key', {}, { offered: { ...allOffered, app: false } }, ['/portal/keys']],
  ['nobody is told to do what cannot be done', {}, { offered: { app: false, key: false, codes: false } }, []],
  ['a second factor without recovery codes is a way to be locked out', { app }, {}, ['/portal/mfa']],
  ['the last codes of a set are time for new ones', { app, recoveryCodesLeft: 3 }, {}, ['/portal/mfa']],
  [
    'a password that expires within two weeks is changed first',
    {},
    { passwordExpiresMs: nowMs + 13 * 86_400_000 },
    ['/portal/password', '/portal/mfa'],
  ],
  ['one that expires later is not', { app, recoveryCodesLeft: 9 }, { passwordExpiresMs: nowMs + 15 * 86_400_000 }, []],
  ['who has a factor and codes has nothing to do', { app, recoveryCodesLeft: 4 }, {}, []],
  [
    'an address that is not confirmed is confirmed where there is mail',
    { app, recoveryCodesLeft: 9, email: mail },
    { canMail: true },
    ['/portal/mfa/email'],
  ],
  ['and not where there is none', { app, recoveryCodesLeft: 9, email: mail }, {}, []],
  [
    'mail that was turned off by wrong codes is confirmed again',
    { app, recoveryCodesLeft: 9, email: { ...mail, verified: true, optedIn: true, failures: 5, firstFailures: 0 } },
    { canMail: true },
    ['/portal/mfa/email'],
  ],
];

for (const [title, holdings, more, paths] of needs)
  test(`what needs doing: ${title}`, (t) => {
    const given = {
      isRequired: false,
      offered: allOffered,
      canMail: false,
      emailFailureLimit: 5,
      passwordExpiresMs: undefined,
      nowMs,
      ...more,
    };
    t.deepEqual(
      todoOf({ holdings: { ...nothing, ...holdings }, ...given }).map(({ path }) => path),
      paths,
    );
  });
