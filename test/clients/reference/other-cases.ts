import { type Case, type Difference, words } from './case.ts';
import { desk, person } from './content.ts';

const exop = (of: Case['of'], title: string, ...args: readonly string[]): Case => ({ of, title, tool: 'ldapexop', args });
const whoAmI = (of: Case['of'], title: string, as: Case['as'], door: NonNullable<Case['door']> = 'ldap', ...args: string[]): Case => ({
  of,
  title,
  tool: 'ldapwhoami',
  args,
  door,
  ...(as !== undefined && { as }),
});
const unfit = Buffer.from([0x30, 0x03, 0x02, 0x01]).toString('base64');

const unmatched: Difference = { row: ['extended operations', 'noSuchObject (32) without a matched name'] };

const passwords: readonly Case[] = [
  {
    of: 'Password Modify',
    title: 'one’s own, the old one checked',
    tool: 'ldappasswd',
    as: 'alan',
    args: ['-a', 'Secret 1 of alan', '-s', 'Secret 2 of alan'],
  },
  whoAmI('Password Modify', 'the new one binds', { dn: person('alan'), password: 'Secret 2 of alan' }),
  { ...whoAmI('Password Modify', 'the old one does not', 'alan'), differs: words },
  { of: 'Password Modify', title: 'a wrong old one', tool: 'ldappasswd', as: 'ada', args: ['-a', 'x', '-s', 'new'] },
  { of: 'Password Modify', title: 'generated', tool: 'ldappasswd', args: [person('alan')] },
  {
    of: 'Password Modify',
    title: 'of somebody, by the administrator',
    tool: 'ldappasswd',
    args: ['-s', 'Secret 3 of alan', person('alan')],
  },
  {
    of: 'Password Modify',
    title: 'of somebody, by another',
    tool: 'ldappasswd',
    as: 'ada',
    args: ['-s', 'x', person('alan')],
    differs: words,
  },
  { of: 'Password Modify', title: 'as nobody', tool: 'ldappasswd', as: 'nobody', args: ['-s', 'x', person('alan')] },
  { of: 'Password Modify', title: 'of nobody', tool: 'ldappasswd', args: ['-s', 'x', person('none')], differs: unmatched },
  { ...exop('Password Modify', 'a value that cannot be read', `1.3.6.1.4.1.4203.1.11.1::${unfit}`), differs: words },
];

const dynamic = `dn: cn=dynamic,${desk}\nobjectClass: device\nobjectClass: dynamicObject\ncn: dynamic\n`;
const extended: readonly Case[] = [
  whoAmI('WhoAmI', 'as somebody', 'ada'),
  whoAmI('WhoAmI', 'as nobody', 'nobody'),
  exop('WhoAmI', 'by ldapexop', 'whoami'),
  exop('WhoAmI', 'with a value', '1.3.6.1.4.1.4203.1.11.3:x'),
  { ...exop('Cancel', 'of what is not there', 'cancel', '77'), differs: words },
  { ...exop('Cancel', 'a value that cannot be read', `1.3.6.1.1.8::${unfit}`), differs: words },
  { ...exop('unknown request', 'an OID that nobody knows', '1.2.3.4.5'), differs: words },
  { ...exop('unknown request', 'the same with a value', '1.2.3.4.5:x'), differs: words },
  whoAmI('StartTLS', 'on the plain port', 'ada', 'StartTLS'),
  whoAmI('StartTLS', 'on the port of TLS', 'ada', 'ldaps', '-ZZ'),
  {
    ...whoAmI('StartTLS', 'on the socket', 'ada', 'ldapi', '-ZZ'),
    differs: { row: ['StartTLS', 'offered on the socket'], codes: { atrium: 2, slapd: 1 } },
  },
  exop('StartTLS', 'with a value', '1.3.6.1.4.1.1466.20037:x'),
  { of: 'dynamic refresh', title: 'a dynamic entry is added', tool: 'ldapadd', input: dynamic },
  exop('dynamic refresh', 'it gets more time', 'refresh', `cn=dynamic,${desk}`, '1200'),
  exop('dynamic refresh', 'of what is not dynamic', 'refresh', `cn=refreshed,${desk}`, '1200'),
  { ...exop('dynamic refresh', 'of nothing', 'refresh', `cn=none,${desk}`, '1200'), differs: unmatched },
  { ...exop('dynamic refresh', 'a value that cannot be read', `1.3.6.1.4.1.1466.101.119.1::${unfit}`), differs: words },
  exop('transactions', 'an end that cannot be read', `1.3.6.1.1.21.3::${unfit}`),
  exop('transactions', 'a start with a value', '1.3.6.1.1.21.1:x'),
  { ...exop('criticality', 'of an extended operation', '-e', '!assert=(cn=x)', 'whoami'), differs: words },
];

const password = 'Secret 1 of ada';
const absent: Difference = { row: ['SASL', 'somebody who is not there is told so'], codes: { atrium: 49, slapd: 80 } };
const leftOut: Difference = { row: ['SASL', 'DIGEST-MD5, CRAM-MD5'], codes: { atrium: 7, slapd: 0 } };
const byName = (['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-1'] as const).flatMap((mechanism): Case[] => [
  whoAmI(mechanism, 'over ldaps', { mechanism, authcId: 'ada', password }, 'ldaps'),
  whoAmI(mechanism, 'after StartTLS', { mechanism, authcId: 'ada', password }, 'StartTLS'),
  { ...whoAmI(mechanism, 'a wrong password', { mechanism, authcId: 'ada', password: 'x' }, 'ldaps'), differs: words },
  { ...whoAmI(mechanism, 'somebody who is not there', { mechanism, authcId: 'none', password }, 'ldaps'), differs: absent },
  whoAmI('authzId', `oneself, by ${mechanism}`, { mechanism, authcId: 'ada', password, authzId: 'u:ada' }, 'ldaps'),
  whoAmI(
    'authzId',
    `by authzTo, by ${mechanism}`,
    { mechanism, authcId: 'grace', password: 'Secret 1 of grace', authzId: 'u:alan' },
    'ldaps',
  ),
  {
    ...whoAmI('authzId', `without the right, by ${mechanism}`, { mechanism, authcId: 'ada', password, authzId: 'u:alan' }, 'ldaps'),
    differs: words,
  },
]);

const mechanisms: readonly Case[] = [
  ...byName,
  whoAmI('PLAIN', 'in the clear', { mechanism: 'PLAIN', authcId: 'ada', password }),
  whoAmI('EXTERNAL', 'a certificate over ldaps', { external: true, certificate: true }, 'ldaps'),
  whoAmI('EXTERNAL', 'a certificate after StartTLS', { external: true, certificate: true }, 'StartTLS'),
  whoAmI('EXTERNAL', 'no certificate', { external: true }, 'ldaps'),
  {
    ...whoAmI('EXTERNAL', 'the operators’ socket', { external: true }, 'ldapi'),
    differs: { row: ['SASL', 'EXTERNAL on the socket gives the name'] },
  },
  whoAmI('authzId', 'by the operators’ socket', { external: true, authzId: 'u:ada' }, 'ldapi'),
  {
    ...whoAmI('authzId', 'somebody who is not there', { external: true, authzId: 'u:none' }, 'ldapi'),
    differs: { row: ['authorization', 'who may act as anybody'], codes: { atrium: 50, slapd: 0 } },
  },
  ...(['DIGEST-MD5', 'CRAM-MD5'] as const).map((mechanism) => ({
    ...whoAmI(mechanism, 'is left out', { mechanism, authcId: 'ada', password }, 'ldaps'),
    differs: leftOut,
  })),
];

export const otherCases: readonly Case[] = [...passwords, ...extended, ...mechanisms];
