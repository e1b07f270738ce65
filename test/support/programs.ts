import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestFn } from 'ava';

/**
 * Programs from outside that tests use as clients and peers: where each is found beside the PATH, and the Debian packages that bring it.
 * The gate installs what is missing where it may.
 */
export const programs = {
  ldapsearch: { packages: ['ldap-utils', 'libsasl2-modules'], paths: [] },
  // Programs that make hashes of passwords as other systems keep them. Of 389 Directory Server no daemon is started.
  argon2: { packages: ['argon2'], paths: [] },
  mkpasswd: { packages: ['whois'], paths: [] },
  pwdhash: { packages: ['389-ds-base'], paths: [] },
  'pw-pbkdf2': { packages: ['slapd-contrib'], paths: ['/usr/lib/ldap/pw-pbkdf2.so'] },
  ip: { packages: ['iproute2'], paths: ['/usr/sbin/ip', '/sbin/ip'] },
  script: { packages: ['bsdutils'], paths: [] },
  slapd: { packages: ['slapd'], paths: ['/usr/sbin/slapd', '/usr/lib/openldap/slapd'] },
  // The same Chromium without its window takes half the processor time.
  'chromium-headless-shell': {
    packages: ['chromium-headless-shell', 'fonts-dejavu-core'],
    paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  },
  oathtool: { packages: ['oathtool'], paths: [] },
  openssl: { packages: ['openssl'], paths: [] },
  strace: { packages: ['strace'], paths: [] },
  unshare: { packages: ['util-linux'], paths: [] },
  zsh: { packages: ['zsh'], paths: [] },
} as const satisfies Record<string, { readonly packages: readonly string[]; readonly paths: readonly string[] }>;

export type Program = keyof typeof programs;

/** The path of a program, or `undefined` where it is not installed. */
export function findProgram(name: Program): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return [...onPath, ...programs[name].paths].find(mayRun);
}

/** `test`, or `test.skip` where a program is missing: such tests count as skipped, and as a failure where `CI=true`. */
export function withPrograms<Context>(test: TestFn<Context>, ...names: readonly Program[]): TestFn<Context> | TestFn<Context>['skip'] {
  return names.every((name) => findProgram(name) !== undefined) ? test : test.skip;
}

function mayRun(path: string): boolean {
  if (!existsSync(path)) return false;
  // A module of one of them.
  if (path.endsWith('.so')) return true;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
