import type { TestFn } from 'ava';
import { type LdifContent, readLdif } from '#ldap';
import { withPrograms } from './programs.ts';
import { type Ran, runInShell } from './shells.ts';

/** The exit status is 0, or the LDAP result code (5 and 6 for compareFalse and compareTrue); 254, 255 for the tool's own troubles. */
export type { Ran } from './shells.ts';

export type LdapTool =
  | 'ldapsearch'
  | 'ldapadd'
  | 'ldapmodify'
  | 'ldapmodrdn'
  | 'ldapdelete'
  | 'ldapcompare'
  | 'ldapwhoami'
  | 'ldappasswd'
  | 'ldapexop';

/** How a tool reaches the server, and as whom. */
export interface LdapUtilsTarget {
  readonly url: string;
  /** Simple bind; anonymous when absent. */
  readonly dn?: string;
  readonly password?: string;
  /** SASL EXTERNAL instead: the operators' socket. */
  readonly external?: true;
  /** Another mechanism, with a name and a password where it takes them, and whom to act as. */
  readonly mechanism?: string;
  readonly authcId?: string;
  readonly authzId?: string;
  /** A client certificate and its key, as files. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** File of the authority that signed the server's certificate. */
  readonly caFile?: string;
}

/** `test`, where ldap-utils are installed. */
export function withLdapUtils<Context>(test: TestFn<Context>): ReturnType<typeof withPrograms<Context>> {
  return withPrograms(test, 'ldapsearch');
}

/**
 * Runs one of OpenLDAP's tools as a person would in a shell.
 *
 * @param input  what it reads from its standard input
 */
export function runLdapTool(tool: LdapTool, target: LdapUtilsTarget, args: readonly string[], input = ''): Promise<Ran> {
  const { command, environment } = toolCommand(tool, target, args);
  return runInShell(command, environment, input);
}

/** How a tool is called: its words, itself the first, and its environment. */
export function toolCommand(tool: LdapTool, target: LdapUtilsTarget, args: readonly string[]) {
  const { url, caFile, certFile, keyFile } = target;
  return {
    command: [tool, '-H', url, ...identityOf(target), ...args],
    // Neither the machine's nor the user's defaults count.
    environment: {
      PATH: process.env['PATH'],
      LDAPCONF: '/dev/null',
      HOME: '/nonexistent',
      ...(caFile !== undefined && { LDAPTLS_CACERT: caFile }),
      ...(certFile !== undefined && { LDAPTLS_CERT: certFile, LDAPTLS_KEY: keyFile }),
    },
  };
}

function identityOf({ dn, password, external, mechanism, authcId, authzId }: LdapUtilsTarget): string[] {
  const given = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, value]);
  if (external) return ['-Q', '-Y', 'EXTERNAL', ...given('-X', authzId)];
  if (mechanism === undefined) return ['-x', ...(dn === undefined ? [] : ['-D', dn, '-w', password ?? ''])];
  return ['-Q', '-Y', mechanism, ...given('-U', authcId), ...given('-w', password), ...given('-X', authzId)];
}

/** The entries that ldapsearch printed with -LLL, read by our own reader. */
export async function searchWithLdapsearch(target: LdapUtilsTarget, args: readonly string[]): Promise<LdifContent[]> {
  const { status, stdout, stderr } = await runLdapTool('ldapsearch', target, ['-LLL', ...args]);
  if (status !== 0) throw new Error(`ldapsearch ended with ${status}: ${stderr}`);
  const limits = { lineOctetsMax: 64 * 1024 * 1024, recordOctetsMax: 64 * 1024 * 1024, valuesMax: 1_000_000 };
  const entries: LdifContent[] = [];
  for await (const record of readLdif([Buffer.from(stdout)], limits)) {
    if (record.kind !== 'content') throw new Error(`ldapsearch printed a change record: ${record.dn}`);
    entries.push(record);
  }
  return entries;
}
