import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectOperators } from '#client';
import type { AppPasswordScope } from '#holdings';
import { startTestAtrium, type TestAtrium } from '../../support/atrium.ts';
import { type Ended, runCli } from '../../support/cli.ts';
import { runLdapTool } from '../../support/ldap-utils.ts';

/** Atrium as the pages have it, and the people of the tests. */
export interface World extends AsyncDisposable {
  readonly atrium: TestAtrium;
  /** Where the administrator sits: `ca.pem` lies here. */
  readonly folder: string;
  /** Adds entries, or carries out changes, as the administrator. @throws Error when one is refused */
  change(ldif: string): Promise<void>;
  /** Runs `atrium` with words. @throws Error when it fails */
  command(...words: readonly string[]): Promise<string>;
  /** Called when passwords were judged and nothing but passwords: what was asked so far can be asked again of a new directory. */
  heard?(): void;
  /** Makes an app password of an entry. @returns its value, and the identifier to revoke it by */
  appPasswordOf(dn: string, name: string, scope: AppPasswordScope): Promise<{ readonly id: string; readonly value: string }>;
  /** The same of a person. */
  appPassword(uid: string, name: string, scope: AppPasswordScope): Promise<{ readonly id: string; readonly value: string }>;
  revokeAppPassword(uid: string, id: string): Promise<void>;
}

export const suffix = 'dc=example,dc=com';
export const dnOf = (uid: string) => `uid=${uid},ou=people,${suffix}`;
export const passwordOf = (uid: string) => `Analytical-Engine-7-${uid}`;

const secondFactor = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', algorithm: 'SHA1', digits: 6, period: 30, addedMs: 1_795_000_000_000 };

/**
 * Everybody of the pages' examples is `ada`. The others are of the tests: `alan` is in no group, `grace` holds a second factor, `kurt` is disabled and
 * enabled again, `emmy` leaves the group, `mary` and `rosa` are there for what a program can do besides.
 */
export const people = ['ada', 'alan', 'grace', 'kurt', 'emmy', 'mary', 'rosa'] as const;

/**
 * Starts Atrium as `atrium.example.com`, a name that must lead to this machine.
 *
 * @param ports  the ports for LDAP and LDAP over TLS
 */
export async function startWorld(
  ports: readonly [ldap: string, ldaps: string],
  settings: Readonly<Record<string, string>> = {},
): Promise<World> {
  const atrium = await startTestAtrium({
    settings: {
      STS_LDAP_PORT: ports[0],
      STS_LDAP_TLS_PORT: ports[1],
      STS_GLOBAL_PUBLIC_BASE_URL: 'https://atrium.example.com',
      // As the index of the pages says of machines that many people come through.
      STS_SECURITY_RATE_LIMIT_TRUSTED_ADDRESSES: '127.0.0.1, ::1',
      ...settings,
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'atrium-administrator-'));
  copyFileSync(join(atrium.dataDir, 'tls', 'ca.pem'), join(folder, 'ca.pem'));
  const operators = { url: atrium.addresses.operators ?? '', external: true } as const;
  const change = async (ldif: string) => {
    const { status, stderr } = await runLdapTool('ldapmodify', operators, ['-a'], ldif);
    if (status !== 0) throw new Error(`the directory refused with ${status}: ${stderr}\n${ldif}`);
  };
  const command = async (...words: readonly string[]) => {
    const { status, stdout, stderr }: Ended = await runCli(words, { STS_GLOBAL_DATA_DIR: atrium.dataDir });
    if (status !== 0) throw new Error(`atrium ${words.join(' ')} ended with ${status}: ${stderr}`);
    return stdout;
  };
  const client = await connectOperators({ socketPath: decodeURIComponent(operators.url.slice('ldapi://'.length)) });
  const appPasswordOf = (dn: string, name: string, scope: AppPasswordScope) => client.actor.makeAppPassword({ dn, name, scopes: [scope] });
  await change(people.map(personLdif).join('\n'));
  return {
    atrium,
    folder,
    change,
    command,
    appPasswordOf,
    appPassword: (uid, name, scope) => appPasswordOf(dnOf(uid), name, scope),
    async revokeAppPassword(uid, id) {
      const revoked = await client.actor.revokeAppPassword({ dn: dnOf(uid), id });
      if (revoked !== 1) throw new Error(`${revoked} app passwords were revoked`);
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await atrium[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function personLdif(uid: (typeof people)[number], number: number): string {
  const name = `${uid[0]?.toUpperCase()}${uid.slice(1)}`;
  return `dn: ${dnOf(uid)}
objectClass: inetOrgPerson
objectClass: posixAccount
uid: ${uid}
cn: ${name} Example
sn: Example
givenName: ${name}
mail: ${uid}@example.com
userPassword: ${passwordOf(uid)}
uidNumber: ${20_001 + number}
gidNumber: 30001
homeDirectory: /home/${uid}
loginShell: /bin/bash
${uid === 'grace' ? `stsTotpCredential: ${JSON.stringify(secondFactor)}\n` : ''}`;
}

/** Puts somebody into a group, or takes them out. */
export function memberLdif(act: 'add' | 'delete', group: string, ...uids: readonly string[]): string {
  const values = uids.map((uid) => `member: ${dnOf(uid)}\n`).join('');
  return `dn: ${group}\nchangetype: modify\n${act}: member\n${values}`;
}

/** `atrium` as a command of a shell, in a folder for its `PATH`. */
export function atriumOnPath(folder: string, root: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'atrium'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'atrium.mjs')}' "$@"\n`, { mode: 0o755 });
  return bin;
}
