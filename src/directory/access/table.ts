/** Who asks, as far as the rules tell people apart. */
export type Who = 'anonymous' | 'person' | 'administrator' | 'webLayer';

/** Where an entry stands, seen by who asks. */
export type Place = 'own' | 'person' | 'group' | 'frame' | 'elsewhere';

/** What else must be so for a row to count. */
export type When = 'anonymousReadPublic' | 'development';

/** One rule: it only ever gives, and what several give adds up. What no rule gives is refused. */
export interface AccessRow {
  readonly who: readonly Who[];
  readonly where: readonly Place[];
  readonly when?: When;
  /** Attributes as a search selects them: names (their subtypes included), `*` for user attributes, `+` for operational ones. */
  readonly reads: readonly string[];
  /** The same for a modify. */
  readonly writes?: readonly string[];
  /** Whether such entries may be added, deleted, and renamed. */
  readonly adds?: true;
  readonly deletes?: true;
  readonly renames?: true;
  readonly means: string;
}

const everywhere = ['own', 'person', 'group', 'frame', 'elsewhere'] as const;

/** What an entry is and where, and where it leads: nothing of this is about a person. */
const naming = [
  'objectClass',
  'entryDN',
  'entryUUID',
  'structuralObjectClass',
  'subschemaSubentry',
  'hasSubordinates',
  'entryTtl',
  'aliasedObjectName',
  'ref',
];

const publicOfPeople = [
  ...naming,
  'uid',
  'cn',
  'sn',
  'givenName',
  'initials',
  'displayName',
  'mail',
  'title',
  'ou',
  'o',
  'departmentNumber',
  'employeeType',
  'telephoneNumber',
  'mobile',
  'facsimileTelephoneNumber',
  'roomNumber',
  'l',
  'preferredLanguage',
  'jpegPhoto',
  'labeledURI',
  'manager',
  'uidNumber',
  'gidNumber',
  'gecos',
  'homeDirectory',
  'loginShell',
];

const publicOfGroups = [
  ...naming,
  'cn',
  'ou',
  'o',
  'description',
  'member',
  'uniqueMember',
  'memberUid',
  'owner',
  'gidNumber',
  'businessCategory',
];

const frame = [...naming, 'dc', 'o', 'ou', 'description'];

/**
 * Who may do what. `own` is the entry of who asks; `person` and `group` stand below `ou=people` and `ou=groups`; `frame` is the suffix and
 * these two themselves; `elsewhere` is all other. Attributes that the schema marks secret or sealed are in no row: nobody reads them,
 * and a filter or a comparison on them is refused whoever asks. Root DSE and subschema are for everybody.
 */
export const accessTable: readonly AccessRow[] = [
  {
    who: ['anonymous'],
    where: ['person'],
    when: 'anonymousReadPublic',
    reads: publicOfPeople,
    means: 'anybody reads what is public of people, where the realm allows it',
  },
  {
    who: ['anonymous'],
    where: ['group'],
    when: 'anonymousReadPublic',
    reads: publicOfGroups,
    means: 'anybody reads what is public of groups, where the realm allows it',
  },
  {
    who: ['anonymous'],
    where: ['frame'],
    when: 'anonymousReadPublic',
    reads: frame,
    means: 'anybody sees what people and groups stand below, where the realm allows it',
  },
  { who: ['person'], where: ['person'], reads: [...publicOfPeople, 'memberOf'], means: 'a person reads what is public of people' },
  { who: ['person'], where: ['group'], reads: [...publicOfGroups, 'memberOf'], means: 'a person reads what is public of groups' },
  { who: ['person'], where: ['frame'], reads: frame, means: 'a person sees what people and groups stand below' },
  {
    who: ['person'],
    where: ['own'],
    reads: [...naming, '*', 'memberOf', 'createTimestamp', 'modifyTimestamp'],
    writes: ['displayName', 'telephoneNumber', 'mobile', 'description', 'preferredLanguage', 'jpegPhoto'],
    means: 'a person reads all that is kept of them, and keeps some of it up to date',
  },
  {
    who: ['administrator'],
    where: everywhere,
    reads: ['*', '+'],
    writes: ['*', '+'],
    adds: true,
    deletes: true,
    renames: true,
    means: 'the built-in administrator and the operators’ socket read and write everything below the suffix',
  },
  { who: ['webLayer'], where: everywhere, reads: ['*', '+'], means: 'the web layer by itself reads everything but secrets' },
  {
    who: ['webLayer'],
    where: ['person'],
    when: 'development',
    reads: [],
    adds: true,
    means: 'in development mode the sign-in screen makes the entry of a person who has none',
  },
];
