// As lldap answers `ldapsearch -LLL`: no entry above those of people and groups, names of attributes as it has them, no password.
const person = (uid: string, ...more: string[]) => `dn: uid=${uid},ou=people,dc=home,dc=arpa
objectclass: inetOrgPerson
objectclass: posixAccount
objectclass: mailAccount
objectclass: person
uid: ${uid}
mail: ${uid}@home.arpa
${more.map((line) => `${line}\n`).join('')}createtimestamp: 20240101120000Z
entryuuid: 0b0c9ea2-7f2a-3a6b-9a43-${uid
  .padEnd(12, '0')
  .replaceAll(/[^0-9a-f]/g, '1')
  .slice(0, 12)}
`;
const group = (cn: string, ...members: string[]) => `dn: cn=${cn},ou=groups,dc=home,dc=arpa
objectclass: groupOfUniqueNames
objectclass: groupOfNames
cn: ${cn}
uid: ${cn}
${members.map((uid) => `member: uid=${uid},ou=people,dc=home,dc=arpa\n`).join('')}${members.map((uid) => `uniquemember: uid=${uid},ou=people,dc=home,dc=arpa\n`).join('')}entryuuid: 1b0c9ea2-7f2a-3a6b-9a43-${cn
  .padEnd(12, '0')
  .replaceAll(/[^0-9a-f]/g, '1')
  .slice(0, 12)}
`;
/** What ldapsearch shows of an lldap with three people and three groups. */
export const lldapTree = [
  person('admin', 'cn: Administrator'),
  person('bob', 'givenname: Bob', 'first_name: Bob', 'avatar:: /9j/4AAB', 'sn: Builder', 'cn: Bob Builder', 'favouritecolour: blue'),
  person('ann'),
  group('lldap_admin', 'admin', 'bob'),
  group('family', 'bob', 'ann'),
  group('nobody'),
].join('\n');
