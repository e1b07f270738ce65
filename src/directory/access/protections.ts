import type { AttributeType } from '#schema';
import type { Right } from './rule.ts';

/** What of one who asks stands above all rules. */
export interface Guard {
  /** They came in with an app password. */
  readonly byAppPassword: boolean;
  /**
   * `everything`: the operators' socket and built-in administrators. `webLayer`: the web layer by itself. `newPerson`: the same about the entry of a person
   * that it makes.
   */
  readonly power: 'none' | 'everything' | 'webLayer' | 'newPerson';
}

/** What is decided above all rules, and why. */
export interface Protected {
  readonly effect: 'allow' | 'deny';
  readonly why: string;
}

interface Protection extends Protected {
  readonly holds: (guard: Guard, right: Right, type: AttributeType | undefined) => boolean;
}

/** What somebody signs in with, where a new password is sent, and who may act for them: types and their subtypes. Secret and sealed types are such, too. */
const credentials: ReadonlySet<string> = new Set([
  'userpassword',
  'mail',
  'stscredentialid',
  'stswebauthncredential',
  'ststotpcredential',
  'stsmfarequired',
  'stsemailfactor',
  'stsverifiedmail',
  'stsemailfailures',
  'stsdelegate',
  'stsemailfirstfailures',
  'stsconsent',
]);

/** What the web layer says: of a realm that is being removed, and of a person's address, which nobody vouches for themselves. */
const saidByWebLayer: ReadonlySet<string> = new Set([
  'stsrealmstate',
  'stsrealmowed',
  'stsverifiedmail',
  'stsemailfailures',
  'stsemailfirstfailures',
  'stslastauthentication',
  'stssecondfactorused',
]);
/** What people sign in with and do not decide themselves. */
const decidedByOthers: ReadonlySet<string> = new Set(['stsmfarequired', 'stsverifiedmail', 'stsemailfailures', 'stsemailfirstfailures']);

const looks: ReadonlySet<Right> = new Set<Right>(['read', 'search', 'compare']);
const appPasswordNever: ReadonlySet<Right> = new Set<Right>(['add', 'delete', 'manage']);

/** In this order, the first that holds decides. No rule overrides any of them. */
const protections: readonly Protection[] = [
  {
    effect: 'deny',
    why: 'secrets are never read, searched or compared',
    holds: (_guard, right, type) => looks.has(right) && (type?.secret === true || type?.sealed === true),
  },
  {
    effect: 'deny',
    why: 'who came in with an app password never adds, deletes or manages',
    holds: ({ byAppPassword }, right) => byAppPassword && appPasswordNever.has(right),
  },
  {
    effect: 'deny',
    why: 'who came in with an app password never writes what people sign in with',
    holds: ({ byAppPassword }, right, type) => byAppPassword && right === 'write' && type !== undefined && isCredential(type),
  },
  {
    effect: 'allow',
    why: 'the operators’ socket and the built-in administrator may do everything',
    holds: ({ power }) => power === 'everything',
  },
  {
    effect: 'allow',
    why: 'the web layer by itself reads everything but secrets',
    holds: ({ power }, right) => (power === 'webLayer' || power === 'newPerson') && looks.has(right),
  },
  {
    effect: 'allow',
    why: 'in development mode the web layer makes the entry of a person who has none',
    holds: ({ power }, right) => power === 'newPerson' && (right === 'add' || right === 'write'),
  },
  {
    effect: 'allow',
    why: 'the web layer says how far the removal of a realm is, and which addresses were verified',
    holds: (guard, right, type) => right === 'write' && type !== undefined && saysIt(guard, type),
  },
  {
    effect: 'deny',
    why: 'the web layer by itself does nothing else',
    holds: ({ power }) => power === 'webLayer' || power === 'newPerson',
  },
];

/** What stands above all rules about a right; nothing where the rules decide. */
export function protection(guard: Guard, right: Right, type?: AttributeType): Protected | undefined {
  return protections.find(({ holds }) => holds(guard, right, type));
}

function isCredential(type: AttributeType): boolean {
  for (let each: AttributeType | undefined = type; each !== undefined; each = each.superior)
    if (each.secret || each.sealed || credentials.has(each.key)) return true;
  return false;
}

/**
 * Whether to write an attribute takes `manage` on the entry besides `write`: operational ones say who may act as whom, who must change their password and
 * who is disabled. What people sign in with is theirs.
 */
export function takesManage(guard: Guard, type: AttributeType): boolean {
  if (saysIt(guard, type)) return false;
  return type.usage !== 'userApplications' && (!isCredential(type) || decidedByOthers.has(type.key));
}

function saysIt({ power }: Guard, { key }: AttributeType): boolean {
  return power === 'webLayer' && saidByWebLayer.has(key);
}
