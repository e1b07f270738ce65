import { type Request, resultCodes } from '#ldap';
import { type Actor, actorOf, type SearchOptions } from './actor.ts';
import { ClientRefusal } from './refusal.ts';

/** A request that would change something. */
export type Change = Extract<
  Request,
  { readonly kind: 'addRequest' | 'modifyRequest' | 'modifyDNRequest' | 'delRequest' | 'extendedRequest' }
>;

/** An actor that writes nothing, and what it would have written so far. */
export interface Rehearsal {
  readonly actor: Actor;
  readonly changes: readonly Change[];
}

/** What an extended operation answers cannot be made up: a rehearsal ends with the first. */
class RehearsalOver extends Error {}

/**
 * Reads as somebody, and keeps what they would write in place of sending it: so the exact requests of an act can be shown before it is done. A change of an entry
 * that is not there is refused (32), as the directory would.
 */
export function rehearse(actor: Actor): Rehearsal {
  const changes: Change[] = [];
  const isThere = async (dn: string) => {
    if ((await actor.read(dn, ['1.1'])) === undefined)
      throw new ClientRefusal({ code: resultCodes.noSuchObject, diagnostic: '', matchedDN: '' });
  };
  const kept = actorOf(
    'self',
    async (op) => {
      switch (op.kind) {
        case 'addRequest':
          changes.push(op);
          break;
        case 'modifyRequest':
          await isThere(op.object);
          changes.push(op);
          break;
        case 'modifyDNRequest':
        case 'delRequest':
          await isThere(op.entry);
          changes.push(op);
          break;
        case 'extendedRequest':
          changes.push(op);
          throw new RehearsalOver('an extended operation would be asked for');
        default:
          throw new RehearsalOver(`${op.kind} is no change`);
      }
      return { op: { kind: 'modifyResponse', result: { code: resultCodes.success, diagnostic: '', matchedDN: '' } }, controls: [] };
    },
    () => 0,
  );
  const { search, page, read, compare, whoAmI } = actor;
  return { actor: { ...kept, search, page, read, compare, whoAmI }, changes };
}

/** The searches that were asked for, the first few of them. */
export interface Watched {
  readonly actor: Actor;
  readonly searches: readonly SearchOptions[];
}

const searchesMax = 3;

/** Keeps what somebody searches for, so that it can be shown how a directory tool asks the same. */
export function watch(actor: Actor): Watched {
  const searches: SearchOptions[] = [];
  const keep = (options: SearchOptions) => {
    if (searches.length < searchesMax) searches.push(options);
  };
  return {
    searches,
    actor: {
      ...actor,
      search: (options) => {
        keep(options);
        return actor.search(options);
      },
      page: (options) => {
        keep(options);
        return actor.page(options);
      },
      read: (dn, attributes = []) => {
        keep({ base: dn, scope: 'base', filter: { kind: 'present', description: 'objectClass' }, attributes });
        return actor.read(dn, attributes);
      },
    },
  };
}
