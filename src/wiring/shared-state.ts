import { join } from 'node:path';
import { hex } from '#base';
import { type Engine, newestEngine } from '#directory';
import { parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import {
  type CountersOptions,
  type Limits,
  type Networks,
  newsOf,
  type Outbox,
  openLimits,
  openNetworks,
  openOutbox,
  openState,
  type State,
} from '#state';
import { openStateStore } from '#store';
import type { Foundation } from './foundation.ts';
import { stateFile } from './installation.ts';

/** What both sides of the LDAP interface share, and what of it others are to be told. */
export interface SharedState {
  readonly state: State;
  readonly limits: Limits;
  readonly outbox: Outbox;
  readonly networks: Networks;
}

/**
 * Opens the short-lived state before the first door: binds are counted in it.
 *
 * @param news  where threads beside this one are told of what is counted; without it, nowhere
 */
export function openShared({ settings, dataDir, clock, chance, open }: Foundation, engine: Engine, news?: SharedArrayBuffer): SharedState {
  const store = openStateStore({ file: join(dataDir, stateFile), settings, clock, epoch: engine.store.epoch });
  open.defer(() => store.close());
  const by = countedBy(engine);
  const state = openState({ store, clock });
  const limits = openLimits({ store, clock, ...by, ...(news === undefined ? {} : { news: newsOf(news) }) });
  return { state, limits, outbox: openOutbox({ state, chance, settingsOf: by.settingsOf }), networks: openNetworks({ state, clock }) };
}

/** By what attempts are counted in a thread with a directory: the settings of their realm as they are now, and one text for all spellings of a DN. */
export function countedBy(engine: Engine): Omit<CountersOptions, 'clock'> {
  return {
    settingsOf(id) {
      const { realms } = newestEngine(engine);
      return (realms.in(engine.store.snapshot()).byId(id) ?? realms.default).settings;
    },
    identityOf(dn) {
      const parsed = parseDn(dn);
      const key = parsed && normalizeDn(engine.live.current, parsed);
      return key === undefined ? dn.toLowerCase() : hex(key);
    },
  };
}
