import { z } from 'zod';
import { operation } from './row.ts';

const codeShape = z.strictObject({
  code: z.string(),
  area: z.string(),
  state: z
    .enum(['live', 'reserved', 'retired'])
    .describe('live: this version raises it; reserved: it is described and nothing raises it yet.'),
  means: z.string(),
  http: z.number().optional().describe('The status that a client sees.'),
  ldap: z.number().optional().describe('The LDAP result code that a client sees.'),
  count: z.number().describe('Audit rows that carry it.'),
});

export const errorCodes = operation({
  name: 'error-codes.list',
  method: 'GET',
  path: '/admin-api/error-codes',
  scope: 'admin:read',
  summary: 'list the table of error codes, each with how many audit rows carry it',
  input: z.strictObject({
    area: z
      .string()
      .regex(/^[A-Z0-9]{1,12}$/, 'is the name of an area, such as LDAP')
      .optional()
      .describe('Those of one area, such as LDAP.'),
    state: z.enum(['live', 'reserved', 'retired']).optional().describe('Those that are raised, will be, or were.'),
    seen: z.stringbool().default(false).describe('Only those that audit rows carry.'),
  }),
  output: z.strictObject({
    areas: z.array(z.strictObject({ area: z.string(), means: z.string(), codes: z.number(), live: z.number(), count: z.number() })),
    codes: z.array(codeShape),
    ranges: z.array(z.strictObject({ area: z.string(), first: z.number(), last: z.number(), state: z.string(), means: z.string() })),
  }),
  audit: 'error codes read',
  offered: ({ codes }) => codes !== undefined,
  command: 'error-code list',
  terminal: {
    list: { of: 'codes', columns: ['code', 'state', 'count', 'means'] },
    examples: [{ line: 'atrium error-code list --seen' }, { line: 'atrium error-code list --area TOTP --json' }],
  },
  run: async ({ deps, realm }, { area, state, seen }) => {
    const table = deps.codes ?? { areas: {}, rows: [], ranges: [] };
    const counts = await deps.audit.counts(realm.id === deps.realms.standing.id ? undefined : realm.id);
    const all = table.rows
      .map(({ code, state: is, means, sees }) => ({
        code,
        area: areaOf(code),
        state: is,
        means,
        ...(sees.http === undefined ? {} : { http: sees.http }),
        ...(sees.ldap === undefined ? {} : { ldap: sees.ldap }),
        count: counts.get(code) ?? 0,
      }))
      .sort((one, other) => (one.code < other.code ? -1 : 1));
    const areas = Object.entries(table.areas).map(([each, means]) => {
      const own = all.filter((row) => row.area === each);
      return {
        area: each,
        means,
        codes: own.length,
        live: own.filter((row) => row.state === 'live').length,
        count: own.reduce((sum, row) => sum + row.count, 0),
      };
    });
    const fits = (row: (typeof all)[number]) =>
      (area === undefined || row.area === area) && (state === undefined || row.state === state) && (!seen || row.count > 0);
    return {
      areas: areas.filter((each) => area === undefined || each.area === area),
      codes: all.filter(fits),
      ranges: table.ranges.filter((each) => area === undefined || each.area === area).map((each) => ({ ...each })),
    };
  },
});

function areaOf(code: string): string {
  return code.split('-')[1] ?? '';
}
