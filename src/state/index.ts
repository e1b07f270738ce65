export { type AttemptBy, addressPlace, type CountersOptions } from './counters.ts';
export { type Ending, endingOf } from './ending.ts';
export { type Hourly, openHourly } from './hourly.ts';
export type { Kept, KeptPage, Kind, KindRow, PageAsked } from './kind.ts';
export { type Attempt, type Limited, type Limits, type LimitsOptions, openLimits } from './limits.ts';
export { limitsBeside } from './limits-beside.ts';
export { type Claimed, type Link, type LinkFor, type LinkKind, type Links, openLinks } from './links.ts';
export { type Networks, openNetworks } from './networks.ts';
export { createNewsBuffer, newsOf } from './news.ts';
export { type Notice, type Notices, openNotices } from './notices.ts';
export {
  type Outbox,
  type OutboxEvent,
  type OutboxKind,
  type Outgoing,
  openOutbox,
  untold,
} from './outbox.ts';
export { settings as stateSettings } from './settings.ts';
export { openState, type State, type StateOptions } from './state.ts';
export { createTurns, type Outcome, type Turn, type Turns } from './turns.ts';
