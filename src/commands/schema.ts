import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Definition, definitionKinds, readDefinitions } from '#schema';
import type { Command, Context } from './command.ts';
import { additions, type ImportPlan, ownDefinitions, planImport, readHeld, subschema } from './definitions.ts';
import { withDirectory } from './directory.ts';
import { Misuse } from './exits.ts';
import { listed } from './given.ts';
import { dryRun, json } from './options.ts';
import { list } from './table.ts';

/** The largest schema file that is anybody's; longer ones are not read into memory. */
const fileOctetsMax = 64 * 1024 * 1024;

export const importSchema: Command = {
  means: 'add schema files to the directory',
  more: [
    'FILEs are OpenLDAP’s: .schema files, or LDIF with olcAttributeTypes and olcObjectClasses (attributeTypes and objectClasses likewise). Files that rest upon each other are given together. All that they define is added in one change, or nothing of it; what was added belongs to the directory’s data from then on: it is in backups and exports, and ldapmodify on cn=Subschema deletes it.',
    'What is there already with the same meaning is passed over, so that an import may be repeated. What is there and defined otherwise stays as it is, and is named. Matching rules that this directory does not have are left out, and named.',
  ],
  on: 'either',
  operands: [{ name: 'FILE', type: 'file', many: true, means: 'a schema file' }],
  options: { 'dry-run': dryRun, json },
  examples: [{ line: 'atrium schema import --dry-run own.schema' }, { line: 'atrium schema import own.schema more.ldif' }],
  run: async (given, context) => {
    const paths = given.texts('FILE');
    return await withDirectory(context, async ({ client }) => {
      const definitions = paths.flatMap(definitionsOf);
      const plan = planImport(await readHeld(client), definitions);
      tell(plan, context);
      const changes = additions(plan.added);
      if (!given.flag('dry-run') && changes.length > 0) await client.actor.modify(subschema, changes);
      const verbs = given.flag('dry-run') ? 'would be added' : 'added';
      const others = plan.different.length > 0 ? `, ${plan.different.length} there otherwise` : '';
      context.stderr.write(`${counted(plan.added)} ${verbs}, ${plan.known.length} there already${others}\n`);
      if (given.flag('json')) context.stdout.write(`${JSON.stringify(planJson(plan))}\n`);
      return 0;
    });
  },
};

const kinds = definitionKinds.map(({ attribute }) => attribute);

interface Listed {
  readonly kind: string;
  readonly name: string;
  readonly oid: string;
  readonly description: string;
  readonly definition: string;
}

export const listSchema: Command = {
  means: 'list the types, classes and rules of the directory',
  on: 'either',
  operands: [{ name: 'WORD', optional: true, means: 'only what has it in its name or description' }],
  options: {
    kind: { value: 'KIND', type: kinds, means: listed(kinds) },
    own: { means: 'only what was added while the service ran, and no file has' },
    json,
  },
  examples: [
    { line: 'atrium schema list --kind objectClasses person' },
    { line: 'atrium schema list --own' },
    { line: 'atrium schema list --json mail', does: 'an object for each, with the whole definition' },
  ],
  run: async (given, context) =>
    await withDirectory(context, async ({ client }) => {
      const held = await readHeld(client);
      const definitions = given.flag('own') ? ownDefinitions(held, await context.schemaFiles()) : held.definitions;
      const word = given.text('WORD')?.toLowerCase() ?? '';
      const kind = given.text('kind');
      const found = definitions
        .flatMap(listedOf)
        .filter((each) => (kind ?? each.kind) === each.kind && `${each.name} ${each.description}`.toLowerCase().includes(word))
        .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
      const columns = [
        { head: 'KIND', of: (each: Listed) => each.kind },
        { head: 'NAME', of: (each: Listed) => each.name },
        { head: 'OID', of: (each: Listed) => each.oid },
        { head: 'DESCRIPTION', of: (each: Listed) => each.description },
      ];
      await list(found, given, context, { columns, none: 'There is no such definition.' });
      return 0;
    }),
};

function listedOf({ keyword, text: definition }: Definition): Listed[] {
  const kind = definitionKinds.find((each) => each.keyword === keyword);
  const read = kind?.read(definition);
  if (kind === undefined || read?.kind !== 'parsed') return [];
  const { id, names, row } = read.value;
  const description = typeof row['description'] === 'string' ? row['description'] : '';
  return [{ kind: kind.attribute, name: names.join(', '), oid: id, description, definition }];
}

function definitionsOf(path: string): Definition[] {
  let octets: Buffer;
  try {
    octets = readFileSync(path);
  } catch (error) {
    throw new Misuse(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (octets.length > fileOctetsMax) throw new Misuse(`${path} is larger than ${fileOctetsMax} octets`);
  return readDefinitions({ name: basename(path), text: octets.toString('utf8') });
}

function planJson({ added, known, different, without }: ImportPlan) {
  const names = (definitions: readonly Definition[]) => definitions.map(nameOf);
  const relieved = without.map(({ definition, rule }) => ({ name: nameOf(definition), rule }));
  return { added: names(added), known: names(known), different: names(different), without: relieved };
}

function tell({ different, without }: ImportPlan, { stderr }: Context): void {
  for (const each of different) stderr.write(`${place(each)}: ${nameOf(each)} is there and defined otherwise; it stays as it is\n`);
  for (const { definition, rule } of without)
    stderr.write(`${place(definition)}: ${nameOf(definition)} is added without ${rule}, which this directory does not have\n`);
}

function place({ file, line }: Definition): string {
  return `${file} line ${line}`;
}

function nameOf({ keyword, text }: Definition): string {
  const read = definitionKinds.find((kind) => kind.keyword === keyword)?.read(text);
  if (read?.kind !== 'parsed') return keyword;
  return read.value.names[0] ?? read.value.id;
}

function counted({ length }: readonly Definition[]): string {
  return `${length.toLocaleString('en')} ${length === 1 ? 'definition' : 'definitions'}`;
}
