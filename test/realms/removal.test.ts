import { PassThrough } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { type AuditRow, createAudit, createLog } from '#audit';
import { utf8 } from '#base';
import { attributesOf } from '#client';
import { createRemoval, type Obligation } from '#realms';
import { admin, suffix } from '../directory/driver.ts';
import { observe, observeLog } from '../support/observed.ts';
import { openWebLayer } from '../support/web-layer.ts';

/** A directory with the realm `acme`, and somebody who owes what the test says. */
async function open(t: ExecutionContext, left: () => number) {
  const { client, clock } = await openWebLayer(t);
  const stream = new PassThrough();
  let logged = '';
  stream.on('data', (chunk: Buffer) => {
    logged += String(chunk);
    observeLog(String(chunk));
  });
  const log = createLog({ json: true, level: 'debug', stream, clock });
  const audited: AuditRow[] = [];
  const audit = createAudit({ sink: { append: async () => undefined, query: async () => [], counts: async () => new Map() }, log, clock });
  audit.subscribe((row) => {
    audited.push(row);
    observe(row.errorCode);
  });
  const asked: string[] = [];
  const obligations: readonly Obligation[] = [
    { name: 'nothing', deliver: async () => 0 },
    {
      name: 'letters',
      deliver: async (realm) => {
        asked.push(realm);
        return left();
      },
    },
  ];
  const acting = client.as({ dn: admin });
  const dn = `cn=acme,ou=realms,${suffix}`;
  await acting.add(`ou=realms,${suffix}`, attributesOf({ objectClass: 'organizationalUnit', ou: 'realms' }));
  await acting.add(dn, attributesOf({ objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme' }));
  const settings = { 'realms.removalDeliveryTimeoutS': 60 };
  const state = async () => {
    const entry = await client.as('self').read(dn, ['stsRealmState', 'stsRealmOwed']);
    return [entry?.one('stsRealmState'), entry?.one('stsRealmOwed')];
  };
  return {
    look: createRemoval({ client, suffix, obligations, settings, audit, log, clock }),
    begin: () => acting.modify(dn, [{ operation: 'replace', attribute: { description: 'stsRealmState', values: [utf8('removing')] } }]),
    passS: (s: number) => clock.moveMs(s * 1000),
    state,
    asked,
    audited,
    logged: () => logged,
  };
}

test('a realm that is there to stay is asked nothing', async (t) => {
  const { look, asked } = await open(t, () => 0);
  t.is(await look(), '0 realms may be deleted, 0 owe something yet');
  t.deepEqual(asked, []);
});

test('what is owed is delivered, however often that has to be tried, before the directory is told that it may delete', async (t) => {
  const left = [2, 1, 0];
  const { look, begin, state, asked, audited } = await open(t, () => left.shift() ?? 0);
  await begin();
  t.is(await look(), '0 realms may be deleted, 1 owe something yet');
  t.is(await look(), '0 realms may be deleted, 1 owe something yet');
  t.deepEqual(await state(), ['removing', undefined]);
  t.is(await look(), '1 realms may be deleted, 0 owe something yet');
  t.deepEqual(await state(), ['delivered', '0']);
  t.deepEqual(asked, ['acme', 'acme', 'acme']);
  t.is(await look(), '0 realms may be deleted, 0 owe something yet');
  t.deepEqual(
    audited.map(({ realm, action, errorCode }) => [realm, action, errorCode]),
    [['acme', 'realm.deliver', undefined]],
  );
});

test('STS-CORE-0120: what is left after realms.removalDeliveryTimeoutS is given up, and named', async (t) => {
  const { look, begin, passS, state, audited } = await open(t, () => 3);
  await begin();
  passS(58);
  await look();
  t.deepEqual(await state(), ['removing', undefined]);
  passS(3);
  t.is(await look(), '1 realms may be deleted, 0 owe something yet');
  t.deepEqual(await state(), ['delivered', '3']);
  t.like(audited[0], { realm: 'acme', outcome: 'failed', errorCode: 'STS-CORE-0120' });
  t.regex(audited[0]?.summary ?? '', /letters \(3\)$/);
});

test('STS-CORE-9111: who cannot deliver at this moment is asked again, and keeps nobody else from it', async (t) => {
  let broken = true;
  const { look, begin, state, logged } = await open(t, () => {
    if (broken) throw new Error('the postman is ill');
    return 0;
  });
  await begin();
  t.is(await look(), '0 realms may be deleted, 1 owe something yet');
  t.regex(logged(), /\[STS-CORE-9111\] realm acme: letters: the postman is ill/);
  broken = false;
  await look();
  t.deepEqual(await state(), ['delivered', '0']);
});
