import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import type { AuditEvent } from '#audit';
import { systemChance } from '#base';
import type { ErrorRow, SettingValues } from '#catalogue';
import { attributesOf } from '#client';
import { factorAddress, openChallenges, openFailures } from '#factors';
import { createHasher } from '#keys';
import { openState } from '#state';
import { openStateStore, storeSettings } from '#store';
import { admin, suffix } from '../directory/driver.ts';
import { folderOf } from '../support/listener.ts';
import { observe, observeLog } from '../support/observed.ts';
import { openWebLayer } from '../support/web-layer.ts';

const standing = Object.fromEntries(Object.entries(storeSettings).map(([name, row]) => [name, row.default])) as unknown as SettingValues<
  typeof storeSettings
>;
const cost = { logN: 14, r: 1, p: 1 };

function open(t: ExecutionContext, file = `${folderOf(t)}/state.sqlite`) {
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const store = openStateStore({ file, settings: standing, clock, epoch: 1 });
  t.teardown(() => store.close());
  const hasher = createHasher({ cores: 2, queueMax: 256, costMaxMiB: 512, foreignRoundsMax: 5000, chance: systemChance });
  const challenges = openChallenges({
    state: openState({ store, clock }),
    hasher,
    chance: systemChance,
    costOf: () => cost,
    rowsMax: () => 1000,
  });
  return { challenges, file, store, beside: () => open(t, file), pass, untilMs: () => nowMs + 600_000 };
}

test('what was mailed is kept as its scrypt hash alone', async (t) => {
  const { challenges, store, file, untilMs } = open(t);
  const code = await challenges.begin('default', 'key', 'code', 'ada@example.org', untilMs());
  const link = await challenges.begin('default', 'other', 'link', 'ada@example.org', untilMs());
  t.regex(code, /^\d{6}$/);
  t.regex(link, /^[\w-]{43}$/);
  const rows = store.list('emailed/default', undefined, 10).map(({ value }) => value);
  t.is(rows.length, 2);
  for (const row of rows) t.regex(row, /"hash":"\{SCRYPT\}ln=14,r=1,p=1\$/);
  const octets = readFileSync(file, 'latin1');
  t.false(octets.includes(link));
  t.false(rows.some((row) => row.includes(code) && !/\$[^"]*$/.test(row.slice(0, row.indexOf(code)))));
});

test('of several processes that hold a right code against it at once one has it', async (t) => {
  const first = open(t);
  const others = [first, first.beside(), first.beside()];
  for (let i = 0; i < 5; i++) {
    const code = await first.challenges.begin('default', `key ${i}`, 'code', 'a@b', first.untilMs());
    const held = await Promise.all([...others, ...others].map(({ challenges }) => challenges.judge('default', `key ${i}`, code, 10)));
    t.is(held.filter(({ kind }) => kind === 'right').length, 1);
    t.is(held.filter(({ kind }) => kind === 'over').length, 5);
  }
});

test('no more are judged than there are tries, in however many processes they come at once', async (t) => {
  const first = open(t);
  const second = first.beside();
  const code = await first.challenges.begin('default', 'key', 'code', 'a@b', first.untilMs());
  const wrong = code === '000000' ? '000001' : '000000';
  const held = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? first : second).challenges.judge('default', 'key', wrong, 5)),
  );
  const kinds = held.map(({ kind }) => kind);
  t.deepEqual(
    [
      kinds.filter((kind) => kind === 'wrong').length,
      kinds.filter((kind) => kind === 'ended').length,
      kinds.filter((kind) => kind === 'over').length,
    ],
    [4, 1, 15],
  );
  t.is((await first.challenges.judge('default', 'key', code, 5)).kind, 'over');
});

test('a secret is of its realm and its key, and a newer one of the key takes its place', async (t) => {
  const { challenges, untilMs, pass } = open(t);
  const code = await challenges.begin('default', 'key', 'link', 'a@b', untilMs());
  t.is((await challenges.judge('acme', 'key', code, 5)).kind, 'over');
  t.is((await challenges.judge('default', 'other', code, 5)).kind, 'over');
  const newer = await challenges.begin('default', 'key', 'link', 'c@d', untilMs());
  t.is((await challenges.judge('default', 'key', code, 5)).kind, 'wrong');
  t.deepEqual(await challenges.judge('default', 'key', newer, 5), { kind: 'right', to: 'c@d' });
  const late = await challenges.begin('default', 'key', 'link', 'c@d', untilMs());
  pass(600_000);
  t.is((await challenges.judge('default', 'key', late, 5)).kind, 'over');
});

async function openCounted(t: ExecutionContext) {
  const { client } = await openWebLayer(t);
  const dn = `uid=ada-fails,ou=people,${suffix}`;
  await client.as({ dn: admin }).add(dn, attributesOf({ objectClass: 'inetOrgPerson', uid: 'ada-fails', cn: 'a', sn: 'a' }));
  const events: AuditEvent[] = [];
  const warnings: string[] = [];
  const log = {
    warn: (row: ErrorRow, words: string) => {
      warnings.push(words);
      observeLog(`[${row.code}]`);
    },
  };
  const audit = {
    record: (event: AuditEvent) => {
      events.push(event);
      observe(event.error?.code);
    },
  };
  const count = async () => (await client.as('self').read(dn, ['stsEmailFailures']))?.one('stsEmailFailures');
  return { client, dn, events, warnings, make: () => openFailures({ client, audit, log }), count };
}

test('failures are counted exactly, by several processes at once too, and the row that turns the factor off is written once', async (t) => {
  const { dn, make, count, events } = await openCounted(t);
  const both = [make(), make()];
  for (let i = 0; i < 20; i++) both[i % 2]?.note({ realm: 'default', dn, entryUuid: 'u', role: 'second', known: i % 3 === 0 ? 0 : i }, 7);
  await Promise.all(both.map((each) => each.close()));
  t.is(await count(), '20');
  t.true(events.length <= 1);
  await both[0]?.forget(dn, 'second');
  t.is(await count(), undefined);
  for (let i = 0; i < 8; i++) {
    both[0]?.note({ realm: 'default', dn, entryUuid: 'u', role: 'second', known: i }, 7);
    await both[0]?.settled(dn);
  }
  t.deepEqual(
    events.slice(-1).map(({ error, subject }) => [error?.code, subject]),
    [['STS-AUTHN-9394', 'urn:uuid:u']],
  );
});

test('a failure that cannot be counted is told (STS-AUTHN-9395), and ends nothing', async (t) => {
  const { make, warnings } = await openCounted(t);
  const failures = make();
  failures.note({ realm: 'default', dn: `uid=gone,ou=people,${suffix}`, entryUuid: 'u', role: 'second', known: 0 }, 7);
  await failures.close();
  t.is(warnings.length, 1);
});

test('an address is a factor while it is verified, the person is not disabled, and it has not failed too often; as a second one, while they want it', (t) => {
  const rules = { emailCodeTtlS: 600, emailCodeAttempts: 5, emailFailureLimit: 10 };
  const good = { address: 'ada@example.org', verified: true, optedIn: true, failures: 9, firstFailures: 9 };
  const person = (email: Partial<typeof good> = {}, disabled = false) => ({
    disabled,
    holdings: { keys: [], app: undefined, recoveryCodesLeft: undefined, mfaRequired: false, email: { ...good, ...email } },
  });
  const asBoth = (given: Parameters<typeof factorAddress>[0]) => [
    factorAddress(given, 'first', rules) !== undefined,
    factorAddress(given, 'second', rules) !== undefined,
  ];
  t.deepEqual(asBoth(person()), [true, true]);
  t.deepEqual(asBoth(person({ optedIn: false })), [true, false]);
  t.deepEqual(asBoth(person({ verified: false })), [false, false]);
  // Counted apart: whoever knows no more than a name turns no second factor off, and no link, which nobody guesses.
  t.deepEqual(asBoth(person({ failures: 10 })), [true, false]);
  t.deepEqual(asBoth(person({ firstFailures: 10 })), [false, true]);
  t.truthy(factorAddress(person({ firstFailures: 10 }), 'first', rules, 'link'));
  t.is(factorAddress(person({ failures: 10 }), 'second', rules, 'link'), undefined);
  t.deepEqual(asBoth(person({}, true)), [false, false]);
  t.deepEqual(asBoth(person({ address: 'ada@example.org\r\nBcc: x@y' })), [false, false]);
  t.deepEqual(asBoth(undefined), [false, false]);
});
