export const suffix = 'dc=example,dc=com';
export const people = `ou=people,${suffix}`;
export const groups = `ou=groups,${suffix}`;
/** What cases change stands here, so that they do not disturb each other. */
export const desk = `ou=desk,${suffix}`;

export const person = (uid: string) => `uid=${uid},${people}`;

/** An entry as LDIF. Lists are several values. */
export function ldif(dn: string, attributes: Readonly<Record<string, string | readonly string[]>>): string {
  const lines = Object.entries(attributes).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`));
  return `dn: ${dn}\n${lines.join('\n')}\n\n`;
}

const unit = (dn: string) => ldif(dn, { objectClass: 'organizationalUnit', ou: /^ou=([^,]*)/.exec(dn)?.[1] ?? '' });

const human = (uid: string, given: Readonly<Record<string, string | readonly string[]>>) =>
  ldif(person(uid), { objectClass: 'inetOrgPerson', uid, ...given, userPassword: `Secret 1 of ${uid}` });

const row = Array.from({ length: 10 }, (_, at) =>
  ldif(`cn=row${at},ou=row,${desk}`, {
    objectClass: 'device',
    cn: `row${at}`,
    serialNumber: String((at * 7) % 10),
    ...(at % 3 === 0 ? {} : { l: ['Turin', 'Berlin'][at % 2] ?? '' }),
  }),
).join('');

/** A picture, as far as its syntax goes. */
const large = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(800_000, 'large')]).toString('base64');

/** What both servers have below the suffix. */
export const content: string = [
  human('ada', {
    cn: ['Ada Lovelace', 'Ada King'],
    'cn;lang-fr': 'Ada de Lovelace',
    sn: 'Lovelace',
    mail: 'ada@example.com',
    employeeNumber: '1815',
    telephoneNumber: '+44 20 7946 0001',
  }),
  human('alan', { cn: 'Alan Turing', sn: 'Turing', mail: 'alan@example.com', employeeNumber: '1912', manager: person('ada') }),
  human('grace', { cn: 'Grace Hopper', sn: 'Hopper', employeeNumber: '1906', authzTo: `dn.exact:${person('alan')}` }),
  ldif(`cn=pioneers,${groups}`, {
    objectClass: 'groupOfNames',
    cn: 'pioneers',
    member: [person('ada'), person('alan'), person('gone')],
    owner: person('grace'),
  }),
  unit(desk),
  unit(`ou=row,${desk}`),
  row,
  ldif(`cn=shortcut,${desk}`, { objectClass: ['alias', 'extensibleObject'], cn: 'shortcut', aliasedObjectName: person('ada') }),
  ldif(`ou=elsewhere,${desk}`, {
    objectClass: ['referral', 'extensibleObject'],
    ou: 'elsewhere',
    ref: 'ldap://elsewhere.example/ou=there,dc=elsewhere',
  }),
  ldif(`cn=policy,${desk}`, { objectClass: 'subentry', cn: 'policy', subtreeSpecification: '{ }' }),
  ...['asserted', 'read', 'permissive', 'relaxed', 'one', 'two', 'refreshed'].map((cn) =>
    ldif(`cn=${cn},${desk}`, { objectClass: 'device', cn, description: ['first', 'second'] }),
  ),
  // Larger than what the pipes between a tool and who reads it hold.
  `dn: cn=large,${desk}\nobjectClass: device\nobjectClass: extensibleObject\ncn: large\njpegPhoto:: ${large}\n\n`,
  ...['tree', 'forest'].flatMap((ou) => [
    unit(`ou=${ou},${desk}`),
    unit(`ou=branch,ou=${ou},${desk}`),
    ldif(`cn=leaf,ou=branch,ou=${ou},${desk}`, { objectClass: 'device', cn: 'leaf' }),
  ]),
].join('');

/** What Atrium needs so that SCRAM has verifiers; slapd reads passwords in clear. */
export const forAtrium: string = ldif(`cn=default,ou=passwordPolicies,${suffix}`, {
  objectClass: 'stsPasswordPolicy',
  cn: 'default',
  stsScramMechanism: ['SCRAM-SHA-256', 'SCRAM-SHA-1'],
});

/** What Atrium begins with, as far as it is compared. */
export const forSlapd: string = [
  ldif(suffix, { objectClass: ['organization', 'dcObject'], dc: 'example', o: 'Example' }),
  unit(people),
  unit(groups),
  ldif(person('admin'), { objectClass: 'inetOrgPerson', uid: 'admin', cn: 'admin', sn: 'admin' }),
].join('');
