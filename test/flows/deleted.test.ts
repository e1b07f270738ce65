import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Client, Control } from 'ldapts';
import { encodeBer } from '#ldap';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { openClock } from '../support/clock.ts';
import { openAdmin, openFollower, syncControl } from '../support/follower.ts';
import { addPerson, asAdministrator } from './people.ts';

const clock = openClock();
const { passS } = clock;

let atrium: TestAtrium;
const restoreOid = '2.25.83716444157178576224225129172109131643.6.75';
const showDeleted = () => new Control('1.2.840.113556.1.4.417', { critical: true });

test.before(async () => {
  atrium = await startTestAtrium({ clock, timers: clock.timers, settings: { STS_DIRECTORY_PURGE_S: '60' } });
});

test.after.always(async () => await atrium?.[Symbol.asyncDispose]());

const inOne = { scope: 'sub', filter: '(objectClass=*)' } as const;

async function tombstones(client: Client, attributes: string[] = ['*', '+']) {
  const filter = '(objectClass=stsTombstone)';
  return (await client.search(atrium.suffix, { scope: 'sub', filter, attributes }, showDeleted())).searchEntries;
}

async function cli(line: string) {
  const { adminPassword: _, dataDir } = atrium;
  return await runCli(line.split(' '), testEnvironment(dataDir));
}

/** Restores over LDAP, as whoever is bound. */
async function restore(client: Client, dn: string): Promise<void> {
  await client.exop(restoreOid, Buffer.from(encodeBer((ber) => ber.sequence(() => ber.string(dn)))) as never);
}

test.serial(
  'a person who was deleted is kept without what they signed in with, and restored with their entryUUID and groups',
  async (t) => {
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    const group = `cn=engines,ou=groups,${atrium.suffix}`;
    await asAdministrator(atrium, async (client) => {
      await client.add(group, { objectClass: 'groupOfNames', cn: 'engines', member: [ada.dn, atrium.adminDn] });
      const uuidOf = async () =>
        (await client.search(ada.dn, { scope: 'base', attributes: ['entryUUID'] })).searchEntries[0]?.['entryUUID'];
      const uuid = await uuidOf();
      await client.del(ada.dn);
      t.deepEqual((await client.search(group, { scope: 'base', attributes: ['member'] })).searchEntries[0]?.['member'], atrium.adminDn);

      const [stone] = await tombstones(client);
      t.is(stone?.['stsDeletedUUID'], uuid);
      t.is(stone?.['stsDeletedName'], 'ada');
      t.is(stone?.['stsDeletedBy'], atrium.adminDn);
      t.false(JSON.stringify(stone).includes('{SCRYPT}'), 'nothing of a password');
      t.is(stone?.['stsDeletedRecord'], undefined, 'no door reads what is kept');
      t.is((await client.search(atrium.suffix, inOne)).searchEntries.filter(({ dn }) => /stsDeleted/i.test(dn)).length, 0, 'hidden');

      await restore(client, stone?.dn ?? '');
      t.is(await uuidOf(), uuid);
      t.is((await tombstones(client)).length, 0);
      t.true(
        [(await client.search(group, { scope: 'base', attributes: ['member'] })).searchEntries[0]?.['member']].flat().includes(ada.dn),
      );
      const [back] = (await client.search(ada.dn, { scope: 'base', attributes: ['mail', 'createTimestamp'] })).searchEntries;
      t.is(back?.['mail'], 'ada@example.com');
      const own = new Client({ url: atrium.addresses.ldap ?? '' });
      await t.throwsAsync(own.bind(ada.dn, ada.password), { code: 49 }, 'their password is gone');
      await own.unbind();
    });
  },
);

test.serial('a name that is somebody else’s by now is not taken from them; nor is an address', async (t) => {
  const ben = await addPerson(atrium, 'ben', 'Ben Bova');
  await asAdministrator(atrium, async (client) => {
    await client.del(ben.dn);
    const [stone] = await tombstones(client);
    await addPerson(atrium, 'ben', 'Another Ben');
    await t.throwsAsync(restore(client, stone?.dn ?? ''), { code: 68 });
    const told = await cli('person restore ben');
    t.is(told.status, 1);
    t.regex(told.stderr, /is somebody else by now/);
    await client.modifyDN(ben.dn, 'uid=benno');
    await t.throwsAsync(restore(client, stone?.dn ?? ''), { code: 19 }, 'mail is unique');
    await client.del(`uid=benno,ou=people,${atrium.suffix}`);
    const several = await cli('person restore ben@example.com');
    t.is(several.status, 3);
    const listed = await cli('person list --deleted --json');
    t.deepEqual(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { name: string }).name)
        .toSorted(),
      ['ben', 'benno'],
    );
    t.is((await cli('person restore ben')).status, 0);
    await client.del(ben.dn);
  });
});

test.serial(
  'STS-LDAP-9411, STS-LDAP-9412, STS-LDAP-9413: what is kept is made by the directory, seen and restored by those who manage it',
  async (t) => {
    const eve = await addPerson(atrium, 'eve', 'Evelyn Boyd');
    const carl = await addPerson(atrium, 'carl', 'Carl Gauss');
    const rules = `cn=all,ou=accessRules,${atrium.suffix}`;
    await asAdministrator(atrium, async (client) => {
      const everything = { stsRuleWho: 'authenticated', stsRuleRight: ['read', 'search', 'compare'], stsRuleAttribute: ['*', '+'] };
      await client.add(rules, { objectClass: 'stsAccessRule', cn: 'all', stsRuleOrder: '1', ...everything });
      await client.del(carl.dn);
      const dn = (await tombstones(client)).find((each) => each['stsDeletedName'] === 'carl')?.dn ?? '';
      await t.throwsAsync(restore(client, eve.dn), { code: 53 });
      await t.throwsAsync(client.exop(restoreOid, Buffer.from([0x30, 0x00]) as never), { code: 2 });
      await t.throwsAsync(client.modifyDN(dn, `uid=carl,ou=people,${atrium.suffix}`), { code: 53 });
      await t.throwsAsync(
        client.add(`stsDeletedUUID=0b1c0f2e-0d6f-4a43-9a3b-1f2f6f3f0a01,${atrium.suffix}`, { objectClass: 'stsTombstone' }),
        {
          code: 53,
        },
      );
      const own = new Client({ url: atrium.addresses.ldap ?? '' });
      await own.bind(eve.dn, eve.password);
      t.deepEqual(await tombstones(own), []);
      t.deepEqual(
        (await own.search(dn, { scope: 'base', filter: '(objectClass=*)' }).catch(() => ({ searchEntries: [] }))).searchEntries,
        [],
      );
      await t.throwsAsync(restore(own, dn), { code: 50 });
      await t.throwsAsync(own.del(dn), { code: 50 });
      await own.unbind();
      const nobody = new Client({ url: atrium.addresses.ldap ?? '' });
      await t.throwsAsync(restore(nobody, dn));
      await nobody.unbind();
      await client.del(rules);
    });
    for (const code of ['STS-LDAP-9411', 'STS-LDAP-9412', 'STS-LDAP-9413'])
      t.true(
        atrium.audit.some(({ errorCode }) => errorCode === code),
        code,
      );
  },
);

test.serial('a tree that is deleted keeps all of its people; replicas and exports hear nothing of what is kept', async (t) => {
  const unit = `ou=guild,ou=people,${atrium.suffix}`;
  await asAdministrator(atrium, async (client) => {
    await client.add(unit, { objectClass: 'organizationalUnit', ou: 'guild' });
    for (const uid of ['gil', 'gus']) await client.add(`uid=${uid},${unit}`, { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid });
    const replica = await openAdmin(t, atrium);
    replica.search(atrium.suffix, { text: '(objectClass=*)', attributes: ['1.1'] }, syncControl(3));
    for (let told = await replica.next(); told.kind !== 'info'; told = await replica.next());
    const nextEntry = async (): Promise<string> => {
      const told = await replica.next();
      return told.kind === 'entry' ? `${told.state} ${told.dn}` : await nextEntry();
    };
    await client.del(unit, new Control('1.2.840.113556.1.4.805', { critical: true }));
    const heard = [await nextEntry(), await nextEntry(), await nextEntry()];
    t.true(
      heard.every((told) => told.startsWith('delete')),
      heard.join(),
    );
    const names = (await tombstones(client)).map((each) => each['stsDeletedName']);
    t.true(names.includes('gil') && names.includes('gus'));
    const gil = (await tombstones(client)).find((each) => each['stsDeletedName'] === 'gil')?.dn ?? '';
    await t.throwsAsync(restore(client, gil), { code: 53 }, 'what they stood below is gone');
    await client.add(unit, { objectClass: 'organizationalUnit', ou: 'guild' });
    await restore(client, gil);
    t.deepEqual([await nextEntry(), await nextEntry()], [`add ${unit}`, `add uid=gil,${unit}`]);
  });
  const file = join(atrium.dataDir, 'realm.ldif');
  const exported = await cli(`realm export default ${file}`);
  t.is(exported.status, 0, exported.stderr);
  t.notRegex(readFileSync(file, 'utf8'), /stsTombstone/);
});

test.serial('what is kept goes by itself when its time is over, and an outsider never learns of it', async (t) => {
  const kept = () => asAdministrator(atrium, async (client) => (await tombstones(client)).length);
  t.true((await kept()) > 0);
  passS(29 * 86_400);
  await new Promise(setImmediate);
  t.true((await kept()) > 0);
  passS(2 * 86_400);
  const gone = () => atrium.audit.some(({ action }) => action === 'account.purge');
  while (!gone()) await new Promise(setImmediate);
  while ((await kept()) > 0) await new Promise(setImmediate);
  const anonymous = await openFollower(t, atrium);
  t.is(
    (await anonymous.ask({ kind: 'extendedRequest', oid: restoreOid, value: encodeBer((ber) => ber.sequence(() => ber.string('x'))) }))
      .code > 0,
    true,
  );
});
