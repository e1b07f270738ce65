import test from 'ava';
import { exportFolder } from '../../src/wiring/folder/export.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { damageOf, folder, importText, optionsOf, people, person, suffix } from './support.ts';

async function exported(dataDir: string, secrets = true): Promise<string> {
  let text = '';
  const done = await exportFolder(optionsOf(dataDir), {
    secrets,
    operational: secrets,
    onText: async (piece) => {
      text += Buffer.from(piece).toString('latin1');
    },
  });
  return done.kind === 'exported' ? text : done.kind;
}

const dnsOf = (ldif: string) => [...ldif.matchAll(/^dn: (.*)$/gm)].map(([, dn = '']) => dn);

test('many ranges by two threads: every entry once, superiors first, and an import of the export exports the same', async (t) => {
  const [one, two] = [folder(t), folder(t)];
  await importText(one, people(0, 2300));
  const text = await exported(one);
  const dns = dnsOf(text);
  t.is(new Set(dns).size, dns.length);
  t.is(dns.filter((dn) => dn.startsWith('uid=p')).length, 2300);
  t.regex(text, /^userPassword/m);
  t.notRegex(await exported(one, false), /^(userPassword|entryUUID)/m);
  t.like(await importText(two, text), { kind: 'imported', entries: dns.length });
  t.true((await exported(two)) === text);
  t.deepEqual(await damageOf(two), []);
});

test('a group of many members comes as it went in, its members behind its own attributes', async (t) => {
  const [one, two] = [folder(t), folder(t)];
  const members = Array.from({ length: 900 }, (_, n) => `member: uid=p${n},ou=people,${suffix}\n`).join('');
  const group = `dn: cn=all,ou=groups,${suffix}\nobjectClass: groupOfNames\ncn: all\n${members}description: everybody\n\n`;
  await importText(one, people(0, 900) + group);
  const text = await exported(one);
  t.true(text.includes(`description: everybody\n${members}structuralObjectClass: groupOfNames\n`));
  await importText(two, text);
  t.true((await exported(two)) === text);
  t.deepEqual(await damageOf(two), []);
});

withLdapUtils(test)('an entry that was moved below a later one comes behind it, and the import takes the export', async (t) => {
  const [one, two] = [folder(t), folder(t)];
  await importText(one, person('early') + people(0, 120));
  const atrium = await startTestAtrium({ dataDir: one });
  const late = `dn: ou=late,${suffix}\nchangetype: add\nobjectClass: organizationalUnit\nou: late\n\n`;
  const move = `dn: uid=early,ou=people,${suffix}\nchangetype: modrdn\nnewrdn: uid=early\ndeleteoldrdn: 1\nnewsuperior: ou=late,${suffix}\n\n`;
  const { status, stderr } = await runLdapTool('ldapmodify', { url: atrium.addresses.operators ?? '', external: true }, [], late + move);
  t.is(status, 0, stderr);
  await atrium.stop();
  const text = await exported(one);
  const dns = dnsOf(text);
  t.true(dns.indexOf(`ou=late,${suffix}`) < dns.indexOf(`uid=early,ou=late,${suffix}`));
  t.like(await importText(two, text), { kind: 'imported', entries: dns.length });
  t.true((await exported(two)) === text);
});

test('a folder without entries exports nothing', async (t) => {
  t.is(await exported(folder(t)), 'absent');
});
