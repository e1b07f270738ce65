import { type Case, type Difference, words } from './case.ts';
import { desk, people, person } from './content.ts';

const at = (cn: string) => `cn=${cn},${desk}`;
const modify = (dn: string, ...changes: readonly string[]) => `dn: ${dn}\nchangetype: modify\n${changes.join('-\n')}`;
const change = (how: 'add' | 'delete' | 'replace' | 'increment', name: string, ...values: readonly string[]) =>
  `${how}: ${name}\n${values.map((value) => `${name}: ${value}\n`).join('')}`;
const add = (cn: string, ...lines: readonly string[]) =>
  `dn: ${at(cn)}\nchangetype: add\nobjectClass: device\ncn: ${cn}\n${lines.map((line) => `${line}\n`).join('')}\n`;
/** A change record that carries a control. */
const controlled = (record: string, control: string) => record.replace('\n', `\ncontrol: ${control}\n`);
const write = (of: Case['of'], title: string, input: string, ...args: readonly string[]): Case => ({
  of,
  title,
  tool: 'ldapmodify',
  args,
  input,
});
const look = (of: Case['of'], dn: string, ...names: readonly string[]): Case => ({
  of,
  title: `what is there then: ${dn.split(',')[0]}`,
  tool: 'ldapsearch',
  args: ['-b', dn, ...names],
});

const describe = (value: string) => modify(at('asserted'), change('replace', 'description', value));
const asserted: readonly Case[] = [
  write('assertion', 'of a modify, true', describe('by assertion'), '-e', '!assert=(description=second)'),
  write('assertion', 'of a modify, false', describe('not at all'), '-e', '!assert=(description=second)'),
  write(
    'assertion',
    'of a rename, false',
    `dn: ${at('asserted')}\nchangetype: modrdn\nnewrdn: cn=other\ndeleteoldrdn: 1\n`,
    '-e',
    '!assert=(cn=x)',
  ),
  write('assertion', 'of a delete, false', `dn: ${at('asserted')}\nchangetype: delete\n`, '-e', '!assert=(cn=x)'),
  write('assertion', 'of an add, which it is not true of', add('new'), '-e', '!assert=(cn=other)'),
  look('assertion', at('asserted'), 'description'),
];

const read: readonly Case[] = [
  write('pre-read', 'of a modify', modify(at('read'), change('add', 'description', 'third')), '-e', '!preread=description,cn'),
  write('post-read', 'of a modify', modify(at('read'), change('add', 'description', 'fourth')), '-e', '!postread=description'),
  write(
    'post-read',
    'both, of a rename',
    `dn: ${at('read')}\nchangetype: modrdn\nnewrdn: cn=reread\ndeleteoldrdn: 1\n`,
    '-e',
    'preread=cn',
    '-e',
    'postread=cn',
  ),
  write('post-read', 'of an add', add('written', 'serialNumber: 1'), '-e', '!postread=*'),
  write('pre-read', 'of a delete', `dn: ${at('written')}\nchangetype: delete\n`, '-e', '!preread=cn,serialNumber'),
  { ...write('pre-read', 'of an add, critical', add('written'), '-e', '!preread=cn'), differs: words },
  { ...write('post-read', 'of a delete, critical', `dn: ${at('written')}\nchangetype: delete\n`, '-e', '!postread=cn'), differs: words },
  write('post-read', 'of a modify that is refused', modify(at('reread'), change('add', 'nothing', 'x')), '-e', '!postread=cn'),
];

const permissive = '1.2.840.113556.1.4.1413 true';
const permit = (title: string, ...changes: readonly string[]): Case =>
  write('permissive modify', title, controlled(modify(at('permissive'), ...changes), permissive));
const permissiveCases: readonly Case[] = [
  write(
    'permissive modify',
    'without it a value that is there is refused',
    modify(at('permissive'), change('add', 'description', 'first')),
  ),
  permit('a value that is there', change('add', 'description', 'first', 'third')),
  {
    ...permit('a value that is not there', change('delete', 'description', 'none')),
    differs: { row: ['permissive modify', 'a value to delete that is not among others'], codes: { atrium: 0, slapd: 16 } },
  },
  permit('an attribute that is not there', change('delete', 'serialNumber')),
  permit('a type that nobody knows', change('add', 'nothing', 'x')),
  look('permissive modify', at('permissive'), 'description'),
  {
    ...write(
      'permissive modify',
      'with a value',
      controlled(modify(at('permissive'), change('add', 'description', 'first')), `${permissive}: x`),
    ),
    differs: words,
  },
];

const relaxed: readonly Case[] = [
  write(
    'relax',
    'without it what the server keeps is refused',
    modify(at('relaxed'), change('replace', 'createTimestamp', '20010101000000Z')),
  ),
  write(
    'relax',
    'sets what the server keeps',
    modify(at('relaxed'), change('replace', 'createTimestamp', '20010101000000Z')),
    '-e',
    '!relax',
  ),
  {
    ...write('relax', 'by a person', modify(person('ada'), change('replace', 'createTimestamp', '20010101000000Z')), '-e', '!relax'),
    as: 'ada',
    differs: words,
  },
  look('relax', at('relaxed'), 'createTimestamp'),
];

const remove = (dn: string) => `dn: ${dn}\nchangetype: delete\n`;
const notOffered = (atrium: number, slapd: number): Difference => ({
  row: ['tree delete', '`1.2.840.113556.1.4.805` is not offered'],
  codes: { atrium, slapd },
});
const trees: readonly Case[] = [
  { of: 'tree delete', title: 'an entry that others are below', tool: 'ldapdelete', args: [`ou=tree,${desk}`] },
  { of: 'tree delete', title: 'by ldapdelete -r, one after the other', tool: 'ldapdelete', args: ['-r', `ou=tree,${desk}`] },
  {
    ...write('tree delete', 'by the control', controlled(remove(`ou=forest,${desk}`), '1.2.840.113556.1.4.805 true')),
    differs: notOffered(0, 12),
  },
  {
    ...look('tree delete', `ou=forest,${desk}`, 'ou', 'cn'),
    differs: notOffered(32, 0),
  },
  {
    ...write('tree delete', 'by a person', controlled(remove(people), '1.2.840.113556.1.4.805 true')),
    as: 'ada',
    differs: notOffered(50, 12),
  },
];

const both = `${modify(at('one'), change('replace', 'description', 'in a transaction'))}\n${modify(at('two'), change('replace', 'description', 'in a transaction'))}`;
const transactions: readonly Case[] = [
  write('transactions', 'aborted', both, '-E', '!txn=abort'),
  look('transactions', at('one'), 'description'),
  write('transactions', 'committed', both, '-E', '!txn=commit'),
  look('transactions', at('two'), 'description'),
  write(
    'transactions',
    'one of them is refused',
    `${both}\n${modify(at('none'), change('replace', 'description', 'x'))}`,
    '-E',
    '!txn=commit',
  ),
  {
    ...write(
      'transactions',
      'a change outside of any',
      controlled(modify(at('one'), change('replace', 'description', 'x')), '1.3.6.1.1.21.2 true: none'),
    ),
    differs: { row: ['transactions', 'identifiers are empty'], codes: { atrium: 53, slapd: 16673 } },
  },
];

const others: readonly Case[] = [
  write('ManageDsaIT', 'a referral is changed', modify(`ou=elsewhere,${desk}`, change('add', 'description', 'x')), '-MM'),
  write('ManageDsaIT', 'without it it refers', modify(`ou=elsewhere,${desk}`, change('add', 'description', 'y'))),
  {
    ...write(
      'proxied authorization',
      'a change as somebody without the right',
      modify(person('alan'), change('replace', 'title', 'x')),
      '-e',
      '!authzid=u:ada',
    ),
    differs: words,
  },
  write('session tracking', 'of a change', modify(at('one'), change('replace', 'description', 'tracked')), '-e', 'sessiontracking=ada'),
  {
    ...write(
      'criticality',
      'a control that nobody knows',
      controlled(modify(at('one'), change('replace', 'description', 'x')), '1.2.3.4.5 true'),
    ),
    differs: words,
  },
  write('criticality', 'the same, not critical', controlled(modify(at('one'), change('replace', 'description', 'x')), '1.2.3.4.5 false')),
  {
    ...write(
      'criticality',
      'a control of searches',
      controlled(modify(at('one'), change('replace', 'description', 'x')), '1.2.840.113556.1.4.319 true'),
    ),
    differs: words,
  },
  { ...write('criticality', 'of a delete', controlled(remove(at('one')), '1.3.6.1.1.13.2 true')), differs: words },
  { of: 'criticality', title: 'of a rename', tool: 'ldapmodrdn', args: ['-e', '!relax', '-E', '!1.2.3.4.5', at('one'), 'cn=1'] },
  { of: 'session tracking', title: 'of a delete', tool: 'ldapdelete', args: ['-e', 'sessiontracking=ada', `uid=none,${people}`] },
];

export const writeCases: readonly Case[] = [asserted, read, permissiveCases, relaxed, trees, transactions, others].flat();
