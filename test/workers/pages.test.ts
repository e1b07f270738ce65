import test from 'ava';
import { paged, pageOf, sortedBy, viewed, viewOf } from '../directory/control-values.ts';
import { searchOf } from '../directory/driver.ts';
import { connectForControls } from '../support/controls-client.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { startWithWorkers } from './crew.ts';

const connectionsMax = 100;
const threads = 3;

withLdapUtils(test)('pages, order and list views are those of the connection, whichever thread serves it', async (t) => {
  await using atrium = await startWithWorkers(threads - 1);
  const people = `ou=people,${atrium.suffix}`;
  const uids = Array.from({ length: 20 }, (_, at) => `p${String(at).padStart(2, '0')}`);
  const ldif = uids.map((uid) => `dn: uid=${uid},${people}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: P\nsn: P\n`).join('\n');
  t.is((await runLdapTool('ldapadd', { url: atrium.addresses.operators ?? '', external: true }, [], ldif)).status, 0);

  const dns = uids.map((uid) => `uid=${uid},${people}`);
  const op = { ...searchOf(people, '(cn=P)'), attributes: ['1.1'] };
  const sort = sortedBy('-uid:caseIgnoreOrderingMatch');
  const served = new Set<string>();
  for (let tries = 0; served.size < threads && tries < connectionsMax; tries++) {
    const client = await connectForControls(atrium.addresses.ldap ?? '', atrium.adminDn, atrium.adminPassword);
    const found: string[] = [];
    for (let cookie: Uint8Array | undefined, more = true; more; ) {
      const answers = await client.search(op, paged(6, cookie), sort);
      t.is(answers.code, 0);
      found.push(...answers.dns);
      cookie = pageOf(answers)?.cookie;
      more = cookie !== undefined && cookie.length > 0;
    }
    t.deepEqual(found, dns.toReversed());
    const view = await client.search(op, sort, viewed(1, 1, 'p10'));
    t.deepEqual(view.dns, [dns[11], dns[10], dns[9]]);
    const again = await client.search(op, sort, viewed(0, 0, [1, 0], viewOf(view)?.context));
    t.deepEqual([again.dns, viewOf(again)?.context], [[dns[19]], viewOf(view)?.context]);
    client.close();
    for (const { action, correlationId } of atrium.audit) if (action === 'ldap.bind') served.add(correlationId.replace(/-\d+:\d+$/, ''));
  }
  t.is(served.size, threads);
});
