import type { Command } from './command.ts';
import { json, limit, realm } from './options.ts';

/** What a command does to mails is loaded with it; these are the rows. */
export const mailCommands = {
  'mail list': {
    means: 'list mails that wait to be handed over, and those that were given up',
    more: ['What they say is shown to nobody. Those that were given up are shown for mail.failedKeptHours.'],
    on: 'running',
    options: { limit, realm, json },
    examples: [{ line: 'atrium mail list' }, { line: 'atrium mail list --json' }],
    run: async (given, context) => (await import('./mail-queue.ts')).listMails(given, context),
  },
  'mail retry': {
    means: 'have mails tried again now',
    more: [
      'Without ID all that were given up, and those that wait for their next try. A mail that says nothing good any more is not sent.',
    ],
    on: 'running',
    operands: [{ name: 'ID', optional: true, means: 'one of atrium mail list' }],
    options: { realm, json },
    examples: [{ line: 'atrium mail retry' }, { line: 'atrium mail retry nothing-like-it', does: 'which is not there', status: 3 }],
    exits: { 1: 'the mail that was named says nothing good any more' },
    run: async (given, context) => (await import('./mail-queue.ts')).retryMails(given, context),
  },
} as const satisfies Record<string, Command>;
