import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Control } from '#ldap';
import { freePort, runProgram, startServer, stopProgram } from '../../bench/process.ts';
import { matching, paged, pageOf, sortedBy, viewed, viewOf } from '../directory/control-values.ts';
import { searchOf } from '../directory/driver.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { connectForControls } from '../support/controls-client.ts';
import { type LdapUtilsTarget, runLdapTool } from '../support/ldap-utils.ts';
import { findProgram, withPrograms } from '../support/programs.ts';

const bothTest = withPrograms(test, 'ldapsearch', 'slapd');

const suffix = 'dc=example,dc=com';
const people = `ou=people,${suffix}`;
const limitOfPersons = 7;

/** Twelve people whose names, numbers and titles stand in three different orders, and a group of some of them. */
const names = ['Zoe', 'adam', 'Bert', 'claire', 'Emil', 'dora', 'Fritz', 'gus', 'Hanna', 'ida', 'Jan', 'karl'];
const content = [
  ...names.map((name, at) =>
    [
      `dn: uid=u${at},${people}`,
      'objectClass: inetOrgPerson',
      'objectClass: posixAccount',
      `uid: u${at}`,
      `cn: ${name}`,
      `cn: The ${name}`,
      `sn: S${at % 3}`,
      `uidNumber: ${((at * 7) % 12) + 95}`,
      'gidNumber: 1',
      `homeDirectory: /home/u${at}`,
      `employeeNumber: ${90 - at}`,
      'userPassword: Pass-word-1815',
      ...(at === 2
        ? ['description: plain', 'description;lang-en: Hello', 'description;lang-de: Hallo', 'description;lang-de-at: Servus']
        : []),
      ...(at % 2 === 0 ? [] : [`givenName: G${at % 5}`]),
      ...(at % 3 === 0 ? [] : [`title: t${at}`, `title: t${12 - at}`]),
      '',
    ].join('\n'),
  ),
  [
    `dn: cn=g1,ou=groups,${suffix}`,
    'objectClass: groupOfNames',
    'cn: g1',
    ...[0, 1, 2, 3].map((at) => `member: uid=u${at},${people}`),
    `member: uid=gone,${people}`,
    `owner: uid=u5,${people}`,
    '',
  ].join('\n'),
].join('\n');

const frame = [
  `dn: ${suffix}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n`,
  `dn: ${people}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ou=groups,${suffix}\nobjectClass: organizationalUnit\nou: groups\n`,
].join('\n');

const configuration = (database: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload sssvlv
moduleload deref
loglevel none
sizelimit ${limitOfPersons}
database mdb
suffix "${suffix}"
rootdn "uid=admin,${people}"
rootpw administrator
directory ${database}
maxsize 104857600
dbnosync
index objectClass,uid eq
access to attrs=userPassword by anonymous auth by * none
access to attrs=employeeNumber by self read by * none
access to * by users read by * none
overlay sssvlv
sssvlv-max 1000
overlay deref
`;

interface Both {
  readonly atrium: LdapUtilsTarget;
  readonly slapd: LdapUtilsTarget;
  stop(): Promise<void>;
}

let started: Promise<Both> | undefined;
const both = () => {
  started ??= start();
  return started;
};
test.after.always(async () => (await started)?.stop());

async function start(): Promise<Both> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-controls-'));
  const database = join(folder, 'slapd');
  mkdirSync(database);
  writeFileSync(join(folder, 'slapd.conf'), configuration(database));
  writeFileSync(join(folder, 'content.ldif'), `${frame}\n${content}`);
  await runProgram('/usr/sbin/slapadd', ['-q', '-f', join(folder, 'slapd.conf'), '-l', join(folder, 'content.ldif')]);
  const port = await freePort();
  const url = `ldap://127.0.0.1:${port}`;
  const { child } = await startServer(
    findProgram('slapd') ?? '',
    ['-f', join(folder, 'slapd.conf'), '-h', url, '-d', '0'],
    port,
    process.env,
  );

  const atrium = await startTestAtrium({ settings: { STS_LDAP_SEARCH_SIZE_LIMIT: String(limitOfPersons) } });
  const added = await runLdapTool('ldapadd', { url: atrium.addresses.operators ?? '', external: true }, [], content);
  if (added.status !== 0) throw new Error(added.stderr);
  return {
    atrium: { url: atrium.addresses.ldap ?? '', dn: atrium.adminDn, password: atrium.adminPassword },
    slapd: { url, dn: `uid=admin,${people}`, password: 'administrator' },
    async stop() {
      await stopProgram(child);
      await atrium[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Who = 'administrator' | 'person';

/** What ldapsearch prints, without what is each server's own: cookies, contexts, estimates and words. */
async function printed(target: LdapUtilsTarget, who: Who, args: readonly string[]): Promise<string[]> {
  const as = who === 'administrator' ? target : { url: target.url, dn: `uid=u1,${people}`, password: 'Pass-word-1815' };
  const run = () => runLdapTool('ldapsearch', as, ['-b', suffix, '-o', 'ldif-wrap=no', ...args]);
  let { stdout } = await run();
  // slapd is busy with a sorted search until a moment after it has answered it: a fast client's next page may come too early.
  for (let tries = 0; /^result: 51 /m.test(stdout) && tries < 50; tries++) ({ stdout } = await run());
  const isOwn = /^(?:control:|search:|text:|#|Press|$)/;
  const shown = stdout.split('\n').filter((line) => !isOwn.test(line) || /^# \w+: (?:<|uid=)/.test(line));
  return shown.map((line) =>
    line.replace(/(?:estimate=\d+ )?cookie=(.*)/, (_text, cookie) => (cookie === '' ? 'end' : 'more')).replace(/context=\S+/, ''),
  );
}

const alike: readonly [title: string, who: Who, args: readonly string[]][] = [
  ['pages', 'administrator', ['-E', '!pr=5/noprompt', '(uid=u*)', '1.1']],
  ['pages that are just full', 'administrator', ['-E', '!pr=4/noprompt', '(uid=u*)', '1.1']],
  ['one page that holds all', 'administrator', ['-E', 'pr=100/noprompt', '(uid=u*)', '1.1']],
  ['the limit of the request over all pages', 'administrator', ['-z', '8', '-E', '!pr=5/noprompt', '(uid=u*)', '1.1']],
  ['a page as large as the limit of the request', 'administrator', ['-z', '5', '-E', '!pr=5/noprompt', '(uid=u*)', '1.1']],
  ['a page that is larger', 'administrator', ['-z', '3', '-E', '!pr=5/noprompt', '(uid=u*)', '1.1']],
  ['the limit of a person over all pages', 'person', ['-E', '!pr=5/noprompt', '(uid=u*)', '1.1']],
  ['the limit of a person within a page', 'person', ['-E', '!pr=10/noprompt', '(uid=u*)', '1.1']],
  ['the limit of a person at the end of a page', 'person', ['-E', '!pr=7/noprompt', '(uid=u*)', '1.1']],
  ['the limit of a person without pages', 'person', ['(uid=u*)', '1.1']],
  ['order by number', 'administrator', ['-E', '!sss=uidNumber', '(uid=u*)', 'uidNumber']],
  ['order by a named rule', 'administrator', ['-E', '!sss=cn:caseIgnoreOrderingMatch', '(uid=u*)', '1.1']],
  ['order by a rule’s OID', 'administrator', ['-E', 'sss=cn:2.5.13.3', '(uid=u*)', '1.1']],
  ['order in reverse', 'administrator', ['-E', '!sss=-uidNumber', '(uid=u*)', '1.1']],
  ['order by two keys', 'administrator', ['-E', '!sss=sn:caseIgnoreOrderingMatch/-uidNumber', '(uid=u*)', '1.1']],
  ['order with missing values', 'administrator', ['-E', '!sss=givenName:caseIgnoreOrderingMatch/uidNumber', '(uid=u*)', '1.1']],
  ['order with missing values in reverse', 'administrator', ['-E', '!sss=-givenName:caseIgnoreOrderingMatch/uidNumber', '(uid=u*)', '1.1']],
  ['order by the least of several values', 'administrator', ['-E', '!sss=title:caseIgnoreOrderingMatch/uidNumber', '(uid=u*)', '1.1']],
  ['the same in reverse', 'administrator', ['-E', '!sss=-title:caseIgnoreOrderingMatch/uidNumber', '(uid=u*)', '1.1']],
  ['order and pages', 'administrator', ['-E', '!sss=uidNumber', '-E', '!pr=5/noprompt', '(uid=u*)', '1.1']],
  ['matched values', 'administrator', ['-E', '!mv=(cn=The*)', '(uid=u1)', 'cn']],
  ['matched values, two items', 'administrator', ['-E', '!mv=((cn=The*)(sn=S1))', '(uid=u1)', 'cn', 'sn']],
  ['matched values by a supertype', 'administrator', ['-E', '!mv=((name=a*))', '(uid=u1)', 'cn']],
  ['matched values by a rule', 'administrator', ['-E', '!mv=(cn:caseExactMatch:=adam)', '(uid=u1)', 'cn']],
  ['matched values by a rule alone', 'administrator', ['-E', '!mv=(:caseIgnoreMatch:=adam)', '(uid=u1)', 'cn']],
  ['matched values of types alone', 'administrator', ['-A', '-E', '!mv=(cn=nobody)', '(uid=u1)', 'cn', 'sn']],
  ['dereference', 'administrator', ['-E', 'deref=member:sn,uidNumber', '(cn=g1)', '1.1']],
  ['dereference of two attributes', 'administrator', ['-E', '!deref=member:sn;owner:uid,employeeNumber', '(cn=g1)', '1.1']],
  ['dereference by one who may not read all', 'person', ['-E', '!deref=member:uid,employeeNumber', '(cn=g1)', '1.1']],
  ['dereference of what the entry has not', 'administrator', ['-E', '!deref=member:uid', '(uid=u1)', '1.1']],
  ['dereference of what is no name, critical', 'administrator', ['-E', '!deref=cn:uid', '(cn=g1)', '1.1']],
  ['dereference of what is no name', 'administrator', ['-E', 'deref=cn:uid', '(cn=g1)', '1.1']],
  ['dereference of what no schema defines', 'administrator', ['-E', 'deref=nope:uid', '(cn=g1)', '1.1']],
  ['dereference to what no schema defines', 'administrator', ['-E', 'deref=member:nope', '(cn=g1)', '1.1']],
  ...['', ';lang-de', ';lang-de-', ';lang-', ';lang-de-at', ';lang-fr-', ';lang-d-', ';LANG-DE-'].flatMap(
    (options): [string, Who, string[]][] => [
      [`attributes with options: ${options}`, 'administrator', ['(uid=u2)', `description${options}`]],
      [`a filter with options: ${options}`, 'administrator', [`(description${options}=servus)`, '1.1']],
    ],
  ),
  ['@class', 'person', ['-A', '(uid=u1)', '@person']],
  ['@class by OID, and a name beside it', 'person', ['-A', '(uid=u1)', '@2.5.6.6', 'uidNumber']],
  ['@class that no schema defines', 'administrator', ['(uid=u1)', '@nope']],
];

for (const [title, who, args] of alike) {
  bothTest(`ldapsearch prints the same of Atrium and of slapd: ${title}`, async (t) => {
    const { atrium, slapd } = await both();
    const expected = await printed(slapd, who, args);
    t.regex(expected.join('\n'), /^result: /m);
    t.deepEqual(await printed(atrium, who, args), expected);
  });
}

/** Differences, each a row of docs/slapd-differences.md. */
const different: readonly [title: string, args: readonly string[], atrium: string, slapd: string][] = [
  ['a critical sort without an ordering rule', ['-E', '!sss=cn', '(uid=u1)', '1.1'], '12 18', '18 -'],
  ['a sort without an ordering rule', ['-E', 'sss=cn', '(uid=u1)', '1.1'], '0 18', '18 -'],
  ['a critical sort by what no schema defines', ['-E', '!sss=nope', '(uid=u1)', '1.1'], '12 16', '16 -'],
  ['a sort by what no schema defines', ['-E', 'sss=nope', '(uid=u1)', '1.1'], '0 16', '16 -'],
  ['a sort by a rule of equality', ['-E', '!sss=uid:caseIgnoreMatch', '(uid=u1)', '1.1'], '12 18', '0 0'],
  ['a sort by a rule for other values', ['-E', '!sss=uid:integerOrderingMatch', '(uid=u1)', '1.1'], '12 18', '0 0'],
];

for (const [title, args, ours, theirs] of different) {
  bothTest(`result and sortResult where Atrium follows RFC 2891 and slapd does not: ${title}`, async (t) => {
    const servers = await both();
    const outcome = async (target: LdapUtilsTarget) => {
      const lines = (await printed(target, 'administrator', args)).join('\n');
      return `${/^result: (\d+)/m.exec(lines)?.[1]} ${/^sortResult: \((\d+)\)/m.exec(lines)?.[1] ?? '-'}`;
    };
    t.deepEqual([await outcome(servers.atrium), await outcome(servers.slapd)], [ours, theirs]);
  });
}

/** One connection as administrator, for what ldapsearch cannot ask. */
async function connect({ url, dn = '', password = '' }: LdapUtilsTarget) {
  const { search, close } = await connectForControls(url, dn, password);
  const asked = (filter: string, ...controls: Control[]) => search({ ...searchOf(people, filter), attributes: ['cn'] }, ...controls);
  return { search: asked, close };
}

type Target = Parameters<typeof viewed>[2];
const windows: readonly [title: string, before: number, after: number, target: Target, keys?: string][] = [
  ['by offset', 2, 2, [3, 0]],
  ['the first entry', 1, 1, [1, 0]],
  ['the first entry, whatever the client’s count', 1, 1, [1, 5]],
  ['the last entry', 1, 1, [7, 7]],
  ['by an offset that is scaled', 1, 1, [5, 10]],
  ['by an offset of a right count', 1, 1, [12, 12]],
  ['counts beyond both ends', 50, 50, [6, 0]],
  ['by a value', 1, 1, '100'],
  ['by a value between two', 1, 1, '-3'],
  ['by a value behind the end', 1, 1, '1000'],
  ['by a value in reverse', 1, 1, '100', '-uidNumber'],
];

for (const [title, before, after, target, keys = 'uidNumber'] of windows) {
  bothTest(`a virtual list view is the same of Atrium and of slapd: ${title}`, async (t) => {
    const servers = await both();
    const look = async (server: LdapUtilsTarget) => {
      const client = await connect(server);
      const answers = await client.search('(uid=u*)', sortedBy(keys), viewed(before, after, target));
      client.close();
      const view = viewOf(answers);
      return { code: answers.code, dns: answers.dns, view: view && { ...view, context: view.context !== undefined } };
    };
    const expected = await look(servers.slapd);
    t.is(expected.code, 0);
    t.true(expected.dns.length > 0);
    t.deepEqual(await look(servers.atrium), expected);
  });
}

const outOfRange: readonly [title: string, target: Target, atrium: readonly number[], slapd: readonly number[]][] = [
  ['an offset behind the end', [99, 0], [76, 61], [76, 77]],
  ['an offset beyond the client’s count', [10, 5], [76, 61], [76, 77]],
  ['offset 0', [0, 5], [76, 61], [0, 0]],
  ['a value that does not fit', 'abc', [76, 18], [0, 0]],
];

for (const [title, target, ours, theirs] of outOfRange) {
  bothTest(`result and virtualListViewResult where Atrium follows the draft and slapd does not: ${title}`, async (t) => {
    const servers = await both();
    const look = async (server: LdapUtilsTarget) => {
      const client = await connect(server);
      const answers = await client.search('(uid=u*)', sortedBy('uidNumber'), viewed(0, 0, target));
      client.close();
      return [answers.code, viewOf(answers)?.code];
    };
    t.deepEqual([await look(servers.atrium), await look(servers.slapd)], [[...ours], [...theirs]]);
  });
}

bothTest('RFC 2696 §3: a cookie with another request is refused; slapd goes on with that', async (t) => {
  const servers = await both();
  const look = async (server: LdapUtilsTarget) => {
    const client = await connect(server);
    const cookie = pageOf(await client.search('(uid=u*)', paged(2)))?.cookie;
    const { code } = await client.search('(uid=u1*)', paged(2, cookie));
    client.close();
    return code;
  };
  t.deepEqual([await look(servers.atrium), await look(servers.slapd)], [53, 0]);
});

bothTest('RFC 3876 §2: an attribute of which no value fits stays with none; slapd leaves it out', async (t) => {
  const servers = await both();
  const look = async (server: LdapUtilsTarget) => {
    const client = await connect(server);
    const { attributes } = await client.search('(uid=u1)', matching('(cn=nobody)'));
    client.close();
    return attributes;
  };
  t.deepEqual([await look(servers.atrium), await look(servers.slapd)], [['cn 0'], []]);
});

for (const [title, control] of [
  ['size 0 and no cookie', paged(0)],
  ['a cookie of nobody', paged(2, Buffer.from('12345678'))],
] as const) {
  bothTest(`paged results with ${title}: the same result of Atrium and of slapd`, async (t) => {
    const servers = await both();
    const look = async (server: LdapUtilsTarget) => {
      const client = await connect(server);
      const { code, dns } = await client.search('(uid=u*)', control);
      client.close();
      return [code, dns.length];
    };
    t.deepEqual(await look(servers.atrium), await look(servers.slapd));
  });
}
