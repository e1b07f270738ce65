import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { call, openApi } from './api.ts';

const atrium = await openApi({ settings: { STS_LDAP_TRANSACTION_MIB: '1', STS_LDAP_MESSAGE_OCTETS_MAX: '300000' } });
test.after.always(() => atrium[Symbol.asyncDispose]());

const place = (uid: string) => `uid=${uid},ou=people,dc=example,dc=com`;
const person = (uid: string, more = '') => `dn: ${place(uid)}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${more}\n`;
const isThere = async (t: ExecutionContext, uid: string) => (await call(t, atrium, 'users.read', { params: { user: uid } })).status === 200;
const left = () => readdirSync(join(atrium.dataDir, 'exchange')).filter((name) => name.startsWith('import-'));

async function ended(t: ExecutionContext, task: string) {
  for (;;) {
    const { body } = await call(t, atrium, 'tasks.read', { params: { task } });
    if (['done', 'failed'].includes(body.task.state)) return body.task;
  }
}

test.serial(
  'ldif.import: what the directory counts as more than ldap.transactionMib goes by a task, though its text is shorter',
  async (t) => {
    const description = 'd'.repeat(1900);
    const octets = Array.from({ length: 490 }, (_, at) => person(`near${at}`, `description: ${description}\n`)).join('');
    t.true(octets.length < 2 ** 20);
    const { status, body } = await call(t, atrium, 'ldif.import', { octets });
    t.is(status, 200, JSON.stringify(body));
    t.is((await ended(t, body.task)).state, 'done');
    t.true(await isThere(t, 'near489'));
    t.deepEqual(left(), []);
  },
);

test.serial('ldif.import: an entry of more octets than one message of LDAP may have goes by a task', async (t) => {
  const { status, body } = await call(t, atrium, 'ldif.import', { octets: person('wide', `description: ${'w'.repeat(299_000)}\n`) });
  t.is(status, 200, JSON.stringify(body));
  t.is((await ended(t, body.task)).state, 'done');
  t.true(await isThere(t, 'wide'));
});

test.serial('ldif.import: more change records than one transaction holds are refused at once, and what to do is told', async (t) => {
  await call(t, atrium, 'ldif.import', { octets: person('changed') });
  const change = (title: string) => `dn: ${place('changed')}\nchangetype: modify\nreplace: title\ntitle: ${title}\n-\n\n`;
  const many = [
    Array.from({ length: 600 }, (_, at) => change(`t${at}`)).join(''),
    Array.from({ length: 400 }, (_, at) => change(`${at}${'t'.repeat(2400)}`)).join(''),
  ];
  for (const octets of many) {
    const { status, body } = await call(t, atrium, 'ldif.import', { octets });
    t.is(status, 400, JSON.stringify(body));
    t.regex(body.errors[0].field, /^line \d+$/);
    t.regex(body.errors[1].message, /^Nothing was added or changed\. .*499 records, 1 MiB.*continue/);
  }
  t.deepEqual(left(), []);
});

test.serial(
  'ldif.import: entries of another suffix are refused also where there are more of them than one transaction holds',
  async (t) => {
    const octets = Array.from({ length: 600 }, (_, at) => person(`far${at}`))
      .join('')
      .replaceAll('dc=example,dc=com', 'dc=other,dc=org');
    const { status, body } = await call(t, atrium, 'ldif.import', { octets });
    t.is(status, 400, JSON.stringify(body));
    t.regex(body.errors[0].message, /not of this realm/);
    t.deepEqual(left(), []);
  },
);

const unknown = '1.3.6.1.4.1.99999.1';
const retitled = (uid: string, control: string, title = 'Dr') =>
  `dn: ${place(uid)}\n${control}changetype: modify\nreplace: title\ntitle: ${title}\n-\n\n`;

test.serial(
  'ldif.import: a critical control that is not obeyed refuses its record with the line; others that are unknown are passed over',
  async (t) => {
    const control = `control: ${unknown} true\n`;
    const octets = `${person('crit1')}${retitled('crit1', control)}`;
    const refused = await call(t, atrium, 'ldif.import', { octets });
    t.is(refused.status, 400);
    t.is(refused.body.errors[0].field, 'line 7');
    t.regex(refused.body.errors[0].message, /^uid=crit1,.*1\.3\.6\.1\.4\.1\.99999\.1.*unavailableCriticalExtension/);
    t.false(await isThere(t, 'crit1'));
    const dry = (await call(t, atrium, 'ldif.import', { octets, query: { dryRun: 'true' } })).body;
    t.deepEqual([dry.added, dry.refused, dry.refusals[0].line], [1, 1, 7]);
    const rest = (await call(t, atrium, 'ldif.import', { octets, query: { continue: 'true' } })).body;
    t.deepEqual([rest.added, rest.changed, rest.refused, rest.refusals[0].line], [1, 0, 1, 7]);
    const { body } = await call(t, atrium, 'ldif.import', { octets: retitled('crit1', `control: ${unknown} false\n`) });
    t.is(body.changed, 1);
  },
);

test.serial(
  'STS-LDAP-9051: a dry run is recorded as a change that asserts what is never true, and not as one that was wrong',
  async (t) => {
    const from = atrium.audit.length;
    const { body } = await call(t, atrium, 'ldif.import', { octets: person('dry'), query: { dryRun: 'true' } });
    t.deepEqual([body.added, body.refused], [1, 0]);
    const codes = atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);
    t.deepEqual(codes, ['STS-LDAP-9051']);
    t.false(await isThere(t, 'dry'));
  },
);

test.serial('ldif.import: no record says for whom it is made, in which transaction or over which connection', async (t) => {
  await call(t, atrium, 'ldif.import', { octets: person('crit2') });
  const given: readonly [oid: string, value: string][] = [
    ['2.16.840.1.113730.3.4.18', ` : dn:${place('admin')}`],
    ['2.16.840.1.113730.3.4.18', ':'],
    ['1.3.6.1.1.21.2', ': 1'],
    ['2.25.83716444157178576224225129172109131643.5.20', ''],
    ['2.25.83716444157178576224225129172109131643.5.1', ''],
  ];
  for (const [oid, value] of given)
    for (const query of [{}, { continue: 'true' }] as Readonly<Record<string, string>>[]) {
      const { body } = await call(t, atrium, 'ldif.import', { octets: retitled('crit2', `control: ${oid} true${value}\n`), query });
      t.regex(JSON.stringify(body), /unavailableCriticalExtension/, oid);
    }
});

test.serial(
  'ldif.import obeys the controls of change records that the directory obeys: an assertion, a permissive modify, a tree delete',
  async (t) => {
    // (title=Dr), as BER.
    const assertion = (title: string) =>
      `control: 1.3.6.1.1.12 true:: ${Buffer.from(`\u00a3\u000b\u0004\u0005title\u0004\u0002${title}`, 'latin1').toString('base64')}\n`;
    const unit = 'ou=felled,dc=example,dc=com';
    const octets = [person('obey'), retitled('obey', ''), `dn: ${unit}\nobjectClass: organizationalUnit\nou: felled\n\n`];
    const below = `dn: ou=below,${unit}\nobjectClass: organizationalUnit\nou: below\n\n`;
    t.is((await call(t, atrium, 'ldif.import', { octets: [...octets, below].join('') })).body.added, 3);
    const added = (control: string) => `dn: ${place('obey')}\n${control}changetype: modify\nadd: title\ntitle: Dr\n-\n\n`;
    for (const query of [{}, { continue: 'true' }] as Readonly<Record<string, string>>[]) {
      const done = async (ldif: string) => {
        const { status, body } = await call(t, atrium, 'ldif.import', { octets: ldif, query });
        return status === 200 && body.refused === 0;
      };
      t.true(await done(retitled('obey', assertion('Dr'))));
      t.false(await done(retitled('obey', assertion('Mx'))));
      t.false(await done(added('')));
      t.true(await done(added('control: 1.2.840.113556.1.4.1413 true\n')));
    }
    t.is((await call(t, atrium, 'ldif.import', { octets: `dn: ${unit}\nchangetype: delete\n` })).status, 409);
    t.is(
      (await call(t, atrium, 'ldif.import', { octets: `dn: ${unit}\ncontrol: 1.2.840.113556.1.4.805\nchangetype: delete\n` })).body.changed,
      1,
    );
  },
);

test.serial('ldif.import by a task refuses a critical control, too, with its line', async (t) => {
  const many = Array.from({ length: 600 }, (_, at) => person(`taskc${at}`)).join('');
  const octets = `${many}dn: ${place('taskc')}\ncontrol: ${unknown} true\nchangetype: add\nobjectClass: inetOrgPerson\nuid: taskc\ncn: c\nsn: c\n`;
  const task = await ended(t, (await call(t, atrium, 'ldif.import', { octets })).body.task);
  t.is(task.state, 'failed');
  t.regex(task.messages.join('\n'), /line 3601.*1\.3\.6\.1\.4\.1\.99999\.1/);
});

test.serial(
  'ldif.import: a dry run that names no more refusals says how many records it did not judge, and calls none of them added',
  async (t) => {
    const wrong = (name: string) => Array.from({ length: 12 }, (_, at) => person(`${name}${at}`, 'nonsense: x\n')).join('');
    const query = { dryRun: 'true' };
    const dry = (await call(t, atrium, 'ldif.import', { octets: `${wrong('a')}${person('fit')}`, query })).body;
    t.deepEqual([dry.records, dry.added, dry.refused, dry.unjudged], [13, 0, 10, 3]);
    const all = (await call(t, atrium, 'ldif.import', { octets: `${person('fit1', 'nonsense: x\n')}${person('fit')}`, query })).body;
    t.deepEqual([all.records, all.added, all.refused, all.unjudged], [2, 1, 1, 0]);
    const password = 'userPassword: Correct-horse-9-battery\n';
    const secrets = (
      await call(t, atrium, 'ldif.import', {
        octets: `${person('p1', 'nonsense: x\n')}${person('p2', password)}${person('p3', 'nonsense: x\n')}`,
        query,
      })
    ).body;
    t.deepEqual([secrets.records, secrets.added, secrets.refused, secrets.unjudged], [3, 0, 1, 2]);
  },
);

const worded: readonly [title: string, status: number, ldif: string, words: RegExp][] = [
  ['an entry without one above it', 400, organization('ou=worded,ou=nowhere'), /no entry above it.*has to come before it/],
  [
    'an entry that is there',
    409,
    'dn: ou=people,{suffix}\nobjectClass: organizationalUnit\nou: people\n',
    /an entry of that name exists: existing=skip/,
  ],
  ['a change of none', 400, 'dn: uid=none,ou=people,{suffix}\nchangetype: modify\nreplace: cn\ncn: x\n-\n', /there is no such entry/],
  [
    'a delete of one with others below it',
    409,
    'dn: ou=people,{suffix}\nchangetype: delete\n',
    /subordinate objects must be deleted first/,
  ],
];
function organization(name: string): string {
  return `dn: ${name},{suffix}\nobjectClass: organizationalUnit\nou: worded\n`;
}
for (const [title, status, ldif, words] of worded) {
  test.serial(`ldif.import: what the directory refuses by a code alone is told in words, whichever way it came: ${title}`, async (t) => {
    const octets = ldif.replaceAll('{suffix}', atrium.suffix);
    const { status: refused, body } = await call(t, atrium, 'ldif.import', { octets });
    t.is(refused, status);
    t.regex(body.errors[0].message, words);
    for (const query of [{ dryRun: 'true' }, { continue: 'true' }]) {
      const { refusals } = (await call(t, atrium, 'ldif.import', { octets, query })).body;
      t.regex(refusals[0].message, words, JSON.stringify(query));
    }
  });
}
