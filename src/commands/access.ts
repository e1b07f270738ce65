import type { Command } from './command.ts';
import { listed } from './given.ts';
import { json, realm } from './options.ts';

/** What a command does to rules of access is loaded with it; these are the rows. */
const rights = ['auth', 'compare', 'search', 'read', 'enumerate', 'write', 'add', 'delete', 'manage'];

const explain: Command = {
  means: 'say which rule of access decides, and why',
  more: [
    'DN is the entry that is asked about; with ATTRIBUTE, whether that may be read, searched, compared and written; without, all rights on the entry and on what it has. The entry need not be there: so one asks whether it may be added.',
    '--strength says how they came in, in the words of stsRuleStrength joined by +: app-password, own-password (the standing one), certificate, session, two-factors, all-factors, fresh:<seconds>, operators. --from says from where: an address or this-machine, with +protected behind it for TLS.',
  ],
  on: 'either',
  operands: [
    { name: 'DN', means: 'the name of an entry' },
    { name: 'ATTRIBUTE', optional: true, means: 'an attribute of it' },
  ],
  options: {
    as: { value: 'NAME', default: 'anonymous', means: 'who asks: a uid, or uid@realm, a DN, or anonymous' },
    strength: { value: 'WORDS', means: 'how they came in' },
    from: { value: 'ADDRESS', means: 'from where they came' },
    right: { value: 'RIGHT', type: rights, means: `only this right: ${listed(rights)}` },
    json,
  },
  examples: [
    { line: 'atrium access --as sozturk ou=people,dc=example,dc=com', does: 'the verb may be left out before an option' },
    { line: 'atrium access explain --as sozturk --strength fresh:60 uid=sozturk,ou=people,dc=example,dc=com mail' },
    { line: 'atrium access explain --from 192.0.2.7+protected --right auth uid=sozturk,ou=people,dc=example,dc=com' },
  ],
  run: async (given, context) => (await import('./access-explain.ts')).showDecisions(given, context),
};

const list: Command = {
  means: 'list the rules of access of a realm in the order in which they are asked',
  more: [
    'The rules of the realm come first, by their order; then the built-in set. The first rule that fits in everything decides. docs/access.md says how rules are written. A terminal cuts what is too long for it; in a pipe (| less -S) and with --json it is whole.',
  ],
  on: 'either',
  options: { realm, json },
  examples: [{ line: 'atrium access list' }, { line: 'atrium access list --json', does: 'an object for each rule' }],
  run: async (given, context) => (await import('./access-list.ts')).listAccess(given, context),
};

export const accessCommands = {
  'access list': list,
  'access explain': explain,
} as const satisfies Record<string, Command>;
