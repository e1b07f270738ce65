import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { type LdapTool, type LdapUtilsTarget, type Ran, runLdapTool } from '../support/ldap-utils.ts';
import { type Slapd, startSlapd } from '../support/slapd.ts';

/** Atrium and slapd with the same entries below the same suffix, asked by the same tools. */
export interface Beside extends AsyncDisposable {
  readonly atrium: TestAtrium;
  /** slapd, as who may do everything there. */
  readonly slapdRoot: LdapUtilsTarget;
  /** Runs a tool on both, as those who may do everything. */
  both(tool: LdapTool, args: readonly string[], input?: string): Promise<{ readonly atrium: Told; readonly slapd: Told }>;
  /** On Atrium alone, as whom one likes. */
  alone(tool: LdapTool, args: readonly string[], input?: string, as?: Omit<LdapUtilsTarget, 'url'>): Promise<Told>;
}

/** What a tool told, without what every server words for itself. */
export interface Told {
  readonly status: number;
  /** Names of entries as they came. */
  readonly dns: readonly string[];
  /** URIs of continuation references, sorted. */
  readonly references: readonly string[];
  /** URIs of the result. */
  readonly referral: readonly string[];
  readonly matched: string;
  readonly words: string;
}

export const suffix = 'dc=example,dc=com';

/** @param content  what both have below the suffix, as LDIF */
export async function startBeside(content: string, settings: Readonly<Record<string, string>> = {}): Promise<Beside> {
  const atrium = await startTestAtrium({ settings: { STS_REALMS_DEFAULT_SUFFIX: suffix, ...settings } });
  let slapd: Slapd | undefined;
  try {
    const operators: LdapUtilsTarget = { url: atrium.addresses.operators ?? '', external: true };
    const added = await runLdapTool('ldapadd', operators, ['-M'], content);
    if (added.status !== 0) throw new Error(added.stderr);
    const started = await startSlapd({ suffix, content: `${frame}${content}` });
    slapd = started;
    const url = atrium.addresses.ldap ?? '';
    return {
      atrium,
      slapdRoot: started.root,
      async both(tool, args, input = '') {
        const all = [...plain(tool), ...args];
        const ours = { url, dn: atrium.adminDn, password: atrium.adminPassword };
        const [one, other] = await Promise.all([runLdapTool(tool, ours, all, input), runLdapTool(tool, started.root, all, input)]);
        return { atrium: told(one), slapd: told(other) };
      },
      alone: async (tool, args, input = '', as = { dn: atrium.adminDn, password: atrium.adminPassword }) =>
        told(await runLdapTool(tool, { url, ...as }, [...plain(tool), ...args], input)),
      [Symbol.asyncDispose]: async () => {
        await started[Symbol.asyncDispose]();
        await atrium[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await slapd?.[Symbol.asyncDispose]();
    await atrium[Symbol.asyncDispose]();
    throw error;
  }
}

/** What an Atrium begins with. */
const frame = `dn: ${suffix}
objectClass: organization
objectClass: dcObject
dc: example
o: Example

dn: ou=people,${suffix}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${suffix}
objectClass: organizationalUnit
ou: groups

dn: uid=admin,ou=people,${suffix}
objectClass: inetOrgPerson
uid: admin
cn: admin
sn: admin

`;

const plain = (tool: LdapTool) => (tool === 'ldapsearch' ? ['-LLL', '-o', 'ldif-wrap=no'] : []);

function told({ status, stdout, stderr }: Ran): Told {
  const all = `${stdout}\n${stderr}`;
  const lines = (pattern: RegExp) => [...all.matchAll(pattern)].map(([, found = '']) => found);
  const inBase64 = lines(/^dn:: (.+)$/gm).map((each) => Buffer.from(each, 'base64').toString('utf8'));
  return {
    status,
    dns: [...lines(/^dn:(?: (.*))?$/gm), ...inBase64],
    references: lines(/^# ref(.+)$/gm).sort(),
    // ldapsearch and ldapcompare write a line for each, the others a list.
    referral: [...lines(/^Referral: (.+)$/gm), ...lines(/^\t\t(.+)$/gm)],
    matched: lines(/^\s*matched DN: (.+)$/gim)[0] ?? '',
    words: lines(/^\s*additional info(?:rmation)?: (.+)$/gim)[0] ?? '',
  };
}
