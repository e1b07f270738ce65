import { z } from 'zod';
import type { AuditRow } from '#audit';
import { anyOf, ClientRefusal, equals } from '#client';
import type { Call } from './row.ts';
import { operation } from './row.ts';
import { Unfit } from './unfit.ts';

const time = z.iso.datetime({ offset: true });

const rowShape = z.strictObject({
  id: z.string().describe('Ascends with time.'),
  time: z.string(),
  realm: z.string(),
  door: z.string(),
  subject: z.string(),
  action: z.string(),
  outcome: z.enum(['success', 'refused', 'failed']),
  errorCode: z.string().optional(),
  summary: z.string().describe('Begins with the code in brackets, when there is one.'),
  correlationId: z.string(),
  address: z.string(),
});

export const auditList = operation({
  name: 'audit.list',
  method: 'GET',
  path: '/admin-api/audit',
  scope: 'admin:read',
  summary: 'list audit rows, the newest first: of a code or of codes that begin so, of a person, of a time',
  more: 'A realm’s administrators see rows of their realm; those of the default realm all, or those of one realm.',
  input: z.strictObject({
    code: z
      .string()
      .regex(/^STS-[A-Z0-9]*(?:-\d{0,4})?$/, 'begins with STS- and an area, such as STS-OAUTH or STS-LDAP-9001')
      .optional()
      .describe('A code, or its beginning: STS-OAUTH matches a subsystem.'),
    person: z.string().min(1).max(4096).optional().describe('A uid, a DN or an entryUUID; what they did, and what was done as them.'),
    realm: z.string().max(31).optional().describe('The id of a realm, in the default realm.'),
    action: z.string().max(100).optional().describe('Such as ldap.bind.'),
    outcome: z.enum(['success', 'refused', 'failed']).optional().describe('How it ended.'),
    door: z.string().max(40).optional().describe('Where it came in: http, https, ldap, ldaps, operators.'),
    correlationId: z.string().max(200).optional().describe('The reference that an error page shows.'),
    from: time.optional().describe('The earliest time, inclusive (RFC 3339).'),
    to: time.optional().describe('The latest time, inclusive.'),
    limit: z.coerce.number().int().min(1).max(500).default(100),
    after: z
      .string()
      .regex(/^\d{1,15}-\d{1,15}$/, 'is no `next` of a page')
      .optional()
      .describe('`next` of the page before.'),
  }),
  output: z.strictObject({ rows: z.array(rowShape), next: z.string().optional() }),
  audit: 'audit trail read',
  command: 'audit list',
  terminal: {
    list: { of: 'rows', columns: ['time', 'realm', 'subject', 'action', 'outcome', 'summary'] },
    examples: [
      { line: 'atrium audit list --code STS-AUTHN --limit 20' },
      { line: 'atrium audit list --person dkhalil --outcome refused --from 2026-01-01T00:00:00Z --json' },
    ],
  },
  run: async (call, { code, person, realm, from, to, limit, after, ...same }) => {
    const { deps } = call;
    const only = realmOnly(call, realm);
    const [beforeMs, beforeId] = (after ?? '').split('-').map(Number);
    const found = await deps.audit.query({
      ...Object.fromEntries(Object.entries(same).filter(([, value]) => value !== undefined)),
      ...(code === undefined ? {} : { codePrefix: code }),
      ...(person === undefined ? {} : { subjects: await namesOf(call, person) }),
      ...(only === undefined ? {} : { realm: only }),
      ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
      ...(to === undefined ? {} : { toMs: Date.parse(to) }),
      ...(after === undefined ? {} : { behind: { timeMs: beforeMs ?? 0, id: beforeId ?? 0 } }),
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const next = found.length > limit && last !== undefined ? { next: `${last.timeMs}-${last.id ?? 0}` } : {};
    return { rows: rows.map(shown), ...next };
  },
});

function realmOnly({ realm, deps }: Call, asked: string | undefined): string | undefined {
  if (realm.id === deps.realms.standing.id) return asked;
  if (asked !== undefined && asked !== realm.id) throw new Unfit({ field: 'realm', message: 'is no realm that you administer' });
  return realm.id;
}

/** As audit rows name somebody: by DN below the LDAP interface, by entryUUID above it. Who is there no more is named as they were typed. */
async function namesOf({ actor, realm }: Call, person: string): Promise<readonly string[]> {
  const uuid = /^(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(person)?.[1]?.toLowerCase();
  const filter =
    uuid !== undefined
      ? equals('entryUUID', uuid)
      : person.includes('=')
        ? equals('entryDN', person)
        : anyOf(equals('uid', person), equals('mail', person));
  const typed = uuid === undefined ? person : `urn:uuid:${uuid}`;
  try {
    const { entries } = await actor.search({ base: realm.suffix, scope: 'sub', filter, attributes: ['entryUUID'], sizeLimit: 10 });
    return [...new Set([typed, ...entries.flatMap((entry) => [entry.dn, `urn:uuid:${entry.one('entryUUID') ?? ''}`])])];
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    // A DN of another realm, or one that is none.
    return [typed];
  }
}

function shown({ id, timeMs, errorCode, ...row }: AuditRow): z.input<typeof rowShape> {
  return { id: String(id ?? 0), time: new Date(timeMs).toISOString(), ...row, ...(errorCode === undefined ? {} : { errorCode }) };
}
