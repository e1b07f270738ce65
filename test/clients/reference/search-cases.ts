import { type Case, type Difference, words } from './case.ts';
import { desk, groups, people, person, suffix } from './content.ts';

const row = ['-b', `ou=row,${desk}`];
const devices = [...row, '-E'];
const only = ['(cn=row*)', 'cn', 'serialNumber'];
const search = (of: Case['of'], title: string, ...args: readonly string[]): Case => ({ of, title, tool: 'ldapsearch', args });
const unfit = Buffer.from([0x30, 0x03, 0x02, 0x01]).toString('base64');

const paged: readonly Case[] = [
  search('paged results', 'pages of three', ...devices, '!pr=3/noprompt', ...only),
  search('paged results', 'one page that holds all', ...devices, 'pr=100/noprompt', ...only),
  { ...search('paged results', 'a size limit within the pages', ...devices, '!pr=3/noprompt', '-z', '7', ...only), differs: words },
  {
    ...search(
      'paged results',
      'the limit of a person within the pages',
      '-b',
      people,
      '-E',
      '!pr=1/noprompt',
      '(|(uid=ada)(uid=alan)(uid=grace))',
      'uid',
    ),
    as: 'ada',
    differs: words,
  },
  search('paged results', 'pages of what is sorted', ...devices, '!pr=4/noprompt', '-E', 'sss=serialNumber:2.5.13.3', ...only),
  { ...search('paged results', 'a value that cannot be read', ...devices, `!1.2.840.113556.1.4.319=::${unfit}`, ...only), differs: words },
];

const unsortable = ['sorting', 'what cannot be sorted is refused'] as const;
const sorted: readonly Case[] = [
  search('sorting', 'by a named rule', ...devices, 'sss=serialNumber:caseIgnoreOrderingMatch', ...only),
  search('sorting', 'by a rule’s OID, in reverse', ...devices, '!sss=-serialNumber:2.5.13.3', ...only),
  search(
    'sorting',
    'by two keys, one of them missing in places',
    ...devices,
    'sss=l:caseIgnoreOrderingMatch/-serialNumber:2.5.13.3',
    ...only,
  ),
  {
    ...search('sorting', 'by a type that no schema defines', ...devices, 'sss=nothing', ...only),
    differs: { row: unsortable, codes: { atrium: 0, slapd: 16 } },
  },
  {
    ...search('sorting', 'by a type that no schema defines, critical', ...devices, '!sss=nothing', ...only),
    differs: { row: unsortable, codes: { atrium: 12, slapd: 16 } },
  },
  { ...search('sorting', 'a value that cannot be read', ...devices, `!1.2.840.113556.1.4.473=::${unfit}`, ...only), differs: words },
];

const order = ['-E', '!sss=serialNumber:2.5.13.3'];
const views: readonly Case[] = [
  { ...search('virtual list view', 'by offset', ...devices, 'vlv=1/1/5/10', ...order, ...only), input: 'x\n' },
  { ...search('virtual list view', 'by a value', ...devices, 'vlv=1/1:4', ...order, ...only), input: 'x\n' },
  search('virtual list view', 'without an order', ...devices, '!vlv=1/1/5/10', ...only),
  {
    ...search('virtual list view', 'an offset behind the end', ...devices, 'vlv=0/0/99/0', ...order, ...only),
    differs: { row: ['list views', 'offsets out of range'] },
  },
];

/** slapd takes a filter in a control that it cannot read for a message that it cannot read. */
const cutOff: Difference = { row: ['assertion and matched values', 'a filter that cannot be read ends the connection'] };

const matched: readonly Case[] = [
  search('matched values', 'one of several', '-b', person('ada'), '-E', '!mv=(cn=*King)', 'cn', 'sn'),
  search(
    'matched values',
    'several filters, one extensible',
    '-b',
    person('ada'),
    '-E',
    'mv=((cn:caseExactMatch:=Ada King)(sn=L*))',
    'cn',
    'sn',
  ),
  {
    ...search('matched values', 'a value that cannot be read', '-b', person('ada'), '-E', `!1.2.826.0.1.3344810.2.3=::${unfit}`, 'cn'),
    differs: cutOff,
  },
];

const dereferenced: readonly Case[] = [
  search('dereference', 'members', '-b', groups, '-E', 'deref=member:uid,sn', '(cn=pioneers)', 'cn'),
  search('dereference', 'two attributes of names, critical', '-b', groups, '-E', '!deref=member:uid;owner:sn', '(cn=pioneers)', 'cn'),
  {
    ...search('dereference', 'what one may not read', '-b', groups, '-E', 'deref=member:employeeNumber', '(cn=pioneers)', 'cn'),
    as: 'alan',
  },
  { ...search('dereference', 'what is no name', '-b', groups, '-E', '!deref=cn:uid', '(cn=pioneers)', 'cn'), differs: words },
];

const special: readonly Case[] = [
  search('ManageDsaIT', 'without it a referral refers', '-b', `ou=elsewhere,${desk}`, 'ref'),
  search('ManageDsaIT', 'a referral as an entry', '-MM', '-b', `ou=elsewhere,${desk}`, 'ref'),
  search('ManageDsaIT', 'continuation references', '-b', desk, '-s', 'one', '(ou=elsewhere)', 'ref'),
  search('ManageDsaIT', 'no continuation references', '-M', '-b', desk, '-s', 'one', '(ou=elsewhere)', 'ref'),
  {
    ...search('ManageDsaIT', 'a value that it does not have', '-b', desk, '-s', 'base', '-E', '!2.16.840.1.113730.3.4.2=:x', 'ou'),
    differs: words,
  },
  search('subentries', 'only they', '-b', desk, '-E', '!subentries=true', 'cn'),
  search('subentries', 'all but they', '-b', desk, '-s', 'one', '-E', 'subentries=false', '(cn=policy)', 'cn'),
  search('subentries', 'without the control', '-b', desk, '-s', 'one', '(cn=policy)', 'cn'),
  { ...search('subentries', 'a value that cannot be read', '-b', desk, '-E', '!1.3.6.1.4.1.4203.1.10.1=:x', 'cn'), differs: words },
  search('dontUseCopy', 'of a search', '-b', person('ada'), '-E', '!dontUseCopy', 'cn'),
  {
    ...search('dontUseCopy', 'not critical', '-b', person('ada'), '-E', '1.3.6.1.1.22', 'cn'),
    differs: { row: ['dontUseCopy', 'one that is not critical is taken'], codes: { atrium: 2, slapd: 0 } },
  },
];

const who = ['-b', person('ada'), '-s', 'base'];
const common: readonly Case[] = [
  search('assertion', 'of a search, true', '-e', '!assert=(sn=Lovelace)', ...who, 'cn'),
  search('assertion', 'of a search, false', '-e', '!assert=(sn=Turing)', ...who, 'cn'),
  {
    of: 'assertion',
    title: 'of a comparison, true',
    tool: 'ldapcompare',
    args: ['-e', '!assert=(cn=Ada King)', person('ada'), 'sn:Lovelace'],
  },
  { of: 'assertion', title: 'of a comparison, false', tool: 'ldapcompare', args: ['-e', '!assert=(cn=x)', person('ada'), 'sn:Lovelace'] },
  { ...search('assertion', 'a value that cannot be read', '-E', `!1.3.6.1.1.12=::${unfit}`, ...who, 'cn'), differs: cutOff },
  search(
    'proxied authorization',
    'as somebody',
    '-e',
    `!authzid=dn:${person('ada')}`,
    '-b',
    people,
    '(|(uid=ada)(uid=alan))',
    'employeeNumber',
  ),
  { of: 'proxied authorization', title: 'as somebody by uid', tool: 'ldapwhoami', args: ['-e', '!authzid=u:ada'] },
  { of: 'proxied authorization', title: 'as nobody', tool: 'ldapwhoami', args: ['-e', '!authzid='] },
  { of: 'proxied authorization', title: 'by authzTo', tool: 'ldapwhoami', as: 'grace', args: ['-e', '!authzid=u:alan'] },
  { ...search('proxied authorization', 'without the right', '-e', '!authzid=u:alan', ...who, 'cn'), as: 'ada', differs: words },
  { ...search('proxied authorization', 'not critical', '-e', 'authzid=u:ada', ...who, 'cn') },
  search('session tracking', 'of a search', '-e', 'sessiontracking=ada', ...who, 'cn'),
  {
    ...search('session tracking', 'a value that cannot be read', '-E', `!1.3.6.1.4.1.21008.108.63.1=::${unfit}`, ...who, 'cn'),
    differs: words,
  },
  { ...search('criticality', 'a control that nobody knows', '-E', '!1.2.3.4.5', ...who, 'cn'), differs: words },
  search('criticality', 'the same, not critical', '-E', '1.2.3.4.5', ...who, 'cn'),
  { ...search('criticality', 'a control of another operation', '-e', '!preread=cn', ...who, 'cn'), differs: words },
  search('criticality', 'the same, not critical', '-e', 'preread=cn', ...who, 'cn'),
  {
    of: 'criticality',
    title: 'of a comparison',
    tool: 'ldapcompare',
    args: ['-e', '!relax', person('ada'), 'sn:Lovelace'],
    differs: words,
  },
];

const atEnd = 'refresh done, switching to persist stage';
const described = (cn: string, value: string) => `dn: cn=${cn},${desk}\nchangetype: modify\nadd: description\ndescription: ${value}\n`;

const presentPhase: Difference = { row: ['content synchronisation', 'the first refresh ends as one that names deletes'] };

const lasting: readonly Case[] = [
  { ...search('content synchronisation', 'refresh only', ...row, '-E', '!sync=ro', ...only), differs: presentPhase },
  search('content synchronisation', 'refresh only of what is not there', '-b', `ou=none,${desk}`, '-E', '!sync=ro', 'cn'),
  {
    ...search('content synchronisation', 'a cookie that cannot be read', ...row, '-E', '!sync=ro/rubbish', ...only),
    differs: { row: ['content synchronisation', 'a cookie that it never gave'], codes: { atrium: 2, slapd: 0 } },
  },
  {
    ...search('content synchronisation', 'a value that cannot be read', ...devices, `!1.3.6.1.4.1.4203.1.9.1.1=::${unfit}`, ...only),
    differs: words,
  },
  {
    ...search(
      'content synchronisation',
      'refresh and persist, with a change',
      '-b',
      desk,
      '-E',
      '!sync=rp',
      '(|(cn=one)(cn=two))',
      'cn',
      'description',
    ),
    differs: presentPhase,
    lasts: {
      until: atEnd,
      meanwhile: ['ldapmodify', [], described('two', 'changed while somebody listens')],
      and: 'description: changed while',
    },
  },
  {
    ...search('content synchronisation', 'refresh and persist, with a delete', '-b', desk, '-E', '!sync=rp', '(cn=ephemeral)', 'cn'),
    differs: presentPhase,
    lasts: {
      until: atEnd,
      meanwhile: [
        'ldapmodify',
        [],
        `dn: cn=ephemeral,${desk}\nchangetype: add\nobjectClass: device\ncn: ephemeral\n\ndn: cn=ephemeral,${desk}\nchangetype: delete\n`,
      ],
      and: 'deleted',
    },
  },
  {
    ...search('persistent search', 'with a change', '-b', desk, '-E', '!ps=4/0/1', '(cn=two)', 'cn'),
    lasts: { until: 'cn: two', meanwhile: ['ldapmodify', [], described('two', 'changed again')], and: 'persistentSearch: modify' },
    differs: { row: ['persistent search', 'none'], codes: { atrium: 0, slapd: 12 } },
  },
  {
    ...search('persistent search', 'a value that cannot be read', '-b', desk, '-E', `!2.16.840.1.113730.3.4.3=::${unfit}`, 'cn'),
    differs: { row: ['persistent search', 'none'], codes: { atrium: 2, slapd: 12 } },
  },
  ...(['cancel', 'abandon'] as const).map(
    (word): Case => ({
      ...search('Cancel', `${word} of a search that goes on`, '-e', word, '-b', `cn=large,${desk}`, '-E', '!sync=rp', 'jpegPhoto'),
      lasts: { until: 'jpegPhoto::', meanwhile: 'interrupt' },
    }),
  ),
];

export const searchCases: readonly Case[] = [
  ...[paged, sorted, views, matched, dereferenced, special, common].flat(),
  ...lasting,
  { ...search('criticality', 'of the root DSE', '-b', '', '-s', 'base', '-E', '!1.2.3.4.5', 'objectClass'), differs: words },
  { ...search('criticality', 'of the schema', '-b', 'cn=Subschema', '-s', 'base', '-E', '!1.2.3.4.5', 'cn'), differs: words },
  search('ManageDsaIT', 'of the suffix', '-MM', '-b', suffix, '-s', 'base', 'dc'),
];
