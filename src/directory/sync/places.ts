import { refuse } from '#catalogue';
import type { Store } from '#store';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import type { Connection } from '../types.ts';

interface Taken {
  trusted: number;
  others: number;
}

const taken = new WeakMap<Store, Taken>();
const onConnection = new WeakMap<Connection, number>();

/**
 * Takes a place among the searches that go on until they are ended. Those of those who manage something, replicas among them, have as many of their own: others cannot
 * take these away.
 *
 * @returns what gives the place back
 * @throws Refusal `followersMax` (11)
 */
export function takePlace({ engine, connection, asker }: Call): () => void {
  const { settings } = engine;
  const kind = !asker.managesSome(engine.store.snapshot()) && asker.identity.strength !== 'webLayer' ? 'others' : 'trusted';
  const all = taken.get(engine.store) ?? { trusted: 0, others: 0 };
  taken.set(engine.store, all);
  const here = onConnection.get(connection) ?? 0;
  if (here >= settings['ldap.persistentSearchesPerConnectionMax'] || all[kind] >= settings['ldap.persistentSearchesMax']) {
    throw refuse(errors.followersMax);
  }
  all[kind]++;
  onConnection.set(connection, here + 1);
  return () => {
    all[kind]--;
    onConnection.set(connection, (onConnection.get(connection) ?? 1) - 1);
  };
}
