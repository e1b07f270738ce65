import { resolve } from 'node:path';
import type { Command, Context, MetadataAsked } from './command.ts';
import { Absent, failureOf } from './exits.ts';
import type { Given } from './given.ts';
import { json } from './options.ts';

const whatIs =
  'Authenticator metadata are a signed file of the FIDO Alliance (https://mds3.fidoalliance.org/) that says of each model of security key who made it, to which level it is certified, and whether it is compromised. A blob is taken when its signer’s certificates lead to a root of that service, or of risk.mdsRootFile, and when neither its number nor the date of the next one goes back.';

export const showMetadata: Command = {
  means: 'verify authenticator metadata and say what they hold',
  more: [whatIs, 'Without FILE it is the one in use: that of risk.mdsFile, or the one that was installed. Nothing is written.'],
  on: 'files',
  operands: [{ name: 'FILE', type: 'file', optional: true, means: 'a metadata blob' }],
  options: { json },
  examples: [
    { line: 'STS_RISK_MDS_ROOT_FILE=roots.pem atrium metadata show blob.jwt' },
    { line: 'atrium metadata show', does: 'of those in use; 3 where none are', status: 3 },
  ],
  run: (given, context) => tell(given, context, { file: given.text('FILE'), install: false }),
};

export const installMetadata: Command = {
  means: 'verify authenticator metadata and put them to use',
  more: [
    whatIs,
    'The file is copied into the data folder. From the next enrolment on it is what every realm goes by that has no risk.mdsFile, in a running service, too.',
  ],
  on: 'files',
  operands: [{ name: 'FILE', type: 'file', means: 'a metadata blob' }],
  options: { json },
  examples: [{ line: 'STS_RISK_MDS_ROOT_FILE=roots.pem atrium metadata install blob.jwt', does: 'signed below a root of your own' }],
  run: (given, context) => tell(given, context, { file: given.need('FILE'), install: true }),
};

async function tell(given: Given, context: Context, { file, install }: MetadataAsked): Promise<number> {
  const shown = await context.metadata({ file: file === undefined ? undefined : resolve(file), install });
  if (shown.kind === 'absent') throw new Absent('no authenticator metadata are in use');
  if (shown.kind === 'refused') throw failureOf(shown.lines);
  const { number, nextUpdate, models, reported } = shown;
  if (given.flag('json')) {
    context.stdout.write(`${JSON.stringify({ number, nextUpdate, models, reported, installed: install })}\n`);
    return 0;
  }
  const verb = install ? 'Installed: number' : 'Number';
  context.stdout.write(`${verb} ${number}, the next one is due on ${nextUpdate}; ${models} models, ${reported.length} of them reported.\n`);
  for (const each of reported) context.stdout.write(`  ${each.status}  ${each.aaguid ?? 'U2F'}  ${each.description ?? ''}\n`);
  return 0;
}
