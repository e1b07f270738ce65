import type { AttributeType, Schema } from '#schema';
import { type Guard, protection, takesManage } from './protections.ts';
import type { AttributeRight, EntryRight, Rule } from './rule.ts';

/** What one may do with an entry. The same object for all entries and all people whom the same rules decide about. */
export interface Rights {
  /** An entry of which one may read, search or compare no attribute does not exist for them. */
  readonly visible: boolean;
  /** All user attributes, and all operational ones: what is stored may be sent as it is. */
  readonly allUser: boolean;
  readonly allOperational: boolean;
  mayRead(type: AttributeType): boolean;
  maySearch(type: AttributeType): boolean;
  mayCompare(type: AttributeType): boolean;
  mayWrite(type: AttributeType): boolean;
  readonly mayAuth: boolean;
  /** Searches that begin there are held to no limits of the service; what they find is as for everybody. */
  readonly mayEnumerate: boolean;
  readonly mayAdd: boolean;
  readonly mayDelete: boolean;
  readonly mayManage: boolean;
}

/** What rules do where they fit: all that the rights depend on. */
export type Grant = Pick<Rule, 'effect' | 'attributes' | 'rights'>;

/** @param grants  of the rules that fit, in their order */
export function rightsOf(schema: Schema, guard: Guard, grants: readonly Grant[]): Rights {
  const decide = (right: AttributeRight | EntryRight, type?: AttributeType): boolean => {
    const above = protection(guard, right, type);
    if (above !== undefined) return above.effect === 'allow';
    const first = grants.find(({ rights, attributes }) => rights.has(right) && (type === undefined || attributes.holds(type)));
    return first?.effect === 'allow';
  };
  const known = (right: AttributeRight) => {
    const decided = new Map<AttributeType, boolean>();
    return (type: AttributeType): boolean => {
      let may = decided.get(type);
      if (may === undefined) {
        may = decide(right, type);
        decided.set(type, may);
      }
      return may;
    };
  };
  const [mayRead, maySearch, mayCompare] = [known('read'), known('search'), known('compare')];
  const mayWrite = known('write');
  const mayManage = decide('manage');
  const shown = schema.attributeTypes.filter(({ secret, sealed }) => !secret && !sealed);
  const isUser = ({ usage }: AttributeType) => usage === 'userApplications';
  return {
    visible: shown.some((type) => mayRead(type) || maySearch(type) || mayCompare(type)),
    allUser: shown.every((type) => !isUser(type) || mayRead(type)),
    allOperational: shown.every((type) => isUser(type) || mayRead(type)),
    mayRead,
    maySearch,
    mayCompare,
    mayWrite: (type) => mayWrite(type) && (mayManage || !takesManage(guard, type)),
    mayAuth: decide('auth'),
    mayEnumerate: decide('enumerate'),
    mayAdd: decide('add'),
    mayDelete: decide('delete'),
    mayManage,
  };
}

/** The same text for what comes to the same rights. */
export function textOf({ byAppPassword, power }: Guard, grants: readonly Grant[]): string {
  const parts = grants.map(({ effect, rights, attributes }) => `${effect} ${[...rights].toSorted().join(' ')} ${attributes.text}`);
  return [`${byAppPassword} ${power}`, ...parts].join('\n');
}
