// Writes docs/settings.md from the rows of the settings: node test/catalogue/settings-page.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingRow, SettingRows } from '#catalogue';
import { settings } from '../../src/settings.ts';

const head = `# Settings

Written by \`node test/catalogue/settings-page.ts\` from the rows by which the service goes, and held against them by a test. The console shows them with what is in force, and where it comes from, at
\`/admin/settings\`.

- A setting is given by the environment, by the entry \`cn=settings\` of the directory while the service runs ([realms.md](realms.md#settings-of-the-whole-service)), or by a JSON file that \`STS_CONFIG\` names
  (\`{ "ldap.port": 1389 }\` or \`{ "ldap": { "port": 1389 } }\`). The first of them that gives it counts; where none does, the default.
- A realm's own value (\`stsSetting\` of its entry) stands above all of them, for the settings that say *realm*.
- **In force**: *at once*, with whoever sets it while the service runs; or from the next *start* on, by the environment or the file alone.
- A list has commas between its items. A secret may stand in a file: \`STS_KEYS_KEK_FILE\` names one for \`STS_KEYS_KEK\`, and so on; nobody but its owner may read it.
- What is unknown, misspelled or out of bounds stops the start, all of it at once and by name.

| Area | |
|---|---|
`;

/** What the areas are about, in the order of the page. */
const areas: Readonly<Record<string, string>> = {
  global: 'the service as a whole',
  http: 'the web listeners',
  ldap: 'the LDAP listeners, and what bounds requests',
  tls: 'the certificate of both',
  keys: 'the key-encryption key, signing keys, the work of hashes',
  admin: 'the built-in administrator',
  realms: 'realms, and the suffix of the default one',
  directory: 'what is kept of the deleted',
  schema: 'further schema',
  security: 'passwords, failed attempts, links',
  authn: 'sign-ins and sessions',
  totp: 'authenticator apps',
  backupCodes: 'recovery codes',
  webauthn: 'security keys and passkeys',
  risk: 'authenticator metadata',
  appPasswords: 'passwords of programs',
  credentials: 'the roster of factors',
  mail: 'the mail server, and what waits',
  oauth: 'OAuth 2.0 and OpenID Connect',
  adminApi: 'the management API',
  tasks: 'imports, exports and backups by LDAP',
  log: 'the log',
  audit: 'the audit trail',
  client: 'how the web layer reaches the directory',
  outbox: 'events that wait to be told',
  persistence: 'files, caches and what bounds them',
};

/** @returns the page for these rows; an area that it has no words for is refused, so that none is forgotten */
export function settingsPageOf(rows: SettingRows): string {
  const areaOf = (name: string) => name.slice(0, name.indexOf('.'));
  const unknown = Object.keys(rows).find((name) => !(areaOf(name) in areas));
  if (unknown !== undefined) throw new Error(`${unknown}: settings-page.ts has no words for its area`);
  const own = (area: string) => Object.entries(rows).filter(([name]) => areaOf(name) === area);
  const sections = Object.keys(areas).map((area) => {
    const lines = own(area).map(([name, row]) => lineOf(name, row));
    return `\n## ${area}\n\n| Setting | Environment | Default | Values | In force | Meaning |\n|---|---|---|---|---|---|\n${lines.join('')}`;
  });
  const index = Object.entries(areas).map(([area, means]) => `| [\`${area}\`](#${area.toLowerCase()}) | ${means} |\n`);
  return head + index.join('') + sections.join('');
}

function lineOf(name: string, row: SettingRow): string {
  const standing = Array.isArray(row.default) ? row.default.join(',') : String(row.default);
  const shown = standing === '' ? '' : `\`${standing}\``;
  const when = row.applies === 'runtime' ? 'at once' : 'start';
  const where = row.scope === 'realm' ? `${when}; realm` : when;
  const notes = `${row.developmentOnly ? ' (in development mode alone)' : ''}${row.obeyed ? '' : ' (nothing obeys it yet)'}`;
  const means = row.means.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
  return `| \`${name}\` | \`${row.env}\` | ${shown} | ${valuesOf(row)} | ${where} | ${cell(means + notes)} |\n`;
}

function valuesOf({ kind, values, min, max, mayBeEmpty }: SettingRow): string {
  if (kind === 'boolean') return '`true`, `false`';
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (kind === 'integer') return `${min ?? ''}–${max ?? ''}${mayBeEmpty ? ', or empty' : ''}`;
  return kind;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../../docs/settings.md'), settingsPageOf(settings));
