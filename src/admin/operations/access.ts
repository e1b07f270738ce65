import { z } from 'zod';
import {
  type Actor,
  builtInRules as askBuiltInRules,
  type ClientEntry,
  ClientRefusal,
  equals,
  explainAccess,
  explainSignIn,
} from '#client';
import { parseDn, resultCodes } from '#ldap';
import { findOne, peoplePlace } from './entries-found.ts';
import { operation } from './row.ts';
import { Unfit } from './unfit.ts';

const rulesMax = 1000;

const words = z.array(z.string());
const ruleShape = z.strictObject({
  order: z.number().optional().describe('Of a rule of the realm; those that are built in come behind them.'),
  dn: z.string().optional(),
  name: z.string(),
  description: z.string().optional(),
  effect: z.string(),
  who: words,
  strength: words,
  from: words,
  target: words,
  filter: z.string().optional(),
  attributes: words.describe('Without any: all.'),
  rights: words,
  etag: z.string().optional(),
});

export const accessList = operation({
  name: 'access.list',
  method: 'GET',
  path: '/admin-api/access-rules',
  scope: 'admin:read',
  summary: 'the rules of access of the realm in the order in which they are asked, the built-in ones behind them',
  input: z.strictObject({}),
  output: z.strictObject({
    rules: z.array(ruleShape),
    complete: z.boolean(),
    builtIn: z.boolean().describe('Whether the built-in rules are among them: the directory tells them to those who manage the realm.'),
  }),
  audit: 'rules of access listed',
  command: 'access list',
  run: async ({ actor, realm }) => {
    const search = { base: realm.suffix, scope: 'sub', filter: equals('objectClass', 'stsAccessRule'), sizeLimit: rulesMax } as const;
    const { entries, complete } = await actor.search({ ...search, attributes: ['*', 'entryCSN'] });
    const own = entries.map(ruleOf).sort((one, other) => (one.order ?? 0) - (other.order ?? 0) || (one.name < other.name ? -1 : 1));
    const builtIn = await builtInRules(actor, realm.suffix);
    return { rules: [...own, ...(builtIn ?? [])], complete, builtIn: builtIn !== undefined };
  },
});

/** Nothing for who does not manage the realm. */
async function builtInRules(actor: Actor, suffix: string): Promise<readonly z.input<typeof ruleShape>[] | undefined> {
  try {
    const rules = readable(await askBuiltInRules(actor, suffix));
    return rules.map(({ name, values }) => ruleWith(name, (each) => values.get(each) ?? []));
  } catch (error) {
    if (error instanceof ClientRefusal && error.code === resultCodes.insufficientAccessRights) return undefined;
    throw error;
  }
}

export const accessExplain = operation({
  name: 'access.explain',
  method: 'GET',
  path: '/admin-api/access-rules/explain',
  scope: 'admin:read',
  summary: 'which rule decides what somebody may do with an entry',
  input: z.strictObject({
    as: z.string().max(4096).describe('Who: a DN, a uid, or `anonymous`.'),
    entry: z
      .string()
      .max(4096)
      .refine((text) => parseDn(text) !== undefined, 'is no name of an entry')
      .describe('The DN of the entry.'),
    attribute: z.string().max(200).optional().describe('One attribute; all that the entry has, without.'),
    right: z.string().max(20).optional(),
    strength: z.string().max(200).optional().describe('How they came in, as stsRuleStrength has it; `own-password` without.'),
    from: z.string().max(200).optional().describe('An address or `this-machine`, and +protected behind it.'),
  }),
  output: z.strictObject({
    visible: z.boolean().describe('Whether they see that the entry is there.'),
    decisions: z.array(
      z.strictObject({
        right: z.string(),
        attribute: z.string().describe('Empty for a right on the entry itself.'),
        allowed: z.boolean(),
        by: z.string().describe('protection, rule, built-in or nothing'),
        name: z.string(),
      }),
    ),
  }),
  audit: 'access of {as} to {entry} explained',
  command: 'access explain',
  run: async ({ actor }, asked) => readable(await explainAccess(actor, asked)),
});

export const usersWhy = operation({
  name: 'users.why',
  method: 'GET',
  path: '/admin-api/users/why',
  scope: 'admin:read',
  summary: 'why somebody cannot sign in, rule by rule, with what to change; no counter moves',
  input: z.strictObject({
    user: z.string().min(1).max(4096).describe('Who: a uid, a DN, or an entryUUID.'),
    door: z.enum(['browser', 'ldap', 'scim', 'wstrust', 'ssf', 'est']).default('browser').describe('Where they want to come in.'),
    from: z.string().max(200).optional().describe('An address or `this-machine`, and +protected behind it.'),
    application: z.string().min(1).max(128).optional().describe('To which they sign in, at the door `browser`: a client id.'),
  }),
  output: z.strictObject({
    dn: z.string(),
    rules: z.array(
      z.strictObject({
        rule: z.string(),
        verdict: z.string().describe('passes, refuses, or says: neither.'),
        words: z.string(),
        code: z.string().describe('As the audit trail would have it; empty where nothing is refused.'),
        change: z.string().describe('The entry or the setting to change.'),
      }),
    ),
  }),
  audit: 'sign-in of {user} explained',
  console: { on: 'users/person', title: 'Why can they not sign in?', verb: 'Explain' },
  command: 'why',
  run: async (call, { user, door, from, application }) => {
    if (application !== undefined && door !== 'browser')
      throw new Unfit({ field: 'application', message: 'People sign in to applications at the door browser: leave one of the two out.' });
    const { dn } = await findOne(call, peoplePlace, user, ['1.1'], 'user');
    const rules = readable(await explainSignIn(call.actor, { dn, door, from, application }));
    return { dn, rules };
  },
});

/** @throws Unfit for an answer without what was asked for: the directory is of another version */
function readable<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Unfit({ message: 'The directory did not answer with what was asked for.' });
  return answer;
}

function ruleOf(entry: ClientEntry): z.input<typeof ruleShape> {
  return {
    ...ruleWith(entry.one('cn') ?? entry.dn, (name) => entry.all(name)),
    order: Number(entry.one('stsRuleOrder') ?? 0),
    ...(entry.has('description') ? { description: entry.all('description').join(' ') } : {}),
    dn: entry.dn,
    etag: entry.one('entryCSN') ?? '',
  };
}

function ruleWith(name: string, all: (attribute: string) => readonly string[]): z.input<typeof ruleShape> {
  const [filter] = all('stsRuleFilter');
  return {
    name,
    effect: all('stsRuleEffect')[0]?.toLowerCase() ?? 'allow',
    who: [...all('stsRuleWho')],
    strength: [...all('stsRuleStrength')],
    from: [...all('stsRuleFrom')],
    target: [...all('stsRuleTarget')],
    ...(filter === undefined ? {} : { filter }),
    attributes: [...all('stsRuleAttribute')],
    rights: [...all('stsRuleRight')],
  };
}
