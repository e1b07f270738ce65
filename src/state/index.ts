export { type Ending, endingOf } from './ending.ts';
export { type Hourly, openHourly } from './hourly.ts';
export type { Kept, KeptPage, Kind, KindRow, PageAsked } from './kind.ts';
export { type Attempt, type AttemptBy, addressPlace, type Limited, type Limits, type LimitsOptions, openLimits } from './limits.ts';
export { type Claimed, type Link, type LinkFor, type LinkKind, type Links, openLinks } from './links.ts';
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
