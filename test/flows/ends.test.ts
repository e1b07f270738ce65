import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'ldapts';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { openClock } from '../support/clock.ts';
import { type Follower, openFollower, persistentControl } from '../support/follower.ts';
import { startWithWorkers } from '../workers/crew.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, openScreen, submit } from './raw.ts';
import { replaceValues } from './realms.ts';

const clock = openClock();
const { passS } = clock;

let atrium: TestAtrium;
const locked = ['000001010000Z'];

test.before(async () => {
  atrium = await startTestAtrium({ clock, timers: clock.timers });
});

test.after.always(async () => await atrium?.[Symbol.asyncDispose]());

async function signIn(base: string, { uid, password }: Pick<TestPerson, 'uid' | 'password'>): Promise<string> {
  return cookieOf(await submit(base, await openScreen(base), uid, password), 'sts_session') ?? '';
}

/** What others are to be told of, in its order. */
function outbox(): string[] {
  const state = new DatabaseSync(join(atrium.dataDir, 'state.sqlite'), { readOnly: true });
  const rows = state.prepare("SELECT value FROM state WHERE kind = 'outbox/default' ORDER BY age").all();
  state.close();
  return rows.map((row) => {
    const { kind, detail } = JSON.parse(String(row['value'])) as { kind: string; detail: { why?: string } };
    return `${kind} ${detail.why}`;
  });
}

/** Whether a browser with this cookie is somebody. */
async function isIn(base: string, session: string): Promise<boolean> {
  return (await ask(base, '/portal', { cookies: { sts_session: session } })).status === 200;
}

/** Resolves with the result code of the Notice of Disconnection, the connection's last message. */
async function notice({ raw }: Follower): Promise<number | undefined> {
  for (const { messageId, op } of await raw.rest())
    if (messageId === 0 && op.kind === 'extendedResponse' && op.oid === '1.3.6.1.4.1.1466.20036') return op.result.code;
  return undefined;
}

test.serial('Disable, by an LDAP write of pwdAccountLockedTime: with the notice of disconnection every door is shut', async (t) => {
  const base = atrium.addresses.http ?? '';
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const grace = await addPerson(atrium, 'grace', 'Grace Hopper');
  const [hers, other] = [await signIn(base, ada), await signIn(base, grace)];
  t.true(await isIn(base, hers));
  const bound = await openFollower(t, atrium, ada.dn, ada.password);
  const following = await openFollower(t, atrium, ada.dn, ada.password);
  following.search(grace.dn, { scope: 'base' }, persistentControl(15, true, true));
  const graces = await openFollower(t, atrium, grace.dn, grace.password);

  const ended = [notice(bound), notice(following)];
  await replaceValues(atrium, ada.dn, 'pwdAccountLockedTime', locked);
  t.deepEqual(await Promise.all(ended), [8, 8], 'strongerAuthRequired: the association is good no longer (RFC 4511 §4.4.1)');
  t.false(await isIn(base, hers), 'a session');
  t.true(await isIn(base, other), 'nobody else notices');
  t.is((await graces.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' })).code, 0);
  const row = atrium.audit.find(({ action }) => action === 'account.end');
  t.regex(row?.summary ?? '', /\(disabled\); ended LDAP connections: 2, sessions: 1$/);

  t.deepEqual(outbox(), ['account-disabled disabled', 'session-revoked disabled']);
  await replaceValues(atrium, ada.dn, 'pwdAccountLockedTime', []);
  t.false(await isIn(base, hers), 'Enable clears the lock; ends nothing, and revives nothing');
  t.true(await isIn(base, await signIn(base, ada)));
});

test.serial('a sign-in in which a factor was shown ends with the account, and those of others go on', async (t) => {
  const base = atrium.addresses.http ?? '';
  const carol = await addPerson(atrium, 'carol', 'Carol Shaw');
  await replaceValues(atrium, carol.dn, 'stsMfaRequired', ['TRUE']);
  const screen = await openScreen(base);
  const { location } = await submit(base, screen, carol.uid, carol.password);
  t.regex(location, /\/authn\/mfa-setup/);
  const cookies = { sts_signin: screen.browser };
  t.is((await ask(base, location, { cookies })).status, 200);
  const waiting = await openScreen(base);
  await replaceValues(atrium, carol.dn, 'pwdAccountLockedTime', locked);
  t.is((await ask(base, location, { cookies })).status, 400);
  t.is((await ask(base, waiting.target, { cookies: { sts_signin: waiting.browser } })).status, 200);
});

test.serial('deletion ends what disabling does', async (t) => {
  const base = atrium.addresses.http ?? '';
  const dan = await addPerson(atrium, 'dan', 'Dan Bricklin');
  const session = await signIn(base, dan);
  const bound = await openFollower(t, atrium, dan.dn, dan.password);
  const ended = notice(bound);
  await asAdministrator(atrium, (client) => client.del(dan.dn));
  t.is(await ended, 8);
  t.false(await isIn(base, session));
});

test.serial(
  'STS-AUTHN-9420, STS-AUTHN-9421, STS-LDAP-9410: outside of stsValidFrom and stsValidUntil the answer is that of a wrong password',
  async (t) => {
    const base = atrium.addresses.http ?? '';
    const eve = await addPerson(atrium, 'eve', 'Evelyn Boyd');
    const bind = async (password: string) => {
      const client = new Client({ url: atrium.addresses.ldap ?? '' });
      const said = await client.bind(eve.dn, password).then(
        () => 'in',
        (error: Error) => error.message,
      );
      await client.unbind();
      return said;
    };
    const screen = async (password: string) => {
      const { status, body } = await submit(base, await openScreen(base), 'eve', password);
      return [status, /Authentication failed/.test(body)];
    };
    const wrong = [await bind('wrong'), await screen('wrong')];
    const at = (s: number) => `${new Date(clock.nowMs() + s * 1000).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
    await replaceValues(atrium, eve.dn, 'stsValidFrom', [at(60)]);
    await replaceValues(atrium, eve.dn, 'stsValidUntil', [at(120)]);
    t.deepEqual([await bind(eve.password), await screen(eve.password)], wrong);
    t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-9420'));
    passS(61);
    t.is(await bind(eve.password), 'in');
    const session = await signIn(base, eve);
    t.true(await isIn(base, session));
    const bound = await openFollower(t, atrium, eve.dn, eve.password);

    const late = await openFollower(t, atrium, eve.dn, eve.password);
    clock.moveMs(60_000);
    t.is((await late.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' })).code, 53, 'at once, whenever the timer comes');
    t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-LDAP-9410'));
    const ended = notice(bound);
    passS(0);
    t.is(await ended, 8, 'what is open ends at the moment it is over');
    t.false(await isIn(base, session));
    t.deepEqual([await bind(eve.password), await screen(eve.password)], wrong);
    t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-9421'));
    t.true(atrium.audit.some(({ action, summary }) => action === 'account.end' && summary.includes('(late)')));
  },
);

test.serial('connections on read workers end, too', async (t) => {
  await using crew = await startWithWorkers(2);
  const finn = await addPerson(crew, 'finn', 'Finn Rask');
  const bound = await Promise.all(Array.from({ length: 12 }, () => openFollower(t, crew, finn.dn, finn.password)));
  const threads = crew.audit.filter(({ action, subject }) => action === 'ldap.bind' && subject.includes('finn'));
  t.true(new Set(threads.map(({ correlationId }) => correlationId.replace(/-\d+:\d+$/, ''))).size > 1, 'several threads');
  const ended = bound.map(notice);
  await replaceValues(crew, finn.dn, 'pwdAccountLockedTime', locked);
  t.deepEqual(new Set(await Promise.all(ended)), new Set([8]));
});

async function startChild(t: ExecutionContext, environment: Readonly<Record<string, string>>) {
  const service = startCli(['serve'], environment);
  t.teardown(() => service.child.kill('SIGKILL'));
  const said = await service.until('ready ');
  const [, ldap = '', http = ''] = /ready (ldap:\S+) .*?(http:\S+)/.exec(said) ?? [];
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const gone = new Promise((resolve) => service.child.once('exit', resolve));
    service.child.kill(signal);
    await gone;
  };
  return { ldap, http, end };
}

test.serial(
  'a disable while the service stood still, and one before kill -9, end what was open; a later enable revives nothing',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-ends-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const environment = testEnvironment(folder);
    const password = 'Analytical-Engine-1843';
    const first = await startChild(t, environment);
    for (const uid of ['ada', 'alan', 'grace']) {
      const added = await runCli(['person', 'add', uid], environment);
      t.is(added.status, 0, added.stderr);
      t.is((await runCli(['person', 'set-password', uid], environment, `${password}\n`)).status, 0);
    }
    const [ada, alan, grace] = [
      await signIn(first.http, { uid: 'ada', password }),
      await signIn(first.http, { uid: 'alan', password }),
      await signIn(first.http, { uid: 'grace', password }),
    ];
    t.true(await isIn(first.http, ada));
    await first.end('SIGTERM');
    t.is((await runCli(['person', 'disable', 'ada'], environment)).status, 0);
    t.is((await runCli(['person', 'enable', 'ada'], environment)).status, 0);

    const second = await startChild(t, environment);
    t.deepEqual([await isIn(second.http, ada), await isIn(second.http, alan), await isIn(second.http, grace)], [false, true, true]);
    const client = new Client({ url: second.ldap });
    await client.bind('uid=admin,ou=people,dc=example,dc=com', environment['STS_ADMIN_BOOTSTRAP_PASSWORD'] ?? '');
    const { Change, Attribute } = await import('ldapts');
    const lock = new Change({ operation: 'replace', modification: new Attribute({ type: 'pwdAccountLockedTime', values: locked }) });
    await client.modify('uid=alan,ou=people,dc=example,dc=com', lock);
    await second.end('SIGKILL');
    await client.unbind().catch(() => undefined);
    t.is((await runCli(['person', 'enable', 'alan'], environment)).status, 0);

    const third = await startChild(t, environment);
    t.deepEqual([await isIn(third.http, alan), await isIn(third.http, grace)], [false, true]);
  },
);
