import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type Connection, isProgram, type ProgramId, programOf, programs, reachedAt } from '../../src/portal/programs.ts';

const connection: Connection = {
  host: 'atrium.example.com',
  port: '636',
  security: 'ldaps',
  userName: 'ada',
  dn: 'uid=ada,ou=people,dc=example,dc=com',
  base: 'ou=people,dc=example,dc=com',
  value: 'ABCD-EFGH-JKLM-NPQR-STUV-WXYZ',
};
const ids = Object.keys(programs) as ProgramId[];

test('each program of docs/clients that asks the directory has its settings', (t) => {
  const pages = readdirSync(join(import.meta.dirname, '../../docs/clients')).map((page) => page.replace(/\.md$/, ''));
  const others = ['README', 'apache-openid-connect', 'python-authlib'];
  for (const page of pages.filter((each) => !others.includes(each))) t.true(isProgram(page), page);
});

for (const id of ids) {
  test(`${id}: the settings of a program say where, how protected, and as whom`, (t) => {
    const { rows, lines } = programOf(id);
    const text = JSON.stringify(rows(connection));
    t.true(text.includes('ada'));
    if (id === 'mail') {
      t.is(lines, undefined);
      return;
    }
    for (const part of ['atrium.example.com', '636', 'TLS (ldaps)', connection.dn, connection.base]) t.true(text.includes(part), part);
    const file = lines?.(connection).join('\n');
    if (file === undefined) {
      t.is(id, 'other');
      return;
    }
    for (const part of ['ldaps://atrium.example.com:636', connection.dn, connection.value]) t.true(file.includes(part), part);
    t.notRegex(file, /start_?tls|ldaptls/i);
    const started = lines?.({ ...connection, port: '389', security: 'starttls' }).join('\n') ?? '';
    t.regex(started, /ldap:\/\/atrium\.example\.com:389/);
    t.regex(started, /start_?tls|ldaptls|tls = yes/i, 'StartTLS is asked for where there is no other TLS');
  });
}

test('a name with a quote in it stays one word of the configuration', (t) => {
  const dn = 'uid=a\\"b,ou=people,dc=example,dc=com';
  for (const id of ['apache', 'postgresql', 'freeradius'] as const)
    t.true(
      programOf(id)
        .lines?.({ ...connection, dn })
        .join('\n')
        .includes('"uid=a\\\\\\"b,ou=people,dc=example,dc=com"') === true,
      id,
    );
});

test('programs are told the name by which browsers reach the service, and the directory’s own port', (t) => {
  t.deepEqual(reachedAt('ldap://localhost:1389', 'https://id.example.com', true), {
    host: 'id.example.com',
    port: '1389',
    security: 'starttls',
  });
  t.deepEqual(reachedAt('ldap://localhost', 'http://localhost:8080', false), { host: 'localhost', port: '389', security: 'none' });
  t.deepEqual(reachedAt('ldaps://[::1]', 'https://id.example.com', false), { host: 'id.example.com', port: '636', security: 'ldaps' });
});
