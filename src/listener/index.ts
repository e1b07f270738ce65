export { errors as listenerErrors } from './errors.ts';
export { type Addresses, type Endpoints, type Listener, type ListenerOptions, startListener } from './listen.ts';
export { type Limits, settings as listenerSettings } from './settings.ts';
export { createTally, createTallyBuffer, forgetTally, type Tally } from './tally.ts';
