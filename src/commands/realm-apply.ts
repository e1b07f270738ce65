import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utf8 } from '#base';
import type { OperatorsClient } from '#client';
import { formatLdifRecord, type LdifChange, ldifHeader, type PartialAttribute, readLdif } from '#ldap';
import { describe, type Schema } from '#schema';
import { createProtection, type Difference, differences, type LeftAlone } from '#transfer';
import { createApplying } from './applying.ts';
import type { Command, Context } from './command.ts';
import { confirm } from './confirm.ts';
import { withDirectory } from './directory.ts';
import { Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { ldifLimits, openLdif } from './ldif.ts';
import { dryRun, json, realmOperand, yes } from './options.ts';
import { withReadable } from './readable.ts';
import { givenChanges } from './realm-changes.ts';
import { peek, readRealmFile, tellPlaced } from './realm-file.ts';
import { openRealm } from './realm-source.ts';
import { withoutSamePasswords } from './same-password.ts';

/** What is left alone is named up to so many times. */
const toldMax = 20;
/** A change can undo another one, where names that follow a rename were taken by others: then what is left differs, and is done. */
const roundsMax = 3;

export const applyRealm: Command = {
  means: 'make a realm what a file says',
  more: [
    'FILE is a whole realm as atrium realm export writes it, or change records in ldapmodify’s form, such as atrium realm diff prints. The changes are shown first, secrets hidden. They go through the service one by one: what is refused is tried again behind the others, then told, and the exit status is 1. What is done already is passed over, so that a second run has nothing to do; a change record that replaces a password is made each time.',
    'People, which are entries of the class person or account and all below ou=people, are left alone without --people. Passwords, other secrets and what else somebody signs in with (stsCredentialId, stsMfaRequired, stsEmailFactor, stsVerifiedMail, stsEmailFailures, stsEmailFirstFailures, userCertificate, authzTo, authzFrom) are left alone without --factors. What is left alone is told; so is a superior that cannot go because of it.',
  ],
  on: 'either',
  operands: [realmOperand, { name: 'FILE', type: 'file', means: 'the realm as it is to be, or change records' }],
  options: {
    people: { means: 'also add, change and delete people' },
    factors: { means: 'also set passwords and what else people sign in with, where FILE has it' },
    'dry-run': dryRun,
    json: { means: `${json.means}; in place of the changes, how many there were` },
    yes,
  },
  destroys: 'what the realm has and the file has not',
  examples: [
    { line: 'atrium realm apply --dry-run default wanted.ldif' },
    { line: 'atrium realm apply --yes default wanted.ldif' },
    { line: 'atrium realm apply --yes --people default changes.ldif', does: 'with change records, people too' },
  ],
  run: async (given, context) =>
    await withReadable(context, async () => await withDirectory(context, async ({ client }) => await applyTo(client, given, context))),
};

async function applyTo(client: OperatorsClient, given: Given, context: Context): Promise<number> {
  const { stdout, stderr } = context;
  const [asJson, dry] = [given.flag('json'), given.flag('dry-run')];
  let [made, left] = [0, 0];
  const answer = (changes: number, refused: number, status: number) => {
    if (asJson) stdout.write(`${JSON.stringify({ [dry ? 'wouldBeMade' : 'made']: dry ? changes : made, refused, leftAlone: left })}\n`);
    return status;
  };
  const folder = mkdtempSync(join(tmpdir(), 'atrium-apply-'));
  try {
    for (let round = 1; ; round++) {
      const gathered = await gather(client, given, context, join(folder, `${round}.ldif`), round === 1);
      if (round === 1) left = gathered.left;
      if (gathered.count === 0) {
        if (round === 1) stderr.write('nothing to do\n');
        return answer(0, 0, 0);
      }
      if (!asJson) await show(shownAt(gathered.path), context);
      if (dry) return answer(gathered.count, 0, 0);
      const what = `${counted(gathered.count)} would be made in the realm ${given.need('ID')}.`;
      if (round === 1) await confirm(what, given.need('ID'), given, context);
      const { done, refused } = await perform(client, gathered.path, context);
      stderr.write(`${counted(done)} made${refused === 0 ? '' : `, ${refused.toLocaleString('en')} refused`}\n`);
      made += done;
      if (refused > 0) return answer(made, refused, 1);
      if (!gathered.again || round === roundsMax) return answer(made, 0, 0);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Gathered {
  readonly path: string;
  readonly count: number;
  /** How much is left alone. */
  readonly left: number;
  /** Whether the file can be held against the realm once more. */
  readonly again: boolean;
}

/** Writes what may be done into a file of our own, and tells what is left alone. */
async function gather(client: OperatorsClient, given: Given, context: Context, path: string, tells: boolean): Promise<Gathered> {
  const [id, file] = [given.need('ID'), given.need('FILE')];
  const factors = given.flag('factors');
  using realm = await openRealm(id, factors, context);
  const left: LeftAlone[] = [];
  let leftCount = 0;
  const protection = createProtection(realm.schema, realm.suffix, { people: given.flag('people'), factors }, (each) => {
    if (++leftCount <= toldMax) left.push(each);
  });
  const source = openLdif(file, context);
  const { first, all } = await peek(source.records);
  if (first === undefined) throw new Misuse('the file has no records');
  const isContent = first.kind === 'content';
  const wanted = isContent ? await readRealmFile({ ...source, records: all }, realm) : undefined;
  const held = (all: AsyncGenerator<Difference>) => (factors ? withoutSamePasswords(all, realm.schema, context) : all);
  const found: AsyncGenerator<Difference> =
    wanted === undefined
      ? givenChanges(client, all, realm)
      : held(differences(realm.schema, realm.entries(), wanted.entries, { folder: tmpdir(), secrets: factors }));
  let count = 0;
  let [buffer, shown] = ['', ''];
  const write = () => {
    writeFileSync(path, buffer, { flag: 'a' });
    writeFileSync(shownAt(path), shown, { flag: 'a' });
    [buffer, shown] = ['', ''];
  };
  for (const each of [path, shownAt(path)]) writeFileSync(each, ldifHeader, { mode: 0o600 });
  for await (const difference of found) {
    const allowed = protection.allow(difference);
    if (allowed === undefined) continue;
    buffer += formatLdifRecord(allowed.change);
    shown += formatLdifRecord(withoutSecrets(realm.schema, allowed.change));
    count++;
    if (buffer.length >= bufferCharacters) write();
  }
  write();
  if (tells && wanted !== undefined) tellPlaced(wanted, context);
  if (tells) tellLeft(left, leftCount, context);
  return { path, count, left: leftCount, again: isContent && file !== '-' };
}

const bufferCharacters = 65_536;

/** Where the changes lie as they are shown. */
function shownAt(path: string): string {
  return `${path}.shown`;
}

const hidden = utf8('(not shown)');

/** A change without what nobody else is to see on a terminal: passwords, and what else is secret. */
function withoutSecrets(schema: Schema, change: LdifChange): LdifChange {
  const shown = (attribute: PartialAttribute): PartialAttribute => {
    const type = describe(schema, attribute.description)?.type;
    return type?.secret === true || type?.sealed === true ? { ...attribute, values: attribute.values.map(() => hidden) } : attribute;
  };
  switch (change.kind) {
    case 'add':
      return { ...change, attributes: change.attributes.map(shown) };
    case 'modify':
      return { ...change, changes: change.changes.map((each) => ({ ...each, attribute: shown(each.attribute) })) };
    case 'delete':
    case 'modrdn':
      return change;
  }
}

function tellLeft(left: readonly LeftAlone[], count: number, { stderr }: Context): void {
  for (const { dn, why } of left) stderr.write(`${dn}: ${why}\n`);
  if (count > left.length) stderr.write(`${(count - left.length).toLocaleString('en')} more are left alone\n`);
}

async function show(path: string, { stdout }: Context): Promise<void> {
  for await (const chunk of createReadStream(path)) {
    await new Promise<void>((resolve, reject) => void stdout.write(chunk, (error) => (error ? reject(error) : resolve())));
  }
}

async function perform(
  client: OperatorsClient,
  path: string,
  { stderr }: Context,
): Promise<{ readonly done: number; readonly refused: number }> {
  const applying = createApplying(client, ({ dn, kind }, why) => stderr.write(`atrium: ${dn}: ${kind}: ${why}\n`));
  for await (const record of readLdif(createReadStream(path), ldifLimits)) await applying.change(record as LdifChange);
  return await applying.end();
}

function counted(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'change' : 'changes'}`;
}
