import { formatLdifRecord, readLdif } from '#ldap';
import { importFolder } from '../../../src/wiring/folder/bulk.ts';
import { generatePeople } from '../../support/people.ts';
import { optionsOf, suffix } from '../support.ts';

/** Imports so many people with 40,000 octets each, which are made as they are read, and says the most memory that it had, in KiB. */
const [count = '', dataDir = ''] = process.argv.slice(2);

/** Ten times the people are soon imported; what they would take, were they kept, is as much as that of ten times as many. */
const audio = { description: 'audio', values: [new Uint8Array(40_000)] };

function* text(): Generator<Uint8Array> {
  for (const record of generatePeople({ count: Number(count), seed: 3, suffix })) {
    const attributes = record.dn.startsWith('uid=') ? [...record.attributes, audio] : record.attributes;
    yield Buffer.from(formatLdifRecord({ ...record, attributes }));
  }
}

const limits = { lineOctetsMax: 1_000_000, recordOctetsMax: 10_000_000, valuesMax: 100_000 };
const imported = await importFolder(optionsOf(dataDir), { records: readLdif(text(), limits), onProgress: () => undefined });
if (imported.kind === 'refused') throw new Error(imported.lines.join('\n'));
process.stdout.write(String(process.resourceUsage().maxRSS));
