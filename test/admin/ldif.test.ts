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
