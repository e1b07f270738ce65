import test from 'ava';
import { searchOf } from '../directory/driver.ts';
import { Client } from '../equality/client.ts';
import { withPrograms } from '../support/programs.ts';
import { type Beside, startBeside, suffix } from './beside-slapd.ts';

const slapdTest = withPrograms(test, 'ldapsearch', 'slapd');

const s = `ou=tree,${suffix}`;

const content = `dn: ${s}
objectClass: organizationalUnit
ou: tree

dn: ou=Sales,${s}
objectClass: organizationalUnit
ou: Sales
description: sells

dn: uid=ada,ou=Sales,${s}
objectClass: inetOrgPerson
objectClass: posixAccount
uid: ada
cn: Ada Lovelace
cn;lang-fr: Ada la Première
sn: Lovelace
givenName: Ada
mail: ada@example.com
telephoneNumber: +44 20 7946-0001
uidNumber: 1000
gidNumber: 100
homeDirectory: /home/ada
manager: uid=alan,${s}
employeeNumber: 7

dn: uid=alan,${s}
objectClass: inetOrgPerson
uid: alan
cn: Alan  Turing
sn: Turing
title: Dr
mail: Alan@Example.COM

dn: cn=box+serialNumber=9,${s}
objectClass: device
cn: box
serialNumber: 9

`;

let started: Promise<Beside> | undefined;
const serve = () => {
  started ??= startBeside(content);
  return started;
};
test.after.always(async () => (await started)?.[Symbol.asyncDispose]());

const portOf = (url: string) => Number(new URL(url.replace('ldap:', 'http:')).port);

async function clients() {
  const { atrium, slapdRoot } = await serve();
  const ours = await Client.open(portOf(atrium.addresses.ldap ?? ''), atrium.adminDn, atrium.adminPassword);
  const theirs = await Client.open(portOf(slapdRoot.url), slapdRoot.dn, slapdRoot.password);
  return { ours, theirs };
}

async function found(client: Client, filter: string) {
  const { result, entries } = await client.ask({ ...searchOf(s, filter), attributes: ['1.1'] });
  return { code: result.code, dns: entries.map(({ dn }) => dn.toLowerCase()).sort() };
}

/** Assertions that are true of some, false of all, and Undefined. */
const truths = ['(uid=ada)', '(uid=nobody)', '(noSuchType=x)', '(uidNumber=seven)', '(title=*)'];

/** Three-valued logic (RFC 4511 §4.5.1.7): every way to put two of them together. */
const logic = truths.flatMap((one) => [
  one,
  `(!${one})`,
  `(!(!${one}))`,
  ...truths.flatMap((other) => [`(&${one}${other})`, `(|${one}${other})`, `(!(&${one}${other}))`, `(!(|${one}${other}))`]),
]);

const filters: readonly string[] = [
  ...['(&)', '(|)', '(!(&))', '(!(|))', '(&(&)(|))', '(|(&)(|))', '(&(uid=ada)(&))', '(|(uid=ada)(|))'],
  ...[
    '(objectClass=*)',
    '(objectClass=person)',
    '(objectClass=TOP)',
    '(objectClass=2.5.6.6)',
    '(objectClass=nope)',
    '(!(objectClass=nope))',
  ],
  ...[
    '(ou:dn:=sales)',
    '(:dn:caseIgnoreMatch:=sales)',
    '(:dn:2.5.13.2:=SALES)',
    '(ou:dn:caseExactMatch:=sales)',
    '(ou:dn:caseExactMatch:=Sales)',
  ],
  ...['(ou:dn:=tree)', '(!(ou:dn:=sales))', '(serialNumber:dn:=9)', '(cn:dn:=box)', '(uid:dn:caseIgnoreMatch:=ada)', '(sn:dn:=ada)'],
  ...[
    '(cn:caseExactMatch:=Ada Lovelace)',
    '(cn:caseExactMatch:=ada lovelace)',
    '(cn:caseIgnoreMatch:=ADA  LOVELACE)',
    '(cn:=ada lovelace)',
  ],
  ...[
    '(cn:integerMatch:=7)',
    '(!(cn:integerMatch:=7))',
    '(cn:nope:=x)',
    '(!(cn:nope:=x))',
    '(cn:1.2.3:=x)',
    '(noSuchType:caseIgnoreMatch:=x)',
  ],
  ...['(:caseExactMatch:=Sales)', '(:caseExactMatch:=sales)', '(:integerMatch:=1000)', `(:distinguishedNameMatch:=uid=alan,${s})`],
  ...['(uidNumber:integerOrderingMatch:=2000)', '(uidNumber>=1000)', '(uidNumber<=999)', '(!(uidNumber<=999))'],
  ...['(uidNumber>=x)', '(!(uidNumber>=x))', '(cn>=b)', '(cn<=b)', '(sn>=lovelace)', '(telephoneNumber>=1)', '(!(telephoneNumber>=1))'],
  ...[
    '(cn=ada*)',
    '(cn=*la*)',
    '(cn=*turing)',
    '(cn=a*a*e)',
    '(cn=*)',
    '(cn;lang-fr=*)',
    '(cn;lang-fr=ada*)',
    '(cn;lang-de=*)',
    '(!(cn;lang-de=*))',
  ],
  ...[
    '(uidNumber=1*)',
    '(!(uidNumber=1*))',
    '(manager=uid=al*)',
    '(!(manager=uid=al*))',
    '(mail=ADA@*)',
    '(mail=*EXAMPLE*)',
    '(telephoneNumber=+44207946*)',
  ],
  ...[
    '(telephoneNumber=+442079460001)',
    '(telephoneNumber=+44-20-79460001)',
    '(uidNumber=1000)',
    '(uidNumber=01000)',
    '(!(uidNumber=01000))',
  ],
  ...[
    '(manager=UID=Alan, OU=tree,dc=example,dc=com)',
    '(manager=nonsense)',
    '(!(manager=nonsense))',
    `(manager=uid=,${s})`,
    `(!(manager=uid=,${s}))`,
  ],
  ...[
    '(name=*)',
    '(name=turing)',
    '(name=ada*)',
    '(2.5.4.3=alan turing)',
    '(commonName=alan turing)',
    '(surname=turing)',
    '(cn=alan turing)',
    '(cn=alanturing)',
  ],
  ...[
    '(cn~=alan turing)',
    '(uid~=ada)',
    '(noSuchType~=x)',
    '(!(noSuchType~=x))',
    '(uidNumber~=1000)',
    '(mail=alan@example.com)',
    '(employeeNumber=7)',
  ],
  ...[
    '(description=)',
    '(!(description=))',
    '(description>=)',
    '(!(description>=))',
    '(mail=)',
    '(!(mail=))',
    '(!(description= ))',
    '(!(sn:caseExactMatch:=))',
    '(cn=\\00)',
    '(mail=\\c3\\a4)',
    '(!(mail=\\c3\\a4))',
    '(cn=\\ff)',
    '(!(cn=\\ff))',
  ],
  ...logic,
];

slapdTest('RFC 4511 §4.5.1.7: each of these filters finds what slapd finds', async (t) => {
  const { ours, theirs } = await clients();
  using _ours = ours;
  using _theirs = theirs;
  for (const filter of filters) t.deepEqual(await found(ours, filter), await found(theirs, filter), filter);
});

slapdTest(
  'RFC 4517 §4.2.13: a substrings rule that is named is asked with a SubstringAssertion, which slapd does not evaluate',
  async (t) => {
    const { ours, theirs } = await clients();
    using _ours = ours;
    using _theirs = theirs;
    const filter = '(cn:caseIgnoreSubstringsMatch:=\\2alove\\2a)';
    t.deepEqual((await found(ours, filter)).dns, [`uid=ada,ou=sales,${s}`]);
    t.deepEqual((await found(theirs, filter)).dns, []);
  },
);
