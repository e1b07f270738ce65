import type { Clock } from '#base';
import type { Directory } from '#directory';
import type { Arena } from './outbox.ts';
import type { Report } from './reports.ts';
import type { Securing } from './securing.ts';
import type { Limits } from './settings.ts';

/** What all connections of a listener share. */
export interface Shared {
  readonly directory: Directory;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly report: Report;
  readonly arena: Arena;
  /** Begins TLS on a connection that came without (RFC 4511 §4.14); absent where there is no certificate to show. */
  readonly securing?: Securing | undefined;
}
