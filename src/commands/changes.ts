import { formatLdifRecord, ldifHeader } from '#ldap';
import type { ChangeLog, Command, Context } from './command.ts';
import { Failure, failureOf, Misuse, noDirectory, Unreachable } from './exits.ts';
import { write } from './output.ts';

/** Text gathered before it is written. */
const bufferCharacters = 65_536;

export const changes: Command = {
  means: 'write what was changed after a change as LDIF',
  more: [
    'Every change has a number. Those after NUMBER are written as change records, which ldapmodify applies: adds, modifies that replace an attribute with its final values, renames, deletes. Secrets are left out, and so is what a directory writes by itself: entryUUID, timestamps, who changed it. Comments name each change’s number, entryCSN and entryUUID, and the epoch, which a restore moves.',
    'The log keeps as many commits as persistence.commitsMax says. When it no longer reaches back to NUMBER nothing is written and the exit status is 1: begin anew with a backup, which names the change it ends with, and go on from there. While it reads, a running service cannot shorten its write-ahead log.',
  ],
  on: 'files',
  options: { since: { value: 'NUMBER', required: true, means: 'the number of a change; 0 for all that the log has' } },
  examples: [
    { line: 'atrium changes --since 2' },
    { line: 'atrium changes --since 2 > changes.ldif', does: 'for ldapmodify on another directory' },
  ],
  run: async (given, context) => {
    const since = numberOf(given.need('since'));
    const opened = await context.openLog();
    if (opened.kind === 'absent') throw new Unreachable(noDirectory);
    if (opened.kind === 'refused') throw failureOf(opened.lines);
    using log = opened.log;
    const why = outOfReach(log, since);
    if (why !== undefined) throw new Failure(why);
    await writeAll(log, since, context);
    return 0;
  },
};

function numberOf(given: string): number {
  if (!/^(0|[1-9]\d{0,14})$/.test(given)) throw new Misuse('--since is the number of a change');
  return Number(given);
}

/** Why the log cannot say what came after a change. */
function outOfReach({ oldest, newest, epoch }: ChangeLog, since: number): string | undefined {
  if (since > newest) return `the newest change is ${newest}, of epoch ${epoch}: ${since} is of another directory, or of before a restore`;
  if (since >= oldest - 1) return undefined;
  return `the change log begins with change ${oldest}: those after ${since} are no longer all there. Begin anew with a backup`;
}

async function writeAll(log: ChangeLog, since: number, { stdout, stderr }: Context): Promise<void> {
  const { epoch, newest } = log;
  let buffer = `${ldifHeader}# epoch ${epoch}, changes ${since + 1} to ${newest}\n\n`;
  let count = 0;
  for (const { number, csn, entryUuid, records } of log.changes(since)) {
    count++;
    const more = records.length === 0 ? ': nothing that can be told here' : '';
    buffer += `# change ${number}, ${csn}, ${entryUuid}${more}\n${records.length === 0 ? '\n' : ''}`;
    for (const record of records) buffer += formatLdifRecord(record);
    if (buffer.length < bufferCharacters) continue;
    await write(stdout, buffer);
    buffer = '';
  }
  if (count > 0) await write(stdout, buffer);
  stderr.write(`${count.toLocaleString('en')} ${count === 1 ? 'change' : 'changes'}, the newest is ${newest}\n`);
}
