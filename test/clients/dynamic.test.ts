import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { openClock } from '../support/clock.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

withLdapUtils(test)('RFC 2589 in a running service: ldapexop refreshes an entry, and a job deletes it when its time is over', async (t) => {
  const clock = openClock(Date.UTC(2026, 10, 21, 4, 0, 0));
  await using atrium = await startTestAtrium({ clock, timers: clock.timers });
  const runs = () => atrium.log().match(/directory\.expire: \d+/g) ?? [];
  /** Moves the clock, and waits for the run of the job that is due then. */
  const passS = async (s: number) => {
    const before = runs().length;
    clock.passS(s);
    while (runs().length === before) await new Promise(setImmediate);
    return runs().at(-1);
  };
  const operators = { url: atrium.addresses.operators ?? '', external: true } as const;
  const dn = `cn=meeting,ou=applications,${atrium.suffix}`;
  const entry = `dn: ${dn}\nobjectClass: applicationProcess\nobjectClass: dynamicObject\ncn: meeting\n`;
  t.is((await runLdapTool('ldapadd', operators, [], entry)).stderr, '');
  const refreshed = await runLdapTool('ldapexop', operators, ['refresh', dn, '100']);
  t.deepEqual([refreshed.status, refreshed.stdout.trim()], [0, 'newttl=100']);
  const left = await runLdapTool('ldapsearch', operators, ['-LLL', '-b', dn, 'entryTtl']);
  t.regex(left.stdout, /^entryTtl: 100$/m);
  t.is(await passS(60), 'directory.expire: 0');
  t.is(await passS(60), 'directory.expire: 1');
  t.is((await runLdapTool('ldapsearch', operators, ['-b', dn])).status, 32);
});
