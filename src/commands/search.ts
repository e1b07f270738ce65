import { utf8 } from '#base';
import { type Filter, formatLdifRecord, parseFilter } from '#ldap';
import { type Command, Misuse } from './command.ts';
import { connectRunning, notRunning, withRefusals } from './operators.ts';
import { write } from './output.ts';
import { parse } from './parse.ts';

const filterDepthMax = 50;
/** Where a single word is looked for: what people know of each other. */
const wordAttributes = ['uid', 'cn', 'displayName', 'mail'];

export const search: Command = {
  takes: 'FILTER [ATTRIBUTE…]',
  means: 'search the running directory, for people without ldap-utils',
  help: `FILTER is an LDAP filter, with or without its outer parentheses, or a single word that is looked for in names and addresses.
Entries come as LDIF. Attributes are user attributes unless named; + stands for the operational ones.
It uses the operators' socket, so it reads whatever the operator may, and must run as the service's own user.

  atrium search anna
  atrium search '(&(objectClass=person)(l=Berlin))' cn mail
  atrium search uid=admin + --base ou=people,dc=example,dc=com
  atrium search objectClass=groupOfNames cn --limit 5`,
  run: async (args, context) => {
    const { operands, options } = parse(args, { base: 'value', scope: 'value', limit: 'value' });
    const [given, ...attributes] = operands;
    if (given === undefined) throw new Misuse('a filter is missing');
    const filter = filterOf(given);
    const scope = scopeOf(options.get('scope') ?? 'sub');
    const sizeLimit = limitOf(options.get('limit'));
    const located = context.locate();
    if (located.kind === 'refused') return notRunning(context);

    return await withRefusals(context, async () => {
      await using client = await connectRunning(context);
      if (client === undefined) return notRunning(context);
      let found = 0;
      const base = options.get('base') ?? located.suffix;
      for await (const entry of client.search({ base, scope, filter, attributes, sizeLimit })) {
        found++;
        await write(context.stdout, formatLdifRecord({ kind: 'content', line: 0, dn: entry.dn, attributes: entry.attributes }));
      }
      if (context.stderr.isTTY) context.stderr.write(`${found} ${found === 1 ? 'entry' : 'entries'}\n`);
      return 0;
    });
  },
};

function filterOf(given: string): Filter {
  if (!given.includes('=')) {
    const any = [utf8(given)];
    return { kind: 'or', filters: wordAttributes.map((description) => ({ kind: 'substrings', description, any })) };
  }
  const parsed = parseFilter(given.startsWith('(') ? given : `(${given})`, { depthMax: filterDepthMax });
  if (parsed.kind === 'bad') throw new Misuse(`the filter cannot be read: ${parsed.why}`);
  return parsed.filter;
}

function scopeOf(given: string): 'base' | 'one' | 'sub' | 'children' {
  if (given === 'base' || given === 'one' || given === 'sub' || given === 'children') return given;
  throw new Misuse('--scope is base, one, sub or children');
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return 0;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Misuse('--limit is a number of entries');
  return Number(given);
}
