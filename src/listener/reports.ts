import type { Audit } from '#audit';
import type { Clock } from '#base';
import type { ErrorRow } from '#catalogue';
import type { Connection } from '#directory';

/** Tells the audit trail what went wrong with a connection as such. */
export type Report = (row: ErrorRow, connection: Connection, detail: string) => void;

const quietMs = 60_000;
const rememberedMax = 4096;

/**
 * Records refusals of connections: one row for each kind and address in a minute, with the number that went unsaid since.
 * Otherwise whoever opens connections fast would write the audit trail, and fast.
 */
export function createReport(audit: Pick<Audit, 'record'>, clock: Clock): Report {
  const said = new Map<string, { atMs: number; unsaid: number }>();

  return (row, connection, detail) => {
    const key = `${row.code} ${connection.door} ${connection.address}`;
    const nowMs = clock.nowMs();
    const last = said.get(key);
    if (last !== undefined && nowMs - last.atMs < quietMs) {
      last.unsaid++;
      return;
    }
    said.delete(key);
    if (said.size >= rememberedMax) {
      // The one that was said the longest ago makes room.
      const oldest = said.keys().next();
      if (!oldest.done) said.delete(oldest.value);
    }
    said.set(key, { atMs: nowMs, unsaid: 0 });

    const more = last === undefined || last.unsaid === 0 ? '' : `, and ${last.unsaid} times more since it was last said`;
    audit.record({
      realm: '',
      door: connection.door,
      subject: connection.identity.dn ?? '',
      action: 'ldap.connection',
      outcome: row.sees.ldap === 80 ? 'failed' : 'refused',
      error: row,
      summary: `${row.means}${detail === '' ? '' : `: ${detail}`}${more}`,
      correlationId: connection.id,
      address: connection.address,
    });
  };
}
