import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import test from 'ava';
import { keysErrors } from '#keys';
import { startBeside } from '../../src/wiring/beside.ts';
import { call } from '../admin/api.ts';
import { openConsoleHouse } from '../admin/console-house.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { openClock } from '../support/clock.ts';
import { rawClient } from '../support/raw-ldap.ts';
import { startWithWorkers } from '../workers/crew.ts';
import { get, makePair, openStartTls, openTls, type Pair, ranOnce, replace, serialOf, shownByThreads, threadOf } from './renewal.ts';

const dayS = 24 * 60 * 60;
const settingsOf = ({ certFile, keyFile }: Pair) => ({ STS_TLS_CERT_FILE: certFile, STS_TLS_KEY_FILE: keyFile });
const renewals = ({ audit }: { readonly audit: readonly { readonly action: string; readonly errorCode: string | undefined }[] }) =>
  audit.filter(({ action }) => action === 'tls.renew').map(({ errorCode }) => errorCode);

const born: Worker[] = [];
process.on('worker', (worker: Worker) => {
  if (worker.threadName?.startsWith('ldap')) born.push(worker);
});

test.serial(
  'files that are replaced are shown by HTTPS and by LDAPS and StartTLS of every thread, and connections that are open go on',
  async (t) => {
    const [given, next] = [await makePair(t), await makePair(t)];
    const clock = openClock();
    const options = { settings: settingsOf(given), clock, timers: clock.timers };
    await using atrium = await startWithWorkers(2, options);
    const { https = '', ldaps = '', ldap = '' } = atrium.addresses;
    const open = { https: await openTls(https), ldaps: await openTls(ldaps), startTls: await openStartTls(ldap) };
    for (const { serial } of Object.values(open)) t.is(serial, given.serial);
    t.is(await get(open.https.socket), 'HTTP/1.1 200 OK');
    const bound = [rawClient(open.ldaps.socket), rawClient(open.startTls.socket)];
    for (const client of bound) await threadOf(atrium, client, 2);

    replace(given, next);
    await ranOnce(atrium, () => clock.passS(60));
    t.deepEqual(renewals(atrium), [undefined]);
    t.true(atrium.log().includes(`another certificate: serial number ${next.serial}, good until `));
    t.is((await openTls(https)).serial, next.serial);
    t.deepEqual([...(await shownByThreads(atrium, 3, () => openTls(ldaps)))], [next.serial]);
    t.deepEqual([...(await shownByThreads(atrium, 3, () => openStartTls(ldap)))], [next.serial]);

    t.is(await get(open.https.socket), 'HTTP/1.1 200 OK', 'the open connection goes on');
    for (const client of bound) t.truthy(await threadOf(atrium, client, 3));
    for (const { socket } of Object.values(open)) socket.destroy();

    // A thread that takes the place of another was told nothing of it, and shows it all the same.
    const gone = new Promise((resolve) => born.at(-1)?.once('exit', resolve));
    const replaced = new Promise((resolve) => process.once('worker', resolve));
    born.at(-1)?.postMessage({ kind: 'ask', id: 0, name: 'nothing', given: [] });
    await Promise.all([gone, replaced]);
    t.deepEqual([...(await shownByThreads(atrium, 3, () => openTls(ldaps)))], [next.serial]);

    await ranOnce(atrium, () => clock.passS(60));
    t.is(renewals(atrium).length, 1, 'nothing is told of what is as before');
  },
);

test.serial(
  'STS-TLS-9860: what cannot be used leaves the certificate from before in force, is told once, and is forgotten when it is mended',
  async (t) => {
    const [given, next, over] = [await makePair(t), await makePair(t), await makePair(t, Date.now() - 500 * dayS * 1000)];
    const clock = openClock();
    await using atrium = await startTestAtrium({ settings: settingsOf(given), clock, timers: clock.timers });
    const { https = '', ldaps = '' } = atrium.addresses;
    const look = () => ranOnce(atrium, () => clock.passS(60));
    const chain = readFileSync(next.certFile, 'utf8');
    const half = `${chain}${chain.slice(0, chain.length / 2)}\n`;
    const broken: readonly [why: RegExp, act: () => void][] = [
      [/the key is not that of the certificate/, () => writeFileSync(given.certFile, chain)],
      [
        /PEM|asn1|bad (base64|end line)|base64/i,
        () => writeFileSync(given.certFile, half) ?? writeFileSync(given.keyFile, readFileSync(next.keyFile)),
      ],
      [/PEM|no start line/i, () => writeFileSync(given.certFile, '')],
      [/its time was over at 20/, () => replace(given, over)],
      [/ENOENT/, () => rmSync(given.keyFile)],
    ];
    for (const [at, [why, act]] of broken.entries()) {
      act();
      await look();
      await look();
      const rows = atrium.audit.filter(({ action }) => action === 'tls.renew');
      t.is(rows.length, at + 1, 'once');
      t.is(rows.at(-1)?.errorCode, keysErrors.certificateNotTaken.code);
      t.regex(rows.at(-1)?.summary ?? '', why);
      t.regex(rows.at(-1)?.summary ?? '', /put a certificate there .* and its key: the next look/);
      t.is((await openTls(https)).serial, given.serial);
      t.is((await openTls(ldaps)).serial, given.serial);
    }
    replace(given, next);
    await look();
    t.is(renewals(atrium).at(-1), undefined);
    t.is((await openTls(https)).serial, next.serial);
    rmSync(given.keyFile);
    await look();
    t.is(renewals(atrium).at(-1), keysErrors.certificateNotTaken.code, 'the same trouble again is told again');
  },
);

test.serial(
  'the certificate that Atrium made is signed anew while the service runs, by the authority that clients trust already',
  async (t) => {
    const clock = openClock();
    await using atrium = await startTestAtrium({ clock, timers: clock.timers, settings: { STS_TLS_CHECK_S: '3600' } });
    const { https = '', ldaps = '', ldap = '' } = atrium.addresses;
    const files = ['server.pem', 'ca.pem', 'server.key.new'].map((name) => join(atrium.dataDir, 'tls', name)) as [string, string, string];
    const [server, authority, place] = files;
    const [first, trusted] = [serialOf(server), serialOf(authority)];
    t.is((await openTls(https)).serial, first);
    clock.moveMs(380 * dayS * 1000);

    mkdirSync(place);
    await ranOnce(atrium, () => clock.passS(3600));
    t.deepEqual(renewals(atrium), [keysErrors.certificateNotMade.code]);
    t.regex(atrium.audit.at(-1)?.summary ?? '', /EISDIR.*let the service write there/);
    t.is((await openTls(https)).serial, first);

    rmSync(place, { recursive: true });
    await ranOnce(atrium, () => clock.passS(3600));
    const second = serialOf(server);
    t.not(second, first);
    t.is(serialOf(authority), trusted);
    t.is((await openTls(https)).serial, second);
    t.is((await openTls(ldaps)).serial, second);
    t.is((await openStartTls(ldap)).serial, second);

    // A service whose folder is gone shows what it has, as long as that lasts.
    rmSync(join(atrium.dataDir, 'tls'), { recursive: true });
    await ranOnce(atrium, () => clock.passS(3600));
    t.is((await openTls(https)).serial, second);
    t.is(renewals(atrium).length, 2);
  },
);

test.serial(
  'STS-TLS-9862: a certificate of the operator’s that ends soon is told of; the status says how many days are left, of the one that is shown',
  async (t) => {
    const [given, next] = [await makePair(t), await makePair(t, Date.now() + 380 * dayS * 1000)];
    const clock = openClock();
    const settings = { ...settingsOf(given), STS_GLOBAL_MODE: 'development', ADMIN_API_AUTH_REQUIRED: 'false' };
    await using atrium = await startTestAtrium({ settings, clock, timers: clock.timers });
    const certificate = async () => (await call(t, atrium, 'status.show')).body['certificate'];
    t.like(await certificate(), { serialNumber: given.serial, daysLeft: 396, madeHere: false });
    clock.moveMs(384 * dayS * 1000);
    await ranOnce(atrium, () => clock.passS(60));
    await ranOnce(atrium, () => clock.passS(60));
    t.deepEqual(renewals(atrium), [keysErrors.certificateEnds.code]);
    t.regex(atrium.audit.at(-1)?.summary ?? '', /good until 20\d\d-.* renew it/);
    t.like(await certificate(), { serialNumber: given.serial, daysLeft: 12 });

    replace(given, next);
    await ranOnce(atrium, () => clock.passS(60));
    t.like(await certificate(), { serialNumber: next.serial, daysLeft: 392 });
  },
);

test.serial(
  'what makes an installation ready says when a certificate of the operator’s ends, and has it renewed when that is soon',
  async (t) => {
    const [soon, later] = [await makePair(t, Date.now() - 390 * dayS * 1000), await makePair(t)];
    for (const [pair, done, words] of [
      [soon, false, /It ends soon,.* Put another in its place: .*Its end: <time [^>]*>in 7 days</s],
      [later, true, /a certificate of yours\.\s+Its end: <time [^>]*>in 397 days</],
    ] as const) {
      await using house = await openConsoleHouse(settingsOf(pair));
      const { steps } = JSON.parse((await house.get('/admin?format=json', house.reader)).body);
      t.is(steps.find(({ name }: { readonly name: string }) => name === 'Certificate').done, done);
      t.regex((await house.get('/admin', house.reader)).body, words);
    }
  },
);

test.serial('a web process beside the service takes the files up by itself', async (t) => {
  const [given, next] = [await makePair(t), await makePair(t)];
  const clock = openClock();
  const settings = settingsOf(given);
  await using atrium = await startTestAtrium({ settings, clock, timers: clock.timers });
  const logStream = new PassThrough();
  let log = '';
  logStream.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const environment = { ...testEnvironment(atrium.dataDir), ...settings };
  const root = join(import.meta.dirname, '../..');
  const started = await startBeside({ root, environment, clock, timers: clock.timers, logStream });
  if (started.kind !== 'running') throw new Error(JSON.stringify(started));
  const { service } = started;
  t.teardown(() => service.stop());
  const { https = '' } = service.addresses;
  t.not(https, atrium.addresses.https);
  t.is((await openTls(https)).serial, given.serial);
  replace(given, next);
  await ranOnce({ log: () => log }, () => clock.passS(60));
  t.is((await openTls(https)).serial, next.serial);
  t.deepEqual([...new Set(log.match(/job [\w.]+/g))], ['job tls.renew'], 'it runs no other job');
});
