import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { text, utf8 } from '#base';
import { formatLdifRecord, type LdifContent, type PartialAttribute } from '#ldap';
import { generatePeople } from '../test/support/people.ts';
import { nameOf, type Sampled, uidOf, type World } from './requests.ts';

export interface PeopleFiles {
  readonly count: number;
  readonly suffix: string;
  /** Everybody's. */
  readonly password: string;
  /** One for each server, with everybody's password in the form that it reads. */
  readonly files: readonly { readonly file: string; readonly storedPassword: string }[];
  readonly wrote?: (people: number) => void;
}

const seed = 26;
/** How many people have the same primary group: what a search for one returns. */
const groupSize = 100;
/** People whose names and addresses are known to the load generator. */
const sampleMax = 5000;
/** Street, post code and employee number of others are not for everybody in Atrium; without them both servers show the same. */
const left = new Set(['objectclass', 'uid', 'manager', 'userpassword', 'gidnumber', 'street', 'postalcode', 'employeenumber']);
const classes = ['top', 'person', 'organizationalPerson', 'inetOrgPerson', 'posixAccount'].map(utf8);
const progressEvery = 10_000;

/**
 * Writes the suffix, `ou=people` and the same people for each server, called u0000000 upwards so that any can be drawn by number; behind them
 * `ou=groups` with groups of very uneven size.
 *
 * @returns what may be asked about them
 */
export async function writePeople({ count, suffix, password, files, wrote }: PeopleFiles): Promise<World> {
  const base = `ou=people,${suffix}`;
  const groups = Math.max(1, Math.floor(count / groupSize));
  const sample: Sampled[] = [];
  const outputs = files.map(({ file, storedPassword }) => ({ stream: createWriteStream(file), storedPassword }));
  const write = async (record: LdifContent, person: boolean) => {
    for (const { stream, storedPassword } of outputs) {
      const whole = person ? withAttribute(record, 'userPassword', storedPassword) : record;
      if (!stream.write(formatLdifRecord(whole))) await new Promise((resolve) => stream.once('drain', resolve));
    }
  };

  const domain = /^dc=([^,]+)/.exec(suffix)?.[1] ?? '';
  await write(entry(suffix, { objectClass: ['top', 'organization', 'dcObject'], o: [domain], dc: [domain] }), false);
  await write(entry(base, { objectClass: ['top', 'organizationalUnit'], ou: ['people'] }), false);
  let number = 0;
  for (const record of generatePeople({ count, seed, suffix })) {
    if (number === count) break;
    // Members of one group lie far apart, as they do where people come and go.
    await write(renamed(record, number, base, firstGid + (number % groups)), true);
    if (number % Math.ceil(count / sampleMax) === 0) sample.push(sampled(record));
    if (++number % progressEvery === 0) wrote?.(number);
  }
  const groupsBase = `ou=groups,${suffix}`;
  await write(entry(groupsBase, { objectClass: ['top', 'organizationalUnit'], ou: ['groups'] }), false);
  const sizes = groupSizes(count);
  for (const [index, size] of sizes.entries()) await write(groupOf(index, size, count, base, groupsBase), false);
  for (const { stream } of outputs) stream.end();
  await Promise.all(outputs.map(({ stream }) => finished(stream)));
  const small = sizes.flatMap((size, index) => (size === smallGroup ? [groupName(index, groupsBase)] : [])).slice(0, smallGroupsMax);
  return {
    base,
    count,
    password,
    gids: Array.from({ length: groups }, (_, i) => firstGid + i),
    sample,
    groups: { large: groupName(0, groupsBase), small },
  };
}

const smallGroup = 10;
const smallGroupsMax = 100;
const largestMax = 50_000;

/** Sizes as Zipf has them, the first the largest: 5,000 of 10,000 people, 10,000 of 100,000, 50,000 of a million; and many of ten. */
export function groupSizes(count: number): number[] {
  const largest = Math.floor(Math.min(largestMax, Math.max(count / 10, Math.min(count / 2, 5000))));
  const large = Array.from({ length: Math.ceil(largest / smallGroup) - 1 }, (_, i) => Math.floor(largest / (i + 1)));
  const few = Math.max(20, Math.floor(count / 100));
  return [...large.filter((size) => size > smallGroup), ...Array.from({ length: few }, () => smallGroup)];
}

function groupName(index: number, groupsBase: string): string {
  return `cn=group-${index},${groupsBase}`;
}

/** Members lie far apart, and who is in one group is in others too. */
function groupOf(index: number, size: number, count: number, base: string, groupsBase: string): LdifContent {
  const stride = Math.floor(count / size);
  const member = Array.from({ length: size }, (_, i) => nameOf((index * 7919 + i * stride) % count, base));
  return entry(groupName(index, groupsBase), {
    objectClass: ['top', 'groupOfNames'],
    cn: [`group-${index}`],
    description: [`A group of ${size}`],
    member,
  });
}

const firstGid = 30_000;

function renamed(record: LdifContent, number: number, base: string, gid: number): LdifContent {
  const uid = uidOf(number);
  const attributes: PartialAttribute[] = [
    { description: 'objectClass', values: classes },
    { description: 'uid', values: [utf8(uid)] },
    ...record.attributes.filter(({ description }) => !left.has(description.toLowerCase())),
    ...(record.attributes.some(({ description }) => description === 'mobile')
      ? []
      : [{ description: 'mobile', values: [mobileOf(number)] }]),
    { description: 'gidNumber', values: [utf8(String(gid))] },
  ];
  return { kind: 'content', line: 0, dn: `uid=${uid},${base}`, attributes };
}

/**
 * Everybody has a mobile telephone: it is what rows write, and the quicker server writes more of them, so that one that only some had would be there in one
 * server and not in the other.
 */
function mobileOf(number: number): Uint8Array {
  return utf8(`+49 170 ${String(number).padStart(7, '0')}`);
}

function withAttribute(record: LdifContent, description: string, value: string): LdifContent {
  return { ...record, attributes: [...record.attributes, { description, values: [utf8(value)] }] };
}

function sampled(record: LdifContent): Sampled {
  const first = (name: string) => text(record.attributes.find(({ description }) => description === name)?.values[0] ?? utf8('')) ?? '';
  return { cn: first('cn'), mail: first('mail'), roomNumber: first('roomNumber') };
}

function entry(dn: string, given: Readonly<Record<string, readonly string[]>>): LdifContent {
  const attributes = Object.entries(given).map(([description, values]) => ({ description, values: values.map(utf8) }));
  return { kind: 'content', line: 0, dn, attributes };
}
