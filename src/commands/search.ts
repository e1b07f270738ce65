import { utf8 } from '#base';
import { type Filter, formatLdifRecord, parseFilter } from '#ldap';
import type { Command } from './command.ts';
import { withDirectory } from './directory.ts';
import { entryJson, upTo } from './entries.ts';
import { Misuse } from './exits.ts';
import { listed } from './given.ts';
import { json, limit, realm } from './options.ts';
import { write } from './output.ts';

type Scope = 'base' | 'one' | 'sub' | 'children';
const scopes: readonly Scope[] = ['base', 'one', 'sub', 'children'];
const filterDepthMax = 50;
/** Where a single word is looked for: what people know of each other. */
const wordAttributes = ['uid', 'cn', 'displayName', 'mail'];

export const search: Command = {
  means: 'search the directory, for people without ldap-utils',
  more: ['Entries come as LDIF. It reads whatever the operator may, and must run as the service’s own user.'],
  on: 'either',
  operands: [
    {
      name: 'FILTER',
      means: 'an LDAP filter, with or without its outer parentheses, or a single word that is looked for in names and addresses',
    },
    {
      name: 'ATTRIBUTE',
      many: true,
      optional: true,
      means: 'what is wanted of the entries: user attributes unless named; + stands for the operational ones',
    },
  ],
  options: {
    base: { value: 'DN', means: 'where to search, the realm’s suffix unless given' },
    scope: { value: 'SCOPE', type: scopes, default: 'sub', means: `${listed(scopes)}` },
    realm,
    limit,
    json,
  },
  examples: [
    { line: 'atrium search anna' },
    { line: "atrium search '(&(objectClass=person)(l=Berlin))' cn mail" },
    { line: 'atrium search uid=admin + --base ou=people,dc=example,dc=com' },
    { line: 'atrium search objectClass=groupOfNames cn --limit 5' },
    { line: 'atrium search uid=dkhalil --json', does: 'an object in each line, for jq and the like' },
  ],
  run: async (given, context) => {
    const attributes = given.texts('ATTRIBUTE');
    const filter = filterOf(given.need('FILTER'));
    const scope = given.need('scope') as Scope;
    const sizeLimit = given.count('limit') ?? 0;
    return await withDirectory(context, async ({ client, suffixOf }) => {
      const base = given.text('base') ?? (await suffixOf(given.need('realm')));
      let found = 0;
      for await (const entry of upTo(client, { base, scope, filter, attributes, sizeLimit }, [], context)) {
        found++;
        const { dn, attributes: own } = entry;
        const record = () => formatLdifRecord({ kind: 'content', line: 0, dn, attributes: own });
        await write(context.stdout, given.flag('json') ? `${JSON.stringify(entryJson(entry))}\n` : record());
      }
      if (context.stderr.isTTY) context.stderr.write(`${found} ${found === 1 ? 'entry' : 'entries'}\n`);
      return 0;
    });
  },
};

function filterOf(given: string): Filter {
  if (!given.includes('=') && !given.startsWith('(')) {
    const any = [utf8(given)];
    return { kind: 'or', filters: wordAttributes.map((description) => ({ kind: 'substrings', description, any })) };
  }
  const parsed = parseFilter(given.startsWith('(') ? given : `(${given})`, { depthMax: filterDepthMax });
  if (parsed.kind === 'bad') throw new Misuse(`the filter cannot be read: ${parsed.why}`);
  return parsed.filter;
}
