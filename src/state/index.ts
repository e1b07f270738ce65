export type { Kept, Kind, KindRow } from './kind.ts';
export { openState, type State, type StateOptions } from './state.ts';
