import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { addPerson } from '../flows/people.ts';
import { ask } from '../flows/raw.ts';
import { startTwoWebs, type TwoWebs } from '../races/house.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { startSmtp } from '../support/smtp.ts';
import { type Answer, type Lane, openLane } from '../torture/lane.ts';
import { connectToEach, startWithWorkers } from '../workers/crew.ts';

let atrium: TestAtrium;
let admin: Lane;

test.before(async () => {
  atrium = await startWithWorkers(2, { settings: { STS_LDAP_UID_NUMBER_FLOOR: '20000' } });
  admin = await laneTo(atrium);
});
test.after.always(async () => {
  admin?.close();
  await atrium?.[Symbol.asyncDispose]();
});

type House = Pick<TestAtrium, 'addresses' | 'adminDn' | 'adminPassword' | 'suffix'>;

function laneTo({ addresses, adminDn, adminPassword }: House): Promise<Lane> {
  return openLane(Number(new URL(addresses.ldap ?? '').port), adminDn, adminPassword);
}

function placeIn({ suffix }: House): string {
  return `cn=settings,${suffix}`;
}

const values = (texts: readonly string[]) => texts.map((text) => utf8(text));

/** Makes the entry say exactly this, whether it is there or not. */
async function set(lane: Lane, house: House, texts: readonly string[]): Promise<Answer | undefined> {
  const objectName = placeIn(house);
  const modify: Request = {
    ...{ kind: 'modifyRequest', object: objectName },
    changes: [{ operation: 'replace', attribute: { description: 'stsSetting', values: values(texts) } }],
  };
  const answer = await lane.send(modify).answer;
  if (answer?.code !== 32) return answer;
  const attributes = [
    { description: 'objectClass', values: values(['stsServiceSettings']) },
    { description: 'cn', values: values(['settings']) },
    ...(texts.length === 0 ? [] : [{ description: 'stsSetting', values: values(texts) }]),
  ];
  return await lane.send({ kind: 'addRequest', entry: objectName, attributes }).answer;
}

const everything = { kind: 'present', description: 'objectClass' } as const;

function search(baseObject: string, filter: (Request & { kind: 'searchRequest' })['filter'] = everything): Request {
  return {
    ...{ kind: 'searchRequest', baseObject, scope: 'base', derefAliases: 'never', sizeLimit: 0, timeLimitS: 0, typesOnly: false },
    ...{ filter, attributes: ['1.1'] },
  };
}

test.serial(
  'a setting that is set while the service runs is in force at once in every thread that serves LDAP, and so is its reset',
  async (t) => {
    const connected = await connectToEach(atrium, 3, 1);
    t.teardown(() => {
      for (const { lane } of connected) lane.close();
    });
    const entriesOf = async (lane: Lane) => {
      // A search of an anonymous connection below people, which the realm allows or not.
      const answer = await lane.send(search(`ou=people,${atrium.suffix}`)).answer;
      return answer?.entries.length ?? 0;
    };
    // Who is nobody from now on.
    for (const { lane } of connected) {
      await lane.send({ kind: 'bindRequest', version: 3, name: '', authentication: { kind: 'simple', password: new Uint8Array() } }).answer;
    }
    const seen: number[][] = [];
    for (const texts of [['ldap.anonymousRead=public'], [], ['ldap.anonymousRead=public'], ['ldap.anonymousRead=none']]) {
      t.is((await set(admin, atrium, texts))?.code, 0);
      seen.push(await Promise.all(connected.map(({ lane }) => entriesOf(lane))));
    }
    t.deepEqual(seen, [
      [1, 1, 1],
      [0, 0, 0],
      [1, 1, 1],
      [0, 0, 0],
    ]);
  },
);

const refused: readonly (readonly [text: string, code: string, says: RegExp, result?: number])[] = [
  ['ldap.unheardOf=1', 'STS-CORE-0004', /is no setting/],
  ['ldap.port=390', 'STS-CORE-0005', /at the start only/],
  ['ldap.searchSizeLimit=many', 'STS-CORE-0006', /must be an integer/],
  ['ldap.uidNumberFloor=50000', 'STS-CORE-9530', /given by the environment \(STS_LDAP_UID_NUMBER_FLOOR\)/, 53],
  ['mail.smtpPassword=hunter2', 'STS-LDAP-9325', /is a secret and cannot stand in an entry/],
  ['ldap.searchSizeLimit', 'STS-LDAP-9325', /not written as name=value/],
];
for (const [text, code, says, result = 19] of refused) {
  test.serial(`"${text}" cannot be set while the service runs: ${code}, in words`, async (t) => {
    const before = atrium.audit.length;
    const answer = await set(admin, atrium, [text]);
    t.is(answer?.code, result);
    t.regex(answer?.diagnostic ?? '', says);
    t.false(answer?.diagnostic.includes('hunter2'));
    t.like(await atrium.recorded(({ errorCode }) => errorCode === code, before), { outcome: 'refused' });
  });
}

test.serial('a setting cannot be set twice, and the service’s settings stand in one place alone', async (t) => {
  const twice = await set(admin, atrium, ['ldap.searchSizeLimit=7', 'ldap.searchSizeLimit=8']);
  t.is(twice?.code, 19);
  const attributes = [
    { description: 'objectClass', values: values(['stsServiceSettings']) },
    { description: 'cn', values: values(['settings']) },
    { description: 'stsSetting', values: values(['ldap.searchSizeLimit=7']) },
  ];
  const elsewhere = await admin.send({ kind: 'addRequest', entry: `cn=settings,ou=people,${atrium.suffix}`, attributes }).answer;
  t.is(elsewhere?.code, 64);
  t.like(await atrium.recorded(({ errorCode }) => errorCode === 'STS-CORE-9531'), { outcome: 'refused' });
});

test.serial('both processes of the web go by a setting from the next request on', async (t) => {
  const house: TwoWebs = await startTwoWebs({ STS_HTTP_PORT: '0' });
  t.teardown(() => house[Symbol.asyncDispose]());
  const lane = await laneTo(house);
  t.teardown(() => lane.close());
  const statuses = () => Promise.all(house.bases.map(async (base) => (await ask(base, '/portal/forgot-password')).status));
  t.deepEqual(await statuses(), [404, 404]);
  for (let round = 0; round < 3; round++) {
    t.is((await set(lane, house, ['mail.smtpHost=localhost']))?.code, 0);
    t.deepEqual(await statuses(), [200, 200]);
    t.is((await set(lane, house, []))?.code, 0);
    t.deepEqual(await statuses(), [404, 404]);
  }
});

test.serial(
  'what is set while the service runs is in force after a restart; what the environment says by then wins, and the log says so',
  async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'atrium-run-time-'));
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
    const texts = ['ldap.anonymousRead=public', 'totp.digits=8'];
    const first = await startTestAtrium({ dataDir });
    const lane = await laneTo(first);
    t.is((await set(lane, first, texts))?.code, 0);
    lane.close();
    await first.stop();
    const seenAnonymously = async (house: TestAtrium) => {
      const anonymous = await openLane(Number(new URL(house.addresses.ldap ?? '').port), '', '');
      const answer = await anonymous.send(search(`ou=people,${house.suffix}`)).answer;
      anonymous.close();
      return answer?.entries.length ?? 0;
    };
    const again = await startTestAtrium({ dataDir });
    t.is(await seenAnonymously(again), 1);
    t.notRegex(again.log(), /STS-CORE-9532/);
    await again.stop();
    const pinned = await startTestAtrium({ dataDir, settings: { STS_LDAP_ANONYMOUS_READ: 'none' } });
    t.teardown(() => pinned.stop());
    t.is(await seenAnonymously(pinned), 0);
    t.regex(pinned.log(), /STS-CORE-9532.*ldap\.anonymousRead/);
    // Other values are changed although one stands there that would be refused now.
    const other = await laneTo(pinned);
    t.teardown(() => other.close());
    t.is((await set(other, pinned, ['ldap.anonymousRead=public', 'totp.digits=6']))?.code, 0);
    t.is((await set(other, pinned, ['ldap.anonymousRead=none']))?.code, 53);
  },
);

test.serial('the password of the mail server is not given to a server that is named while the service runs', async (t) => {
  const login = { user: 'atrium', password: 'the-password-of-the-operator' };
  const smtp = await startSmtp(t, { login });
  const house = await startTestAtrium({
    settings: {
      STS_MAIL_SMTP_PORT: String(smtp.port),
      STS_MAIL_SMTP_CA_FILE: smtp.caFile,
      STS_MAIL_SMTP_USER: login.user,
      STS_MAIL_SMTP_PASSWORD: login.password,
      STS_MAIL_SEND_S: '1',
    },
  });
  t.teardown(() => house[Symbol.asyncDispose]());
  const ada = await addPerson(house, 'ada', 'Ada Lovelace');
  const lane = await laneTo(house);
  t.teardown(() => lane.close());
  t.is((await set(lane, house, ['mail.smtpHost=localhost']))?.code, 0);
  const value = { description: 'userPassword', values: values(['Another-password-4-ada']) };
  const change: Request = { kind: 'modifyRequest', object: ada.dn, changes: [{ operation: 'replace', attribute: value }] };
  t.is((await lane.send(change).answer)?.code, 0);
  // She is told of it by mail, which is not handed over.
  while (!house.log().includes('STS-MAIL-9004')) await new Promise((resolve) => setImmediate(resolve));
  t.is(smtp.connections(), 0);
});
