import { execFile } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import { observe } from '../support/observed.ts';
import { findProgram, withPrograms } from '../support/programs.ts';

/** Of the addresses kept for documentation (RFC 5737). It exists only in the namespace that the child gets. */
const outside = '192.0.2.7';
const child = join(import.meta.dirname, 'children', 'beyond-loopback.ts');

interface Seen {
  readonly httpsPort: string;
  readonly get: { readonly status: number; readonly location: string };
  readonly post: { readonly status: number };
  readonly clear: number;
  readonly words: string;
  readonly anonymous: number;
  readonly codes: readonly string[];
}

function runInNamespace(): Promise<Seen> {
  const ip = findProgram('ip') ?? 'ip';
  const script = `${ip} link set lo up && ${ip} address add ${outside}/32 dev lo && exec "$0" "$1" ${outside}`;
  const args = ['--user', '--map-root-user', '--net', 'sh', '-c', script, process.execPath, child];
  return new Promise((resolve, reject) => {
    execFile('unshare', args, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Seen);
      else reject(new Error(stderr));
    });
  });
}

withPrograms(
  test,
  'ip',
  'unshare',
  'ldapsearch',
)(
  'product mode, from beyond loopback: a password in clear is refused with confidentialityRequired, and a browser is sent to https',
  async (t) => {
    const seen = await runInNamespace();
    for (const code of seen.codes) observe(code);
    t.is(seen.clear, 13);
    t.regex(seen.words, /Confidentiality required/);
    t.is(seen.anonymous, 0, 'nothing secret is sent by an anonymous bind');
    t.is(seen.get.status, 308);
    t.is(seen.get.location, `https://id.example.com:${seen.httpsPort}/portal?a=1`);
    t.is(seen.post.status, 403);
    t.true(seen.codes.includes('STS-HTTP-9005'));
  },
);
