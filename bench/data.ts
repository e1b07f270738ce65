import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { utf8 } from '#base';
import { formatLdifRecord, type LdifContent, type PartialAttribute } from '#ldap';
import { generatePeople } from '../test/support/people.ts';

export interface PeopleFile {
  readonly count: number;
  readonly suffix: string;
  readonly file: string;
  /** Everybody's stored password, in the form that the server in question reads. */
  readonly storedPassword: string;
}

const seed = 26;
/** Not every schema has these. */
const left = new Set(['objectclass', 'uid', 'manager', 'userpassword']);
const classes = ['top', 'person', 'organizationalPerson', 'inetOrgPerson', 'posixAccount'].map(utf8);

/** Writes the suffix, `ou=people` and the same people for either server, called u0000000 upwards so that a load generator can draw them. */
export async function writePeople({ count, suffix, file, storedPassword }: PeopleFile): Promise<void> {
  const stream = createWriteStream(file);
  for (const record of records(count, suffix, storedPassword)) {
    if (!stream.write(formatLdifRecord(record))) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
}

function* records(count: number, suffix: string, storedPassword: string): Generator<LdifContent> {
  const domain = /^dc=([^,]+)/.exec(suffix)?.[1] ?? '';
  yield entry(suffix, { objectClass: ['top', 'organization', 'dcObject'], o: [domain], dc: [domain] });
  yield entry(`ou=people,${suffix}`, { objectClass: ['top', 'organizationalUnit'], ou: ['people'] });
  let number = 0;
  for (const record of generatePeople({ count, seed, suffix })) {
    if (number === count) return;
    if (!record.dn.includes(`,ou=people,${suffix}`)) continue;
    const uid = `u${String(number++).padStart(7, '0')}`;
    const attributes: PartialAttribute[] = [
      { description: 'objectClass', values: classes },
      { description: 'uid', values: [utf8(uid)] },
      ...record.attributes.filter(({ description }) => !left.has(description.toLowerCase())),
      { description: 'userPassword', values: [utf8(storedPassword)] },
    ];
    yield { kind: 'content', line: 0, dn: `uid=${uid},ou=people,${suffix}`, attributes };
  }
}

function entry(dn: string, given: Readonly<Record<string, readonly string[]>>): LdifContent {
  const attributes = Object.entries(given).map(([description, values]) => ({ description, values: values.map(utf8) }));
  return { kind: 'content', line: 0, dn, attributes };
}
