import { utf8 } from '#base';
import { allOf, anyOf, type ClientEntry, present } from '#client';
import { barOf, validityAttributes, validityOf } from '#holdings';
import { type Filter, parseFilter } from '#ldap';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { sortedBy, upTo } from './entries.ts';
import { Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { isOf, people } from './lookup.ts';
import { list } from './table.ts';

/** Where words are looked for. */
const wordAttributes = ['uid', 'cn', 'displayName', 'mail', 'title', 'l', 'ou'];
const filterDepthMax = 50;

export async function listPeople(given: Given, context: Context): Promise<number> {
  const more = given.texts('attribute');
  const filter = allOf(
    isOf(people),
    ...given.texts('WORD').map(hasWord),
    ...given.texts('filter').map(readFilter),
    ...(given.flag('disabled') ? [isBarred(context)] : []),
  );
  const attributes = ['uid', 'cn', 'mail', ...validityAttributes, ...more];
  const barred = (entry: ClientEntry) =>
    barOf(
      validityOf((name) => entry.one(name)),
      context.clock.nowMs(),
    );
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const base = `${people.below},${await suffixOf(given.need('realm'))}`;
    const options = { base, scope: 'sub', filter, attributes, sizeLimit: given.count('limit') ?? 0 } as const;
    const first = (name: string) => (entry: ClientEntry) => entry.one(name) ?? '';
    await list(upTo(client, options, [sortedBy('uid')], context), given, context, {
      columns: [
        { head: 'UID', of: first('uid') },
        { head: 'NAME', of: first('cn') },
        { head: 'MAIL', of: first('mail') },
        ...more.map((name) => ({ head: name.toUpperCase(), of: (entry: ClientEntry) => entry.all(name).join(', ') })),
        { head: '', of: (entry) => stateWords[barred(entry) ?? 'none'] },
      ],
      json: (entry) => ({
        dn: entry.dn,
        uid: entry.one('uid'),
        cn: entry.one('cn'),
        mail: entry.all('mail'),
        disabled: barred(entry) !== undefined,
        ...(more.length === 0 ? {} : { attributes: Object.fromEntries(more.map((name) => [name, entry.all(name)])) }),
      }),
      none: 'There is no such person.',
    });
    return 0;
  });
}

const stateWords = { disabled: 'disabled', early: 'not valid yet', late: 'valid no longer', none: '' } as const;

/** Whom nobody can sign in as now. */
function isBarred({ clock }: Context): Filter {
  const now = utf8(`${new Date(clock.nowMs()).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`);
  const early: Filter = { kind: 'not', filter: { kind: 'lessOrEqual', description: 'stsValidFrom', value: now } };
  return anyOf(
    present('pwdAccountLockedTime'),
    { kind: 'lessOrEqual', description: 'stsValidUntil', value: now },
    allOf(present('stsValidFrom'), early),
  );
}

function hasWord(word: string): Filter {
  return anyOf(...wordAttributes.map((description): Filter => ({ kind: 'substrings', description, any: [utf8(word)] })));
}

function readFilter(text: string): Filter {
  const parsed = parseFilter(text.startsWith('(') ? text : `(${text})`, { depthMax: filterDepthMax });
  if (parsed.kind === 'bad') throw new Misuse(`the filter cannot be read: ${parsed.why}`);
  return parsed.filter;
}
