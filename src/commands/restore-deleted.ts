import { allOf, anyOf, type ClientEntry, ClientRefusal, equals, type OperatorsClient, present } from '#client';
import { decodeBer, encodeBer, type Filter, resultCodes } from '#ldap';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { upTo } from './entries.ts';
import { Absent, Failure } from './exits.ts';
import type { Given } from './given.ts';
import { explain } from './operators.ts';
import { list } from './table.ts';

/** Active Directory's LDAP_SERVER_SHOW_DELETED_OID. */
const showDeleted = { oid: '1.2.840.113556.1.4.417', critical: true };
const restoreOid = '2.25.83716444157178576224225129172109131643.6.75';
const attributes = ['stsDeletedUUID', 'stsDeletedName', 'stsDeletedDN', 'stsDeletedTime', 'stsDeletedBy', 'stsPurgeTime'];
const isKept = equals('objectClass', 'stsTombstone');
const sameMax = 16;

/** What can be restored, and how it is told of. */
interface Kind {
  readonly is: Filter;
  /** The operand that names one. */
  readonly operand: string;
  readonly noneKept: string;
  readonly noneCalled: string;
  readonly list: string;
  readonly another: string;
  /** What is left to do. */
  readonly next: string;
}

const kinds = {
  people: {
    is: allOf(isKept, { kind: 'not', filter: present('stsDeletedKind') }),
    operand: 'PERSON',
    noneKept: 'Nobody was deleted who can be restored.',
    noneCalled: 'nobody who was deleted',
    list: 'atrium person list --deleted',
    another: 'somebody else',
    next: ': nobody can sign in as them before they have a password. See: atrium person set-password',
  },

  groups: {
    is: equals('objectClass', 'stsDeletedGroup'),
    operand: 'GROUP',
    noneKept: 'No group was deleted that can be restored.',
    noneCalled: 'no group that was deleted',
    list: 'atrium group list --deleted',
    another: 'another group',
    next: '',
  },

  applications: {
    is: equals('objectClass', 'stsDeletedApplication'),
    operand: 'APPLICATION',
    noneKept: 'No application was deleted that can be restored.',
    noneCalled: 'no application that was deleted',
    list: 'atrium application list --deleted',
    another: 'another application',
    next: ': it has no secret before one is made. See: atrium application secret',
  },
} as const satisfies Record<string, Kind>;

/** Lists what was deleted and can be restored. */
export async function listDeleted(of: keyof typeof kinds, given: Given, context: Context): Promise<number> {
  const { is, noneKept } = kinds[of];
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const base = await suffixOf(given.need('realm'));
    const options = { base, scope: 'one', filter: is, attributes, sizeLimit: given.count('limit') ?? 0 } as const;
    const first = (name: string) => (entry: ClientEntry) => entry.one(name) ?? '';
    await list(upTo(client, options, [showDeleted], context), given, context, {
      columns: [
        { head: 'NAME', of: first('stsDeletedName') },
        { head: 'DELETED', of: (entry) => readable(first('stsDeletedTime')(entry)) },
        { head: 'KEPT UNTIL', of: (entry) => readable(first('stsPurgeTime')(entry)) },
        { head: 'UUID', of: first('stsDeletedUUID') },
        { head: 'DN', of: first('stsDeletedDN') },
      ],
      json: (entry) => ({
        uuid: entry.one('stsDeletedUUID'),
        name: entry.one('stsDeletedName'),
        dn: entry.one('stsDeletedDN'),
        deleted: entry.one('stsDeletedTime'),
        by: entry.one('stsDeletedBy'),
        keptUntil: entry.one('stsPurgeTime'),
      }),
      none: noneKept,
    });
    return 0;
  });
}

/** Restores what was deleted. */
export async function restoreDeleted(of: keyof typeof kinds, given: Given, context: Context): Promise<number> {
  const kind: Kind = kinds[of];
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const stone = await need(client, kind, await suffixOf(given.need('realm')), given.need(kind.operand));
    const asked = encodeBer((ber) => ber.sequence(() => ber.string(stone.dn)));
    const answer = await client.extended(restoreOid, asked).catch((error: unknown) => {
      if (!(error instanceof ClientRefusal)) throw error;
      const taken = error.code === resultCodes.entryAlreadyExists;
      throw new Failure(
        taken ? `${stone.one('stsDeletedDN')} is ${kind.another} by now: rename or remove that entry first` : explain(error),
      );
    });
    const names = (ber: { list<T>(read: () => T): T[]; string(): string }) => ber.list(() => ber.string());
    const restored = answer && decodeBer(answer, (ber) => ber.sequence(() => ({ dn: ber.string(), back: names(ber), lost: names(ber) })));
    if (restored === undefined) throw new Failure('the answer of the directory cannot be read');
    const { dn, back, lost } = restored;
    const words = [
      `restored ${dn}${kind.next}`,
      ...back.map((name) => `named again by ${name}`),
      ...lost.map((reference) => `not named again: ${reference}`),
    ];
    context.stdout.write(given.flag('json') ? `${JSON.stringify({ dn, named: back, lost })}\n` : `${words.join('\n')}\n`);
    return 0;
  });
}

/** @throws Absent, Failure when several were called so */
async function need(client: OperatorsClient, kind: Kind, base: string, name: string): Promise<ClientEntry> {
  const isThis = anyOf(equals('stsDeletedUUID', name), equals('stsDeletedName', name), equals('stsDeletedDN', name));
  const found: ClientEntry[] = [];
  const options = { base, scope: 'one', filter: allOf(kind.is, isThis), attributes, sizeLimit: sameMax } as const;
  for await (const entry of client.search(options, [showDeleted])) found.push(entry);
  if (found[0] === undefined) throw new Absent(`${kind.noneCalled} is called ${JSON.stringify(name)}. See: ${kind.list}`);
  if (found.length === 1) return found[0];
  const which = found.map((entry) => `${entry.one('stsDeletedUUID')}, deleted ${readable(entry.one('stsDeletedTime') ?? '')}`);
  throw new Failure(`several were called ${name}. Give the UUID: ${which.join('; ')}`);
}

function readable(time: string): string {
  return time.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3 $4:$5 UTC');
}
