import test from 'ava';
import { startTwoWebs } from '../races/house.ts';

const house = await startTwoWebs({ STS_GLOBAL_MODE: 'development', ADMIN_API_AUTH_REQUIRED: 'false', STS_LDAP_WORKERS: '0' });
test.after.always(() => house[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: {
    readonly ok: boolean;
    readonly task?: { readonly name: string };
    readonly errors?: readonly { readonly message: string }[];
  };
}

async function send(base: string, path: string, key: string, json: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const response = await fetch(`${base}/admin-api/${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed') === 'true',
    body: (await response.json()) as Answer['body'],
  };
}

test('Idempotency-Key: of two calls that come to two web processes at one moment one makes it; the other is answered as it was, or refused in words', async (t) => {
  const keys = Array.from({ length: 8 }, (_, at) => `key-${at}`);
  const json = (key: string) => ({ user: 'admin', name: key, scopes: ['ldap'] });
  for (const key of keys) {
    const both = await Promise.all(house.bases.map((base) => send(base, 'users/create-app-password', key, json(key))));
    t.deepEqual(both.map(({ status }) => status).toSorted(), [201, 409], key);
    t.regex(both.find(({ status }) => status === 409)?.body.errors?.[0]?.message ?? '', /Idempotency-Key/);
  }
  const listed = await fetch(`${house.bases[1]}/admin-api/users/app-passwords?user=admin`);
  const { appPasswords } = (await listed.json()) as { appPasswords: readonly { readonly name: string }[] };
  t.deepEqual(appPasswords.map(({ name }) => name).toSorted(), keys.toSorted(), 'each was made once');
});

test('Idempotency-Key: what one web process made the other answers alike, and makes nothing', async (t) => {
  const first = await send(house.bases[0], 'backup', 'backup', {});
  const second = await send(house.bases[1], 'backup', 'backup', {});
  t.deepEqual([first.status, first.replayed, second.status, second.replayed], [201, false, 201, true]);
  t.deepEqual(second.body, first.body);
  t.is((await send(house.bases[1], 'backup', 'backup', { file: 'another.sqlite' })).status, 422);
});
