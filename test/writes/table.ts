import { utf8 } from '#base';
import { type Control, encodeBer, type Filter, type LdifContent, type Modification, type Request } from '#ldap';
import { suffix } from './servers.ts';

/** One request, as both servers get it. */
export interface Row {
  readonly title: string;
  readonly op: Request;
  readonly controls?: readonly Control[];
  /** Where Atrium answers otherwise: its code, and why. */
  readonly differs?: { readonly code?: number; readonly matchedDN?: string; readonly why: string };
  /** The words are Atrium's own, too. */
  readonly ownWords?: true;
}

export const people = `ou=people,${suffix}`;
export const admin = `uid=admin,${people}`;
const branch = `ou=branch,${suffix}`;
export const person = (uid: string) => `uid=${uid},${people}`;
const inetOrgPerson = ['top', 'person', 'organizationalPerson', 'inetOrgPerson'];

type Attributes = Readonly<Record<string, string | readonly string[]>>;

function entry(dn: string, attributes: Attributes): LdifContent {
  return { kind: 'content', line: 0, dn, attributes: given(attributes) };
}

function given(attributes: Attributes) {
  return Object.entries(attributes).map(([description, values]) => ({ description, values: [values].flat().map(utf8) }));
}

/** What both have before the first request. */
export const content: readonly LdifContent[] = [
  entry(suffix, { objectClass: ['top', 'dcObject', 'organization'], dc: 'example', o: 'Example' }),
  entry(people, { objectClass: 'organizationalUnit', ou: 'people' }),
  entry(`ou=groups,${suffix}`, { objectClass: 'organizationalUnit', ou: 'groups' }),
  entry(branch, { objectClass: 'organizationalUnit', ou: 'branch' }),
  entry(`ou=twig,${branch}`, { objectClass: 'organizationalUnit', ou: 'twig' }),
  entry(`cn=Leaf One,ou=twig,${branch}`, { objectClass: 'device', cn: 'Leaf One' }),
  entry(`cn=leaf+serialNumber=7,ou=twig,${branch}`, { objectClass: 'device', cn: 'leaf', serialNumber: '7' }),
  entry(admin, { objectClass: inetOrgPerson, uid: 'admin', cn: 'Admin', sn: 'Admin' }),
  entry(person('ada'), {
    objectClass: inetOrgPerson,
    uid: 'ada',
    cn: ['Ada Lovelace', 'Ada King'],
    sn: 'Lovelace',
    employeeNumber: '1815',
    telephoneNumber: '+44 20 7946 0001',
  }),
  entry(person('alan'), {
    objectClass: [...inetOrgPerson, 'posixAccount'],
    uid: 'alan',
    cn: 'Alan Turing',
    sn: 'Turing',
    uidNumber: '1912',
    gidNumber: '-4',
    homeDirectory: '/home/alan',
  }),
];

export const add = (dn: string, attributes: Attributes): Request => ({ kind: 'addRequest', entry: dn, attributes: given(attributes) });
export const remove = (dn: string): Request => ({ kind: 'delRequest', entry: dn });
export const rename = (dn: string, newRdn: string, deleteOldRdn = true, newSuperior?: string): Request => ({
  kind: 'modifyDNRequest',
  entry: dn,
  newRdn,
  deleteOldRdn,
  ...(newSuperior === undefined ? {} : { newSuperior }),
});
export const modify = (dn: string, ...changes: readonly [Modification['operation'], string, ...string[]][]): Request => ({
  kind: 'modifyRequest',
  object: dn,
  changes: changes.map(([operation, description, ...values]) => ({ operation, attribute: { description, values: values.map(utf8) } })),
});
export const compare = (dn: string, description: string, value: string): Request => ({
  kind: 'compareRequest',
  entry: dn,
  description,
  value: utf8(value),
});
export const readBase = (baseObject: string, attributes: readonly string[] = ['*']): Request => ({
  kind: 'searchRequest',
  baseObject,
  scope: 'base',
  derefAliases: 'never',
  sizeLimit: 0,
  timeLimitS: 0,
  typesOnly: false,
  filter: { kind: 'present', description: 'objectClass' },
  attributes,
});

export const oids = {
  assertion: '1.3.6.1.1.12',
  preRead: '1.3.6.1.1.13.1',
  postRead: '1.3.6.1.1.13.2',
  permissive: '1.2.840.113556.1.4.1413',
  treeDelete: '1.2.840.113556.1.4.805',
  relax: '1.3.6.1.4.1.4203.666.5.12',
  transaction: '1.3.6.1.1.21.2',
} as const;

export const mark = (oid: string): Control => ({ oid, critical: true });
export const asserting = (filter: Filter): Control => ({
  oid: oids.assertion,
  critical: true,
  value: encodeBer((ber) => ber.filter(filter)),
});
export const reading = (oid: string, ...attributes: string[]): Control => ({
  oid,
  critical: true,
  value: encodeBer((ber) =>
    ber.sequence(() => {
      for (const each of attributes) ber.string(each);
    }),
  ),
});
export const equals = (description: string, value: string): Filter => ({ kind: 'equality', description, value: utf8(value) });

const ada = person('ada');
const alan = person('alan');
const newcomer: Attributes = { objectClass: inetOrgPerson, uid: 'new', cn: 'New', sn: 'New' };
const permissive = [mark(oids.permissive)];
const relaxed = [mark(oids.relax)];

export const rows: readonly Row[] = [
  // Add
  { title: 'add: a name that is none', op: add('nonsense', newcomer) },
  { title: 'add: a name of an attribute that nobody defines', op: add(`nope=x,${suffix}`, newcomer) },
  { title: 'add: below what is not there, with what is', op: add(`uid=new,ou=a,ou=b,${people}`, newcomer) },
  { title: 'add: in no realm', op: add('uid=new,dc=elsewhere', newcomer) },
  { title: 'add: what is there, written otherwise', op: add(`UID=Ada, ou=PEOPLE,${suffix}`, { ...newcomer, uid: 'ada' }) },
  { title: 'add: a type that nobody defines', op: add(person('new'), { ...newcomer, nope: 'x' }) },
  { title: 'add: a value that does not fit', op: add(person('new'), { ...newcomer, manager: 'no name' }) },
  { title: 'add: an attribute without values', op: add(person('new'), { ...newcomer, title: [] }) },
  { title: 'add: a type twice', op: add(person('new'), { ...newcomer, surname: 'Other' }) },
  { title: 'add: a value twice by its rule', op: add(person('new'), { ...newcomer, title: ['Dr', ' dr'] }) },
  { title: 'add: two values of one that has one', op: add(person('new'), { ...newcomer, employeeNumber: ['1', '2'] }) },
  { title: 'add: a required attribute is missing', op: add(person('new'), { objectClass: inetOrgPerson, uid: 'new', cn: 'x' }) },
  { title: 'add: an attribute that no class allows', op: add(person('new'), { ...newcomer, uidNumber: '1' }) },
  { title: 'add: no structural class', op: add(person('new'), { objectClass: 'top', uid: 'new' }) },
  { title: 'add: two structural chains', op: add(person('new'), { ...newcomer, objectClass: [...inetOrgPerson, 'device'] }) },
  { title: 'add: a class that nobody defines', op: add(person('new'), { ...newcomer, objectClass: [...inetOrgPerson, 'nope'] }) },
  { title: 'add: no class', op: add(person('new'), { uid: 'new' }) },
  { title: 'add: an abstract class alone', op: add(`cn=x,${suffix}`, { objectClass: 'alias', cn: 'x' }) },
  { title: 'add: what only the server sets', op: add(person('new'), { ...newcomer, modifyTimestamp: '20200101000000Z' }) },
  { title: 'add: a naming attribute that no class allows', op: add(`dc=new,${people}`, newcomer) },
  {
    title: 'add: another value of a naming attribute that has one',
    op: add(`employeeNumber=5,${people}`, { ...newcomer, employeeNumber: '6' }),
  },
  {
    title: 'add: values of the name are supplied',
    op: add(`uid=new+mail=n@example.com,${people}`, { objectClass: inetOrgPerson, cn: 'New', sn: 'New' }),
  },
  { title: 'add: the supplied value beside others', op: add(person('other'), { ...newcomer, uid: 'first' }) },
  { title: 'compare: the supplied value is there', op: compare(person('other'), 'uid', 'OTHER') },
  { title: 'compare: and so is what was brought', op: compare(person('other'), 'uid', 'first') },
  { title: 'delete: a name of two parts, in the other order', op: remove(`MAIL=n@example.com+uid=New,${people}`) },
  { title: 'delete: what is not there, with what is above', op: remove(`uid=x,ou=nowhere,${people}`) },
  { title: 'delete: what has others below it', op: remove(branch) },
  { title: 'delete: a name that is none', op: remove('x') },
  { title: 'delete: in no realm', op: remove('dc=elsewhere') },
  // Modify
  { title: 'modify: what is not there', op: modify(`uid=x,${people}`, ['replace', 'title', 'x']) },
  { title: 'modify: a name that is none', op: modify('x', ['replace', 'title', 'x']) },
  { title: 'modify: nothing at all', op: modify(ada) },
  { title: 'modify: adding nothing', op: modify(ada, ['add', 'title']) },
  { title: 'modify: adding what is there', op: modify(ada, ['add', 'cn', 'ADA lovelace']) },
  { title: 'modify: adding one value twice', op: modify(ada, ['add', 'title', 'Dr', 'dr']) },
  { title: 'modify: replacing by one value twice', op: modify(ada, ['replace', 'title', 'Dr', 'dr']) },
  { title: 'modify: deleting one value twice', op: modify(ada, ['delete', 'cn', 'Ada King', 'ada king']) },
  { title: 'modify: deleting a value that is not there', op: modify(ada, ['delete', 'cn', 'Nobody']) },
  { title: 'modify: deleting a value of what is not there', op: modify(ada, ['delete', 'title', 'Dr']) },
  { title: 'modify: deleting an attribute that is not there', op: modify(ada, ['delete', 'title']) },
  { title: 'modify: replacing what is not there with nothing', op: modify(ada, ['replace', 'title']) },
  { title: 'modify: a type that nobody defines', op: modify(ada, ['add', 'nope', 'x']) },
  { title: 'modify: deleting a type that nobody defines', op: modify(ada, ['delete', 'nope']) },
  { title: 'modify: a value that does not fit', op: modify(ada, ['replace', 'manager', 'x']) },
  { title: 'modify: deleting a value that does not fit', op: modify(ada, ['delete', 'manager', 'x']) },
  { title: 'modify: an empty value', op: modify(ada, ['replace', 'title', '']) },
  { title: 'modify: a second value of one that has one', op: modify(ada, ['add', 'employeeNumber', '2']) },
  { title: 'modify: two values of one that has one', op: modify(ada, ['replace', 'employeeNumber', '2', '3']) },
  { title: 'modify: a required attribute away', op: modify(ada, ['delete', 'sn']) },
  {
    title: 'modify: the value of the name away',
    op: modify(ada, ['delete', 'uid', 'ada'], ['add', 'uid', 'other']),
    differs: { code: 67, why: 'RFC 4511 §4.6: notAllowedOnRDN' },
    ownWords: true,
  },
  {
    title: 'modify: the attribute of the name away',
    op: modify(ada, ['delete', 'uid']),
    differs: { code: 67, why: 'RFC 4511 §4.6: notAllowedOnRDN' },
    ownWords: true,
  },
  { title: 'modify: another structural class', op: modify(ada, ['replace', 'objectClass', 'device'], ['delete', 'sn']) },
  { title: 'modify: a structural class further up', op: modify(ada, ['delete', 'objectClass', 'inetOrgPerson'], ['delete', 'uid']) },
  { title: 'modify: a class that nobody defines', op: modify(ada, ['add', 'objectClass', 'nope']) },
  { title: 'modify: all classes away', op: modify(ada, ['delete', 'objectClass']) },
  { title: 'modify: an attribute that no class allows', op: modify(ada, ['add', 'uidNumber', '1']) },
  { title: 'modify: what only the server sets', op: modify(ada, ['replace', 'modifyTimestamp', '20200101000000Z']) },
  { title: 'modify: deleting what only the server sets', op: modify(ada, ['delete', 'entryUUID']) },
  {
    title: 'modify: adding to what has no equality rule',
    op: modify(ada, ['add', 'facsimileTelephoneNumber', '+1 2'], ['add', 'facsimileTelephoneNumber', '+1 3']),
  },
  {
    title: 'modify: delete, then add, in one',
    op: modify(ada, ['delete', 'cn', 'Ada King'], ['add', 'cn', 'Ada K.'], ['add', 'title', 'Dr']),
  },
  {
    title: 'modify: the first change stands, the second fails: nothing is done',
    op: modify(ada, ['add', 'title', 'Lady'], ['delete', 'mobile']),
  },
  { title: 'compare: nothing was done', op: compare(ada, 'title', 'Lady') },
  {
    title: 'modify: an auxiliary class and what it wants',
    op: modify(ada, ['add', 'objectClass', 'posixAccount'], ['add', 'uidNumber', '1'], ['add', 'gidNumber', '1']),
  },
  { title: 'modify: incrementing', op: modify(alan, ['increment', 'uidNumber', '3']) },
  { title: 'compare: it has grown', op: compare(alan, 'uidNumber', '1915') },
  { title: 'modify: incrementing below zero', op: modify(alan, ['increment', 'gidNumber', '-3']) },
  { title: 'compare: it is less', op: compare(alan, 'gidNumber', '-7') },
  { title: 'modify: incrementing what is not there', op: modify(ada, ['increment', 'uidNumber', '1']) },
  { title: 'modify: incrementing by nothing', op: modify(alan, ['increment', 'uidNumber']) },
  { title: 'modify: incrementing by two', op: modify(alan, ['increment', 'uidNumber', '1', '2']) },
  { title: 'modify: incrementing by no number', op: modify(alan, ['increment', 'uidNumber', 'x']) },
  { title: 'modify: incrementing no number', op: modify(alan, ['increment', 'cn', '1']) },
  // Permissive
  { title: 'permissive: adding what is there', op: modify(ada, ['add', 'cn', 'ada lovelace', 'Ada L.']), controls: permissive },
  {
    title: 'permissive: deleting what is not',
    op: modify(ada, ['delete', 'cn', 'Nobody'], ['delete', 'mobile'], ['delete', 'mobile', '1']),
    controls: permissive,
    differs: { code: 0, why: 'slapd 2.5 passes over the attribute, not over the value' },
  },
  { title: 'permissive: adding one value twice', op: modify(ada, ['add', 'title', 'x', 'X']), controls: permissive },
  { title: 'permissive: the schema holds', op: modify(ada, ['delete', 'sn']), controls: permissive },
  // Rename
  { title: 'rename: a name that is none', op: rename(ada, 'x') },
  { title: 'rename: two levels at once', op: rename(ada, 'uid=a,ou=b') },
  { title: 'rename: a type that nobody defines', op: rename(ada, 'nope=x') },
  { title: 'rename: what is not there', op: rename(person('x'), 'uid=y') },
  { title: 'rename: to what is there', op: rename(ada, 'uid=alan') },
  { title: 'rename: below what is not there', op: rename(ada, 'uid=ada', true, `ou=x,${people}`) },
  { title: 'rename: below itself', op: rename(branch, 'ou=branch', true, `ou=twig,${branch}`) },
  { title: 'rename: directly below itself', op: rename(branch, 'ou=branch', true, branch) },
  { title: 'rename: out of its realm', op: rename(ada, 'uid=ada', true, 'dc=elsewhere') },
  { title: 'rename: an attribute that no class allows', op: rename(ada, 'dc=x') },
  { title: 'rename: away what is required', op: rename(`cn=Leaf One,ou=twig,${branch}`, 'serialNumber=1') },
  { title: 'rename: only its case', op: rename(ada, 'uid=ADA') },
  { title: 'rename: only its case, keeping the old', op: rename(ada, 'uid=ada', false) },
  { title: 'rename: to itself', op: rename(ada, 'uid=ada') },
  { title: 'rename: to two parts', op: rename(ada, 'uid=ada+employeeNumber=1815') },
  { title: 'rename: parts in the other order', op: rename(`uid=ada+employeeNumber=1815,${people}`, 'employeeNumber=1815+uid=ada') },
  { title: 'rename: to one of them, the other value goes', op: rename(`uid=ada+employeeNumber=1815,${people}`, 'uid=ada') },
  { title: 'compare: the other is gone', op: compare(ada, 'employeeNumber', '1815') },
  { title: 'rename: a second value of one that has one', op: rename(alan, 'uidNumber=5', false) },
  { title: 'rename: a subtree', op: rename(`ou=twig,${branch}`, 'ou=Branchlet', true, people) },
  { title: 'compare: what was below it', op: compare(`cn=Leaf one,ou=branchlet,${people}`, 'cn', 'leaf one') },
  { title: 'rename: the old name has nothing', op: rename(`ou=twig,${branch}`, 'ou=x') },
  { title: 'delete: a leaf of a branch that moved', op: remove(`serialNumber=7+cn=LEAF,ou=Branchlet,${people}`) },
  { title: 'rename: a branch, by its case', op: rename(`ou=branchlet,${people}`, 'ou=BRANCHLET') },
  // Assertion
  { title: 'assertion: it holds', op: modify(ada, ['replace', 'mobile', '1']), controls: [asserting(equals('sn', 'lovelace'))] },
  { title: 'assertion: it does not', op: modify(ada, ['replace', 'mobile', '2']), controls: [asserting(equals('sn', 'x'))] },
  { title: 'assertion: of what is deleted', op: remove(person('other')), controls: [asserting(equals('sn', 'x'))] },
  { title: 'assertion: of what is compared', op: compare(ada, 'sn', 'lovelace'), controls: [asserting(equals('sn', 'x'))] },
  { title: 'assertion: of the base of a search', op: readBase(ada), controls: [asserting(equals('sn', 'x'))] },
  { title: 'assertion: of what is renamed', op: rename(ada, 'uid=lady'), controls: [asserting(equals('sn', 'x'))] },
  { title: 'assertion: of what is added', op: add(person('new'), newcomer), controls: [asserting(equals('sn', 'x'))] },
  { title: 'assertion: of what is added, and it holds', op: add(person('new'), newcomer), controls: [asserting(equals('sn', 'new'))] },
  { title: 'assertion: no value', op: remove(ada), controls: [mark(oids.assertion)], ownWords: true },
  { title: 'assertion: what is not there comes first', op: remove(person('x')), controls: [asserting(equals('sn', 'x'))] },
  // Relax
  {
    title: 'relax: the times of an entry',
    op: add(person('old'), {
      ...newcomer,
      uid: 'old',
      createTimestamp: '20010101000000Z',
      creatorsName: 'cn=me',
      entryUUID: '12345678-1234-4234-8234-123456789abc',
    }),
    controls: relaxed,
  },
  { title: 'compare: they are as given', op: compare(person('old'), 'createTimestamp', '20010101000000Z') },
  {
    title: 'relax: a change of them',
    op: modify(person('old'), ['replace', 'modifyTimestamp', '20010101000000Z'], ['replace', 'creatorsName', 'cn=you']),
    controls: relaxed,
  },
  { title: 'compare: it is as given', op: compare(person('old'), 'modifyTimestamp', '20010101000000Z') },
  {
    title: 'relax: another structural class',
    op: modify(person('old'), ['replace', 'objectClass', 'account'], ['delete', 'cn'], ['delete', 'sn']),
    controls: relaxed,
  },
  { title: 'compare: the structural class is the other', op: compare(person('old'), 'structuralObjectClass', 'account') },
  // Compare
  { title: 'compare: an attribute that is not there', op: compare(ada, 'title;lang-x', 'x') },
  { title: 'compare: a type that nobody defines', op: compare(ada, 'nope', 'x'), ownWords: true },
  { title: 'compare: a value that does not fit', op: compare(ada, 'manager', 'x'), ownWords: true },
  { title: 'compare: without an equality rule', op: compare(ada, 'jpegPhoto', 'x'), ownWords: true },
  { title: 'compare: what is not there', op: compare(`uid=x,ou=y,${people}`, 'cn', 'x') },
];
