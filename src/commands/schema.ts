import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Definition, definitionKinds, readDefinitions } from '#schema';
import { type Command, type Context, Misuse } from './command.ts';
import { additions, type ImportPlan, planImport, readHeld, subschema } from './definitions.ts';
import { connectRunning, notRunning, withRefusals } from './operators.ts';
import { parse } from './parse.ts';

/** The largest schema file that is anybody's; longer ones are not read into memory. */
const fileOctetsMax = 64 * 1024 * 1024;

export const schema: Command = {
  takes: 'import FILE…',
  means: 'add schema files to the running directory',
  help: `FILEs are OpenLDAP's: .schema files, or LDIF with olcAttributeTypes and olcObjectClasses (attributeTypes and objectClasses likewise).
Files that rest upon each other are given together. All that they define is added in one change, or nothing of it; what was added
belongs to the directory's data from then on: it is in backups and exports, and ldapmodify on cn=Subschema deletes it.
What is there already with the same meaning is passed over, so that an import may be repeated. What is there and defined otherwise
stays as it is, and is named. Matching rules that this directory does not have are left out, and named.
--dry-run says what would be added and writes nothing.

  atrium schema import --dry-run /etc/ldap/schema/dyngroup.schema
  atrium schema import own.schema more.ldif`,
  run: async (args, context) => {
    const { operands, options } = parse(args, { 'dry-run': 'flag' });
    const [verb, ...paths] = operands;
    if (verb !== 'import') throw new Misuse('import is expected, and files behind it');
    if (paths.length === 0) throw new Misuse('a file is missing');
    return await withRefusals(context, async () => {
      const given = paths.flatMap(definitionsOf);
      await using client = await connectRunning(context);
      if (client === undefined) return notRunning(context);
      const plan = planImport(await readHeld(client), given);
      tell(plan, context);
      const changes = additions(plan.added);
      if (!options.has('dry-run') && changes.length > 0) await client.actor.modify(subschema, changes);
      const verbs = options.has('dry-run') ? 'would be added' : 'added';
      const others = plan.different.length > 0 ? `, ${plan.different.length} there otherwise` : '';
      context.stderr.write(`${counted(plan.added)} ${verbs}, ${plan.known.length} there already${others}\n`);
      return 0;
    });
  },
};

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
