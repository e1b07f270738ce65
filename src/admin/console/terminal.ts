import { html, pathIn, type SafeHtml, type WebRequest } from '#web';
import type { Admin } from './gate.ts';
import { texts } from './texts.ts';

/** One way of doing the same from a terminal: what it is, and the exact text. */
export interface Command {
  readonly tool: 'ldapsearch' | 'ldapmodify' | 'ldappasswd' | 'ldapexop' | 'curl' | 'atrium';
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

export type Who = Pick<Admin, 'ldapUrl' | 'acting'>;

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

function connected({ ldapUrl, acting }: Who, tool: Command['tool'], rest: string): Command | undefined {
  return ldapUrl === undefined ? undefined : { tool, text: `${tool} -H ${ldapUrl} -x -W -D ${quoted(acting.dn)} ${rest}` };
}

/** Changes as ldapmodify does them. @param ldif  records, each with the empty line at its end */
export function writeCommand(who: Who, ldif: string): Command | undefined {
  return connected(who, 'ldapmodify', `<<'LDIF'\n${ldif.trimEnd()}\nLDIF`);
}

/** A password as ldappasswd sets it. @param isGiven  whether one is typed; one is made otherwise */
export function passwordCommand(who: Who, dn: string, isGiven: boolean): Command | undefined {
  return connected(who, 'ldappasswd', `${isGiven ? '-S ' : ''}${quoted(dn)}`);
}

/** An extended operation (RFC 4511 §4.12) as ldapexop asks for it. */
export function requestCommand(who: Who, oid: string, value?: Uint8Array): Command | undefined {
  return connected(who, 'ldapexop', value === undefined ? oid : `${oid}::${Buffer.from(value).toString('base64')}`);
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
