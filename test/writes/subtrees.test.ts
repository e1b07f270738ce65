import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { decodeBer, type Request } from '#ldap';
import { ada, furnishedHouse, type House, person, suffix } from '../directory/driver.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { connect } from './servers.ts';
import { add, asserting, equals, mark, modify, oids, reading, remove, rename } from './table.ts';

const branch = `ou=applications,${suffix}`;
const unit = (dn: string, ou: string) => add(dn, { objectClass: 'organizationalUnit', ou });

/** A branch with so many leaves on each of its twigs. */
async function grown(client: { ask(op: Request): Promise<unknown> }, leaves: number, base = branch): Promise<void> {
  for (const ou of ['left', 'right']) {
    await client.ask(unit(`ou=${ou},${base}`, ou));
    for (let at = 0; at < leaves; at++)
      await client.ask(add(`cn=leaf ${at},ou=${ou},${base}`, { objectClass: 'device', cn: `leaf ${at}` }));
  }
}

async function below(house: House, base: string): Promise<readonly string[]> {
  return (await house.operator().search(base, '(objectClass=*)', { scope: 'children' })).dns;
}

test('RFC 4511 §4.9: a subtree moves as one, and all that leads to its entries follows', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.searchSizeLimit': 10_000 });
  const operator = house.operator();
  await grown(operator, 300);
  const group = `cn=pioneers,ou=groups,${suffix}`;
  const members = Array.from({ length: 300 }, (_, at) => `cn=leaf ${at},ou=left,${branch}`);
  t.is((await operator.ask(modify(group, ['add', 'member', ...members]))).code, 0);
  const before = (await operator.search(`cn=leaf 7,ou=left,${branch}`, '(objectClass=*)', { scope: 'base', attributes: ['+'] })).entries[0];
  const { number } = house.engine.store.snapshot();
  t.is((await operator.ask(rename(`ou=left,${branch}`, 'OU=Port', true, `ou=right,${branch}`))).code, 0);
  t.is(house.engine.store.snapshot().number, number + 1, 'one commit');
  const port = `OU=Port,ou=right,${branch}`;
  t.is((await below(house, port)).length, 300);
  t.is((await below(house, branch)).length, 602);
  t.is((await operator.search(`ou=left,${branch}`, '(objectClass=*)')).code, 32);
  t.deepEqual(
    (await operator.search(suffix, '(cn=leaf 7)')).dns.toSorted(),
    [`cn=leaf 7,ou=right,${branch}`, `cn=leaf 7,${port}`].toSorted(),
  );
  const after = (await operator.search(`cn=leaf 7,${port}`, '(objectClass=*)', { scope: 'base', attributes: ['+', 'memberOf'] }))
    .entries[0];
  for (const name of ['entryUUID', 'modifyTimestamp', 'modifiersName']) t.deepEqual(after?.all(name), before?.all(name));
  t.true((after?.all('entryCSN')[0] ?? '') > (before?.all('entryCSN')[0] ?? ''));
  t.deepEqual(after?.all('memberOf'), [group]);
  t.is((await operator.search(suffix, `(member=cn=leaf 7,${port})`)).entries.length, 1);
  // What changed last of each entry is what is there.
  const last = new Map(
    house.engine.store.changes(0, 100_000).map(({ change }) => [change.kind === 'delete' ? change.uuid : change.entry.uuid, change]),
  );
  const change = last.get(after?.all('entryUUID')[0] ?? '');
  t.is(change?.kind === 'put' ? change.entry.dn : '', `cn=leaf 7,${port}`);
});

test('a subtree is moved by who may move every entry of it, and by nobody else', async (t) => {
  const house = await furnishedHouse(t);
  await grown(house.operator(), 2);
  for (const client of [house.connect(), house.connect()]) {
    await client.bind(person('ada'), 'lovelace').catch(() => undefined);
    t.not((await client.ask(rename(`ou=left,${branch}`, 'ou=x'))).code, 0);
    t.not((await client.ask(remove(`ou=left,${branch}`), [mark(oids.treeDelete)])).code, 0);
    await client.bind('', '');
  }
  t.is((await below(house, branch)).length, 6);
});

test('STS-LDAP-9050: a subtree beyond ldap.subtreeEntriesMax is neither moved nor deleted', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.subtreeEntriesMax': 4 });
  const operator = house.operator();
  await grown(operator, 2);
  for (const [op, controls] of [
    [rename(branch, 'ou=x'), []],
    [remove(branch), [mark(oids.treeDelete)]],
  ] as const) {
    t.is((await operator.ask(op, controls)).code, 11);
  }
  t.is((await operator.ask(rename(`ou=left,${branch}`, 'ou=x'))).code, 0);
  t.is((await below(house, branch)).length, 6);
});

test('tree delete: an entry goes with all below it, in one commit, and names of them go too', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await grown(operator, 200);
  const group = `cn=pioneers,ou=groups,${suffix}`;
  await operator.ask(modify(group, ['add', 'member', `cn=leaf 3,ou=left,${branch}`]));
  t.is((await operator.ask(remove(branch))).code, 66);
  const { number } = house.engine.store.snapshot();
  t.is((await operator.ask(remove(branch), [mark(oids.treeDelete)])).code, 0);
  t.is(house.engine.store.snapshot().number, number + 1, 'one commit');
  t.is((await operator.search(branch, '(objectClass=*)')).code, 32);
  t.is((await operator.search(suffix, '(cn=leaf 3)')).entries.length, 0);
  t.deepEqual((await operator.search(group, '(objectClass=*)', { scope: 'base' })).entries[0]?.all('member'), [
    person('ada'),
    person('alan'),
  ]);
  t.is((await operator.ask(remove(person('ada')), [mark(oids.treeDelete)])).code, 0, 'a leaf goes as ever');
});

test('while a subtree moves others have the event loop, and what they change below it is not lost', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await grown(operator, 400);
  let turns = 0;
  let moving = true;
  const watch = () => {
    turns++;
    if (moving) setImmediate(watch);
  };
  setImmediate(watch);
  const leaf = `cn=leaf 9,ou=left,${branch}`;
  const [moved, added, changed] = await Promise.all([
    operator.ask(rename(`ou=left,${branch}`, 'ou=port')).finally(() => {
      moving = false;
    }),
    house.operator().ask(add(`cn=late,ou=left,${branch}`, { objectClass: 'device', cn: 'late' })),
    house.operator().ask(modify(leaf, ['add', 'description', 'changed meanwhile'])),
  ]);
  t.is(moved.code, 0);
  t.true(turns > 3, `${turns}`);
  t.true([0, 32].includes(added.code) && [0, 32].includes(changed.code));
  const port = await below(house, `ou=port,${branch}`);
  t.is(port.length, added.code === 0 ? 401 : 400);
  t.is((await operator.search(branch, '(description=changed meanwhile)')).entries.length, changed.code === 0 ? 1 : 0);
  t.is((await below(house, branch)).length, port.length + 402);
});

test('what was moved and deleted is what atrium doctor finds sound, with workers as without', async (t) => {
  for (const workers of ['0', '1']) {
    const dataDir = mkdtempSync(join(tmpdir(), 'atrium-writes-'));
    const atrium = await startTestAtrium({ dataDir, settings: { STS_LDAP_WORKERS: workers } });
    const port = Number(new URL(atrium.addresses.ldap ?? '').port);
    const clients = await Promise.all(Array.from({ length: 6 }, () => connect(port)));
    for (const client of clients) t.is(await client.bind(atrium.adminDn, atrium.adminPassword), 0);
    await Promise.all(
      clients.map(async (client, at) => {
        const base = `ou=b${at},${atrium.suffix}`;
        t.is((await client.ask(unit(base, `b${at}`))).code, 0);
        await grown(client, 30, base);
        t.is((await client.ask(rename(`ou=left,${base}`, 'ou=Port', true, `ou=right,${base}`))).code, 0);
        const read = reading(oids.postRead, 'entryCSN', 'entryDN');
        const renamed = await client.ask(rename(base, `ou=c${at}`), [read]);
        t.is(renamed.code, 0);
        // The number is the one that the entry really has.
        const value = decodeBer(renamed.last.controls[0]?.value ?? new Uint8Array(), (ber) =>
          Buffer.from(ber.element()).toString('latin1'),
        );
        const csn = /\d{14}\.\d{6}Z#[0-9a-f]{6}#000#000000/.exec(value ?? '')?.[0] ?? 'none';
        t.is(
          (
            await client.ask({
              kind: 'compareRequest',
              entry: `ou=c${at},${atrium.suffix}`,
              description: 'entryCSN',
              value: Buffer.from(csn),
            })
          ).code,
          6,
        );
        if (at % 2 === 0) t.is((await client.ask(remove(`ou=c${at},${atrium.suffix}`), [mark(oids.treeDelete)])).code, 0);
      }),
    );
    for (const client of clients) client.close();
    await atrium.stop();
    const { status, stdout } = await runCli(['doctor'], testEnvironment(dataDir));
    t.is(status, 0, stdout);
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('RFC 4527: what is read before and after a change is what the asker may read, and comes with success alone', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const both = [
    reading(oids.preRead, '*', '+', 'userPassword'),
    reading(oids.postRead, 'description', 'modifiersName', 'memberOf', 'creatorsName'),
  ];
  const { code, controls } = await client.ask(modify(person('ada'), ['replace', 'description', 'new']), both);
  t.is(code, 0);
  const [pre, post] = controls.map(({ value }) => Buffer.from(value ?? []).toString('latin1'));
  t.deepEqual(
    controls.map(({ oid }) => oid),
    [oids.preRead, oids.postRead],
  );
  t.regex(pre ?? '', /Lovelace/);
  t.notRegex(pre ?? '', /SCRYPT|userPassword|new|creatorsName/);
  t.regex(post ?? '', /new/);
  t.regex(post ?? '', /pioneers/);
  t.notRegex(post ?? '', /creatorsName|modifiersName/);
  t.deepEqual((await client.ask(modify(person('ada'), ['add', 'sn', 'x']), both)).controls, []);
  const operator = house.operator();
  const added = await operator.ask(add(person('new'), { ...ada, uid: 'new' }), [reading(oids.postRead, 'entryUUID', 'createTimestamp')]);
  t.regex(Buffer.from(added.controls[0]?.value ?? []).toString('latin1'), /entryUUID.*createTimestamp/s);
  const gone = await operator.ask(remove(person('new')), [reading(oids.preRead, 'uid')]);
  t.regex(Buffer.from(gone.controls[0]?.value ?? []).toString('latin1'), /uid=new/);
  t.is((await operator.ask(remove(person('ada')), [{ oid: oids.preRead, critical: true, value: Buffer.from('x') }])).code, 2);
});

test('RFC 4528: an assertion sees no more than its asker, and what is Undefined is not true', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const code = async (description: string, value: string) =>
    (await client.ask(modify(person('ada'), ['replace', 'description', 'x']), [asserting(equals(description, value))])).code;
  t.is(await code('sn', 'LOVELACE'), 0);
  t.is(await code('sn', 'x'), 122);
  t.is(await code('nope', 'x'), 122);
  t.is(await code('creatorsName', `uid=admin,ou=people,${suffix}`), 122, 'it may not be read');
  t.is(await code('userPassword', 'lovelace'), 122);
  t.is((await client.ask(remove(person('ada')), [{ oid: oids.assertion, critical: true, value: Buffer.from('x') }])).code, 2);
});

test('relaxed rules are for administrators: for others 50, and what only the directory knows nobody sets', async (t) => {
  const house = await furnishedHouse(t);
  const relaxed = [mark(oids.relax)];
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.ask(modify(person('ada'), ['replace', 'description', 'x']), relaxed)).code, 50);
  const operator = house.operator();
  const uuid = '597ae2f6-16a6-1027-98f4-d28b5365dc14';
  t.is((await operator.ask(add(person('old'), { ...ada, uid: 'old', entryUUID: uuid }), relaxed)).code, 0);
  t.is((await operator.search(suffix, `(entryUUID=${uuid})`)).entries.length, 1);
  t.is((await operator.ask(add(person('again'), { ...ada, uid: 'again', entryUUID: uuid }), relaxed)).code, 19);
  t.is((await operator.ask(modify(person('old'), ['replace', 'entryUUID', uuid]), relaxed)).code, 19);
  t.is((await operator.ask(modify(person('old'), ['replace', 'hasSubordinates', 'TRUE']), relaxed)).code, 19);
  t.is((await operator.ask(modify(person('old'), ['delete', 'entryCSN']), relaxed)).code, 19);
});

test('of two additions at once that bring one entryUUID one is made', async (t) => {
  const house = await furnishedHouse(t);
  const relaxed = [mark(oids.relax)];
  const entryUUID = '597ae2f6-16a6-1027-98f4-d28b5365dc14';
  const both = ['one', 'other'].map((uid) =>
    house.operator().ask(add(person(uid), { ...ada, uid, mail: `${uid}@example.com`, entryUUID }), relaxed),
  );
  const codes = (await Promise.all(both)).map(({ code }) => code);
  t.deepEqual(codes.toSorted(), [0, 19]);
  t.is((await house.operator().search(suffix, '(|(uid=one)(uid=other))')).entries.length, 1);
});
