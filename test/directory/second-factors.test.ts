import test from 'ava';
import { utf8 } from '#base';
import { ClientRefusal } from '#client';
import { printSecurityKey, type SecurityKey } from '#holdings';
import { createApp } from '../support/app.ts';
import { openWebLayer } from '../support/web-layer.ts';
import { admin, person } from './driver.ts';

const aKey: SecurityKey = {
  id: Buffer.from('an id').toString('base64url'),
  role: 'mfa',
  name: 'Blue',
  publicKey: 'pQECAyYgASFY',
  algorithm: -7,
  counter: 0,
  aaguid: '00000000-0000-0000-0000-000000000000',
  transports: ['usb'],
  backupEligible: false,
  backedUp: false,
  attestation: { proved: 'untrusted', format: 'none' },
  addedMs: 7,
};

test('the app of a sign-in is written only while its person holds no second factor, asserted in the same commit: of two at once one is', async (t) => {
  const layer = await openWebLayer(t);
  const now = layer.clock.nowMs();
  const session = { factors: 1, authenticatedMs: now, address: '192.0.2.9', isProtected: true };
  const apps = Array.from({ length: 8 }, () => createApp());
  const enrol = (app: (typeof apps)[number], dn: string) =>
    layer.client.verify({
      dn,
      secret: { kind: 'enrolTotp', credential: app.credential, code: app.code(now), window: 1, onlyFirst: true },
      session,
      door: 'signin',
      address: '192.0.2.9',
    });
  const answers = await Promise.all(apps.map((app) => enrol(app, person('ada'))));
  t.is(answers.filter(({ kind }) => kind === 'accepted').length, 1);
  t.is(answers.filter((each) => each.kind === 'refused' && each.why === 'held').length, 7);
  const winner = apps[answers.findIndex(({ kind }) => kind === 'accepted')];
  const secret = { kind: 'totp', code: winner?.code(now, 1) ?? '', window: 1 } as const;
  t.is((await layer.client.verify({ dn: person('ada'), secret, door: 'signin', address: '192.0.2.9' })).kind, 'accepted');

  const acting = layer.client.as({ dn: admin });
  await acting.modify(person('alan'), [
    { operation: 'add', attribute: { description: 'stsCredentialId', values: [Buffer.from(aKey.id, 'base64url')] } },
    { operation: 'add', attribute: { description: 'stsWebauthnCredential', values: [utf8(printSecurityKey(aKey))] } },
  ]);
  t.deepEqual(await enrol(createApp(), person('alan')), { kind: 'refused', why: 'held' });
});

test('whoever held a second factor when they signed in changes none with one alone; who holds none, and who has added it since, does', async (t) => {
  const layer = await openWebLayer(t);
  const app = createApp();
  const acting = layer.client.as({ dn: admin });
  const now = layer.clock.nowMs();
  const { addedMs } = JSON.parse(app.credential) as { addedMs: number };
  const write = async (dn: string, factors: number, authenticatedMs: number, description: string, value: string) => {
    const asked = layer.client.as({ dn, session: { factors, authenticatedMs, address: '192.0.2.9', isProtected: true } });
    try {
      await asked.modify(dn, [{ operation: 'replace', attribute: { description, values: value === '' ? [] : [utf8(value)] } }]);
      return 0;
    } catch (error) {
      if (error instanceof ClientRefusal) return error.code;
      throw error;
    }
  };
  const changes = [
    ['mail', 'ada@example.org'],
    ['stsTotpCredential', ''],
    ['stsRecoveryCode', 'ABCDEFGHJK'],
    ['stsCredentialId', ''],
    ['stsWebauthnCredential', ''],
    ['stsEmailFactor', 'TRUE'],
    ['stsEmailFactor', ''],
  ] as const;
  layer.clock.moveMs(addedMs - now);
  for (const [description, value] of changes) {
    t.is(await write(person('alan'), 1, layer.clock.nowMs(), description, value), 0, `nothing is held: ${description}`);
    await acting.modify(person('ada'), [
      { operation: 'replace', attribute: { description: 'stsTotpCredential', values: [utf8(app.credential)] } },
    ]);
    t.is(await write(person('ada'), 1, addedMs + 1, description, value), 50, description);
    t.is(await write(person('ada'), 2, addedMs + 1, description, value), 0, `two factors: ${description}`);
    await acting.modify(person('ada'), [
      { operation: 'replace', attribute: { description: 'stsTotpCredential', values: [utf8(app.credential)] } },
    ]);
    t.is(await write(person('ada'), 1, addedMs, description, value), 0, `added in this session: ${description}`);
  }
  // A password is changed in the middle of a sign-in, too.
  t.is(await write(person('ada'), 1, addedMs + 1, 'userPassword', 'Another-pass-word-1'), 0);
});
