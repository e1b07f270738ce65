// How long after an LDAP write of pwdAccountLockedTime each door is shut: node run.mjs bench/ends.ts
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { addPerson } from '../test/flows/people.ts';
import { ask, cookieOf, openScreen, submit } from '../test/flows/raw.ts';
import { startTestAtrium } from '../test/support/atrium.ts';
import { connectRaw, request } from '../test/support/raw-ldap.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'atrium-ends-'));
const atrium = await startTestAtrium({ dataDir });
const [base, url] = [atrium.addresses.http ?? '', new URL(atrium.addresses.ldap ?? '')];
const { dn, uid, password } = await addPerson(atrium, 'ada', 'Ada Lovelace');
const session = cookieOf(await submit(base, await openScreen(base), uid, password), 'sts_session') ?? '';
const bound = await connectRaw({ host: url.hostname, port: Number(url.port) });
bound.write(request(1, { kind: 'bindRequest', version: 3, name: dn, authentication: { kind: 'simple', password: Buffer.from(password) } }));
await bound.next();

const admin = new Client({ url: url.href });
await admin.bind(atrium.adminDn, atrium.adminPassword);
const lock = new Change({ operation: 'replace', modification: new Attribute({ type: 'pwdAccountLockedTime', values: ['000001010000Z'] }) });
const beganMs = performance.now();
const since = (what: string) => process.stdout.write(`${(performance.now() - beganMs).toFixed(1).padStart(8)} ms  ${what}\n`);
const noticed = bound.next().then(() => since('LDAP connection: notice of disconnection'));
await admin.modify(dn, lock);
since('the write is answered');
while ((await ask(base, '/portal', { cookies: { sts_session: session } })).status === 200);
since('browser session: refused');
const again = new Client({ url: url.href });
await again.bind(dn, password).then(
  () => since('bind: let in'),
  () => since('bind: refused'),
);
const { status, body } = await submit(base, await openScreen(base), uid, password);
since(`sign-in screen: ${status === 200 && body.includes('Authentication failed') ? 'refused' : 'let in'}`);
await noticed;
await Promise.all([admin.unbind(), again.unbind()]);
await atrium.stop();
rmSync(dataDir, { recursive: true, force: true });
