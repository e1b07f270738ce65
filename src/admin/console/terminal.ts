import { html, pathIn, type SafeHtml, type WebRequest } from '#web';
import type { Admin } from './gate.ts';
import { texts } from './texts.ts';

/** One way of doing the same from a terminal: what it is, and the exact text. */
export interface Command {
  readonly tool: 'ldapsearch' | 'ldapmodify' | 'curl' | 'atrium';
  readonly text: string;
}

/** The same from the command line, folded in. */
export function terminal(commands: readonly (Command | undefined)[]): SafeHtml | undefined {
  const all = commands.filter((each) => each !== undefined);
  if (all.length === 0) return undefined;
  return html`<details class="terminal"><summary>${texts.terminal}</summary>${all.map(
    ({ tool, text }) => html`<h3>${tool}</h3><pre tabindex="0"><code>${text}</code></pre>`,
  )}${all.some(({ tool }) => tool === 'curl') && html`<p class="quiet">${texts.terminalToken}</p>`}</details>`;
}

type Who = Pick<Admin, 'ldapUrl' | 'acting'>;

/** A search as ldapsearch does it; nothing where the directory takes no LDAP from programs. */
export function searchCommand(
  { ldapUrl, acting }: Who,
  { base, scope = 'sub', filter, attributes = [] }: { base: string; scope?: string; filter: string; attributes?: readonly string[] },
): Command | undefined {
  if (ldapUrl === undefined) return undefined;
  const wanted = attributes.map((name) => ` ${word(name)}`).join('');
  return {
    tool: 'ldapsearch',
    text: `ldapsearch -H ${ldapUrl} -x -W -D ${quoted(acting.dn)} \\\n  -b ${quoted(base)} -s ${scope} ${quoted(filter)}${wanted}`,
  };
}

/** A call of the management API. @param path  of the realm, with its query */
export function curlCommand({ origin, realm }: WebRequest, method: string, path: string, body?: unknown): Command {
  const address = quoted(`${origin}${pathIn(realm, path)}`);
  const data = body === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  return { tool: 'curl', text: `curl -sS${verb} -H "Authorization: Bearer $TOKEN"${data} \\\n  ${address}` };
}

/** A call of the command line. @param words  behind `atrium`, unquoted */
export function atriumCommand({ realm }: Pick<WebRequest, 'realm'>, ...words: readonly string[]): Command {
  const where = realm.prefix === '' ? [] : ['--realm', realm.id];
  return { tool: 'atrium', text: ['atrium', ...[...words, ...where].map(word)].join(' ') };
}

function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}

/** A word of a shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
