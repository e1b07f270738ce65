import test from 'ava';
import { systemChance } from '#base';
import { Refusal } from '#catalogue';
import { ClientRefusal } from '#client';
import { builtInAuthnPolicy } from '#policy';
import { noProgress, type Parked, type Progress, type Sessions } from '#sessions';
import { createSigninHandlers, type SigninDeps } from '#signin';
import type { Reply, WebRealm, WebRequest } from '#web';
import { observe } from '../support/observed.ts';

const realm: WebRealm = { id: 'acme', name: 'Acme', suffix: 'o=acme', mode: 'product', prefix: '/realm/acme', removing: false };

/** A POST of the sign-in screen. */
const request = {
  realm,
  method: 'POST',
  path: '/authn/login',
  query: new URLSearchParams({ authn: 'id' }),
  cookies: () => [],
  openForm: async () => ({ form: new URLSearchParams({ username: 'ada', password: 'x' }), refused: undefined }),
  door: 'https',
  address: '192.0.2.1',
  correlationId: 'c1',
} as unknown as WebRequest;

const holdings = { keys: [], app: undefined, recoveryCodesLeft: undefined, email: undefined, mfaRequired: false };
const ada = { dn: 'uid=ada,ou=people,o=acme', entryUuid: 'u', disabled: false, isBuiltIn: false, mustChange: false, holdings };

interface Given {
  /** What the sign-in has reached; its end is then asked for with a GET. */
  readonly progress?: Progress;
  readonly note?: () => Promise<void>;
  readonly target?: string;
  /** How often something else was faster. */
  readonly beaten?: number;
  /** What the browser asks for, too, while the session begins. */
  readonly meanwhile?: readonly ('post' | 'page')[];
}

/** Signs in, with what the realm is by the time the session has begun. */
async function signIn(
  now: WebRealm | undefined,
  { progress, note = async () => undefined, target = '/portal', beaten = 0, meanwhile = [] }: Given = {},
) {
  const done: string[] = [];
  let tries = 0;
  let reachedSoFar = progress ?? noProgress;
  const others: (Reply | undefined)[] = [];
  const asked = [...meanwhile];
  const codes: string[] = [];
  const sessions = {
    parked: async () => ({
      target,
      cancelTarget: '/portal',
      rows: [],
      demand: {},
      progress: reachedSoFar,
      expiresAtMs: 0,
    }),
    advance: async (parked: Parked, reached: Progress) => {
      if (tries++ < beaten) return undefined;
      reachedSoFar = reached;
      return { ...parked, progress: reached };
    },
    takeParked: async () => void done.push('taken'),
    begin: async (id: string) => {
      done.push(`begun in ${id}`);
      for (let what = asked.shift(); what !== undefined; what = asked.shift()) others.push(await answers[what]());
      return { handle: 'h', session: {}, how: 'new' };
    },
    end: async (id: string, handles: readonly string[]) => void done.push(`ended ${handles} in ${id}`),
  } as unknown as Sessions;
  const handlers = createSigninHandlers({
    sessions,
    registry: {
      find: async () => ada,
      meant: async () => ada,
      nobody: () => '',
      byUuid: async () => ada,
      isBarred: async () => false,
      note,
    },
    judge: async () => ({ kind: 'accepted' }),
    setPassword: async () => undefined,
    webauthn: { offTo: () => undefined } as unknown as SigninDeps['webauthn'],
    limits: {} as unknown as SigninDeps['limits'],
    email: {} as unknown as SigninDeps['email'],
    offersOf: () => ({ password: { first: true, second: false, enrol: false } }),
    baseOf: () => undefined,
    realmNow: async () => now,
    risk: { of: async () => 'none', remember: async () => undefined },
    policyOf: async () => builtInAuthnPolicy,
    verify: async () => ({ kind: 'accepted' }),
    apps: {} as unknown as SigninDeps['apps'],
    settingsOf: () => ({
      'authn.mfaStepTtlS': 300,
      'authn.unauthenticatedSessions': false,
      'totp.enabled': true,
      'totp.issuer': '',
      'totp.window': 1,
    }),
    csrf: { issue: () => 'token' } as unknown as SigninDeps['csrf'],
    audit: {
      record: ({ error }: { readonly error?: { readonly code: string } }) => {
        observe(error?.code);
        if (error !== undefined) codes.push(error.code);
      },
    } as unknown as SigninDeps['audit'],
    clock: { nowMs: () => 0 },
    chance: systemChance,
    mark: { text: 'this one', lives: (text) => text === 'this one' },
  });
  const answers = { post: () => handlers.login(request), page: () => handlers.setupPage({ ...request, method: 'GET' }) };
  try {
    const reply = await answers[progress === undefined ? 'post' : 'page']();
    return { done, reply, code: undefined, codes, others };
  } catch (thrown) {
    return { done, reply: undefined, code: thrown instanceof Refusal ? thrown.row.code : String(thrown), codes, others };
  }
}

test('the sign-in never reads the parameters of the calling protocol: what is demanded stands in the demand alone', async (t) => {
  const target = '/portal?acr_values=hwk&max_age=0&prompt=none&claims=%7B%7D';
  const { done, reply } = await signIn(realm, { target });
  t.deepEqual(done, ['begun in acme', 'taken']);
  t.like(reply, { kind: 'redirect', to: target });
});

test('a session that begins while its realm is there stays', async (t) => {
  const { done, reply } = await signIn(realm);
  t.deepEqual(done, ['begun in acme', 'taken']);
  t.like(reply, { kind: 'redirect', to: '/portal' });
});

test('a session that begins while the removal of its realm begins has ended before anybody gets its handle (STS-CORE-0121)', async (t) => {
  for (const now of [{ ...realm, removing: true }, undefined]) {
    const { done, reply, code } = await signIn(now);
    t.deepEqual(done, ['begun in acme', 'ended h in acme']);
    t.is(reply, undefined);
    t.is(code, 'STS-CORE-0121');
  }
});

const meanwhile = ['post', 'page', 'post'] as const;

const bothShown: Progress = {
  ...noProgress,
  entryUuid: 'u',
  proven: [
    { mechanism: 'password', role: 'first', atMs: 0, amr: ['pwd'] },
    { mechanism: 'security-key', role: 'second', atMs: 0, amr: ['hwk'] },
  ],
};

test('a sign-in that cannot be noted at its entry is told to operators, and is good all the same (STS-AUTHN-9337)', async (t) => {
  const unavailable = new ClientRefusal({ code: 52, diagnostic: 'the disk is full', matchedDN: '' });
  const { done, reply, codes } = await signIn(realm, { progress: bothShown, note: () => Promise.reject(unavailable) });
  t.deepEqual(codes, ['STS-AUTHN-9337']);
  t.deepEqual(done, ['begun in acme', 'taken']);
  t.like(reply, { kind: 'redirect', to: '/portal' });
});

test('a sign-in goes on in the browser in which it began, and in no other (STS-AUTHN-9334)', async (t) => {
  const { done, codes } = await signIn(realm, { progress: { ...bothShown, browser: 'another' } });
  t.deepEqual(codes, ['STS-AUTHN-9334']);
  t.deepEqual(done, []);
});

test('a step that has waited authn.mfaStepTtlS is over, to the millisecond (STS-AUTHN-9333)', async (t) => {
  const { done, codes } = await signIn(realm, { progress: { ...bothShown, waitsUntilMs: 0 } });
  t.deepEqual(codes, ['STS-AUTHN-9333']);
  t.deepEqual(done, []);
  t.deepEqual((await signIn(realm, { progress: { ...bothShown, waitsUntilMs: 1 } })).done, ['begun in acme', 'taken']);
});

test('whoever has shown a factor shows it once: it counts, though a page of the same browser has begun something anew meanwhile', async (t) => {
  const { done, reply } = await signIn(realm, { beaten: 1 });
  t.deepEqual(done, ['begun in acme', 'taken']);
  t.like(reply, { kind: 'redirect', to: '/portal' });
});

test('what both factors have reached before a crash is gone on with from any step of it', async (t) => {
  const { done, reply } = await signIn(realm, { progress: bothShown });
  t.deepEqual(done, ['begun in acme', 'taken']);
  t.like(reply, { kind: 'redirect', to: '/portal' });
});

test('of several requests of a sign-in that is done one begins the session: the others find nothing that waits while it begins', async (t) => {
  for (const progress of [undefined, bothShown]) {
    const { done, reply, others } = await signIn(realm, progress === undefined ? { meanwhile } : { meanwhile, progress });
    t.deepEqual(done, ['begun in acme', 'taken']);
    t.like(reply, { kind: 'redirect', to: '/portal' });
    t.is(others.length, meanwhile.length);
    for (const other of others) t.like(other, { kind: 'page', error: { code: 'STS-AUTHN-9200' } });
  }
});

test('a session that was beginning when its request was lost is begun by the next one once its time is over; of a process that was killed, at once', async (t) => {
  const begun = ['begun in acme', 'taken'];
  const by = async (finishesByMs: number, finishesIn: string) =>
    (await signIn(realm, { progress: { ...bothShown, finishesByMs, finishesIn } })).done;
  t.deepEqual(await by(1, 'this one'), []);
  t.deepEqual(await by(0, 'this one'), begun);
  t.deepEqual(await by(10_000, 'another'), begun);
});
