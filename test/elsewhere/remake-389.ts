// Makes test/fixtures/elsewhere/db2ldif.ldif and its schema anew, with Debian's 389 Directory Server: apt-get install --no-install-recommends 389-ds-base
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backend, exportFrom389 } from './ns-slapd.ts';

const folder = join(import.meta.dirname, '../fixtures/elsewhere');
const suffix = 'dc=old,dc=example';
const people = `ou=people,${suffix}`;
const crypt = execFileSync('openssl', ['passwd', '-6', 'crypt horse'], { encoding: 'utf8' }).trim();

const schema = `dn: cn=schema
changetype: modify
add: attributeTypes
attributeTypes: ( 1.3.6.1.4.1.99999.1.1 NAME 'exampleBadge' DESC 'badge' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE X-ORIGIN 'user defined' )
-
add: objectClasses
objectClasses: ( 1.3.6.1.4.1.99999.2.1 NAME 'exampleBadgeHolder' SUP top AUXILIARY MAY exampleBadge X-ORIGIN 'user defined' )
`;

const policy = `dn: cn=config
changetype: modify
replace: passwordLockout
passwordLockout: on
-
replace: passwordMaxFailure
passwordMaxFailure: 2
-
replace: passwordHistory
passwordHistory: on
-
replace: nsslapd-pwpolicy-local
nsslapd-pwpolicy-local: on
`;

const tree = `dn: ${suffix}
objectClass: top
objectClass: domain
dc: old
aci: (targetattr="*")(version 3.0; acl "anyone reads"; allow (read, search, compare) userdn="ldap:///anyone";)

dn: ${people}
objectClass: top
objectClass: organizationalUnit
ou: people
aci: (targetattr="telephoneNumber")(version 3.0; acl "self"; allow (write) userdn="ldap:///self";)

dn: ou=groups,${suffix}
objectClass: top
objectClass: organizationalUnit
ou: groups

dn: uid=ada,${people}
objectClass: top
objectClass: person
objectClass: organizationalPerson
objectClass: inetOrgPerson
objectClass: exampleBadgeHolder
uid: ada
cn: Ada Lovelace
cn;lang-fr: Ada la Comtesse
sn: Lovelace
mail: ada@old.example
exampleBadge: B-1815
userPassword: ada horse

dn: uid=carl,${people}
objectClass: top
objectClass: nsPerson
objectClass: nsAccount
objectClass: nsOrgPerson
objectClass: posixAccount
uid: carl
cn: Carl
displayName: Carl Gauss
legalName: Johann Carl Friedrich
uidNumber: 1001
gidNumber: 1001
homeDirectory: /home/carl
userPassword: {CRYPT}${crypt}

dn: uid=emmy,${people}
objectClass: top
objectClass: person
objectClass: inetOrgPerson
uid: emmy
cn: Emmy
sn: Noether
nsAccountLock: true
userPassword: emmy horse

dn: uid=max,${people}
objectClass: top
objectClass: person
objectClass: inetOrgPerson
uid: max
cn: Max
sn: Planck
userPassword: max horse

dn: cn=staff,ou=groups,${suffix}
objectClass: top
objectClass: groupOfNames
objectClass: posixGroup
cn: staff
gidNumber: 2001
member: uid=ada,${people}
member: uid=carl,${people}

dn: cn=empty,ou=groups,${suffix}
objectClass: top
objectClass: groupOfNames
cn: empty

dn: cn=clerks,${suffix}
objectClass: top
objectClass: ldapSubEntry
objectClass: nsRoleDefinition
objectClass: nsSimpleRoleDefinition
objectClass: nsManagedRoleDefinition
cn: clerks

dn: cn=postal,${suffix}
objectClass: top
objectClass: ldapSubEntry
objectClass: cosSuperDefinition
objectClass: cosPointerDefinition
cn: postal
cosTemplateDn: cn=template,${suffix}
cosAttribute: postalCode

dn: cn=template,${suffix}
objectClass: top
objectClass: costemplate
objectClass: extensibleObject
cn: template
postalCode: 12345

dn: uid=ada,${people}
changetype: modify
add: nsRoleDN
nsRoleDN: cn=clerks,${suffix}

dn: uid=max,${people}
changetype: modify
replace: userPassword
userPassword: new max horse
`;

const local = `dn: cn=nsPwPolicyContainer,${people}
objectClass: top
objectClass: nsContainer
cn: nsPwPolicyContainer

dn: cn=cn\\3DnsPwPolicyEntry\\2C${people.replaceAll(',', '\\2C').replaceAll('=', '\\3D')},cn=nsPwPolicyContainer,${people}
objectClass: top
objectClass: ldapsubentry
objectClass: passwordpolicy
cn: cn=nsPwPolicyEntry,${people}
passwordMinLength: 6
`;

const { tree: made, schema: own } = await exportFrom389([
  backend,
  schema,
  policy,
  tree,
  local,
  { wrongFor: `uid=max,${people}` },
  { wrongFor: `uid=max,${people}` },
]);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'db2ldif.ldif'), made);
writeFileSync(join(folder, '99user.ldif'), own);
process.stdout.write(`${made.split('\n').length} lines written to ${folder}\n`);
