import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../bench/process.ts';

export interface PhpSite extends AsyncDisposable {
  readonly url: string;
  /** What PHP said so far: its log of requests, and its complaints. */
  said(): string;
}

/** Serves a copy of Debian's phpLDAPadmin, whose one server is `ldapUrl`, by PHP's own web server. */
export async function servePhpLdapAdmin(php: string, ldapUrl: string): Promise<PhpSite> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-pla-'));
  cpSync('/usr/share/phpldapadmin', folder, { recursive: true, dereference: true });
  mkdirSync(join(folder, 'sessions'));
  writeFileSync(join(folder, 'config', 'config.php'), configuration(ldapUrl));
  const port = await freePort();
  // Sessions keep passwords as they are: sealed by OpenSSL, phpLDAPadmin 1.2.6 loses one in a hundred (it looks for `::` behind random octets, which may
  // end in a colon), and its own Blowfish does not run in PHP 8.
  rmSync(join(folder, 'lib', 'blowfish.php'));
  const settings = [`session.save_path=${join(folder, 'sessions')}`, 'disable_functions=openssl_encrypt'].flatMap((setting) => [
    '-d',
    setting,
  ]);
  const child = spawn(php, [...settings, '-S', `127.0.0.1:${port}`, '-t', join(folder, 'htdocs')], {
    env: { PATH: process.env['PATH'], LDAPNOINIT: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await untilServing(child, () => said);
  return {
    url: `http://127.0.0.1:${port}/`,
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', kill);
      const ended = once(child, 'close');
      if (kill()) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilServing(child: ChildProcess, said: () => string): Promise<void> {
  while (!said().includes('started')) {
    const more = child.stderr === null ? undefined : once(child.stderr, 'data');
    if ((await Promise.race([more, once(child, 'close')])) === undefined || child.exitCode !== null)
      throw new Error(`PHP serves nothing: ${said()}`);
  }
}

function configuration(ldapUrl: string): string {
  const { protocol, hostname, port } = new URL(ldapUrl);
  return `<?php
$config->custom->session['blowfish'] = '0123456789abcdef0123456789abcdef';
$config->custom->appearance['hide_template_warning'] = true;
$servers = new Datastore();
$servers->newServer('ldap_pla');
$servers->setValue('server','name','Atrium');
$servers->setValue('server','host','${protocol}//${hostname}:${port}');
$servers->setValue('server','port',${port});
$servers->setValue('login','auth_type','session');
`;
}
