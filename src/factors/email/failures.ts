import type { Audit, Log } from '#audit';
import { utf8 } from '#base';
import { ClientRefusal, type DirectoryClient } from '#client';
import { resultCodes } from '#ldap';
import { errors } from './errors.ts';

/** As what a code is tried: a first factor anybody may try who knows the name, a second one only who has shown the first. They are counted apart. */
export type Role = 'first' | 'second';

/** Whose failures are counted. */
export interface Failing {
  readonly realm: string;
  readonly dn: string;
  readonly entryUuid: string;
  /** As what the codes were tried. */
  readonly role: Role;
  /** Of which it was known before. */
  readonly known: number;
}

/**
 * Wrong codes in a row, counted on the person's entry by the web layer itself: neither they nor who tries to be them may forgive any.
 *
 * A failure is written after its answer: a name that nobody has is answered as quickly. Whoever judges the next code of a person waits for it.
 */
export interface Failures {
  note(failing: Failing, limit: number): void;
  /** Resolves when what was noted of an entry is written. */
  settled(dn: string): Promise<void>;
  /** A right code: the row of failures is over. */
  forget(dn: string, role: Role): Promise<void>;
  /** Resolves when all that was noted is written. */
  close(): Promise<void>;
}

export interface FailuresOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly log: Pick<Log, 'warn'>;
}

const attributes = { first: 'stsEmailFirstFailures', second: 'stsEmailFailures' } as const satisfies Record<Role, string>;
const notThere = [resultCodes.noSuchAttribute];
/** The same value, or another one of an attribute that has one. */
const thereAlready = [resultCodes.attributeOrValueExists, resultCodes.constraintViolation];

export function openFailures({ client, audit, log }: FailuresOptions): Failures {
  const underWay = new Map<string, Promise<void>>();
  const change = (dn: string, role: Role, operation: 'add' | 'increment' | 'replace', values: readonly string[]) =>
    client.as('self').modify(dn, [{ operation, attribute: { description: attributes[role], values: values.map(utf8) } }]);
  const increment = async (dn: string, role: Role, known: number): Promise<void> => {
    for (let isFirst = known === 0; ; isFirst = !isFirst) {
      const refusals = isFirst ? thereAlready : notThere;
      if (!(await unless(refusals, () => change(dn, role, isFirst ? 'add' : 'increment', ['1'])))) return;
    }
  };
  const write = async ({ realm, dn, entryUuid, role, known }: Failing, limit: number): Promise<void> => {
    try {
      await increment(dn, role, known);
      const count = Number((await client.as('self').read(dn, [attributes[role]]))?.one(attributes[role]) ?? 0);
      if (count !== limit) return;
      const error = errors.emailTurnedOff;
      const event = { realm, door: 'service', action: 'factor.email', outcome: 'refused', correlationId: '', address: '' } as const;
      audit.record({ ...event, subject: `urn:uuid:${entryUuid}`, error, summary: error.means });
    } catch (thrown) {
      log.warn(
        errors.emailFailureNotNoted,
        `${errors.emailFailureNotNoted.means}: ${thrown instanceof Error ? thrown.message : 'unknown error'}`,
      );
    }
  };
  return {
    note: (failing, limit) => {
      const { dn } = failing;
      const before = underWay.get(dn) ?? Promise.resolve();
      const going = before
        .then(() => write(failing, limit))
        .finally(() => {
          if (underWay.get(dn) === going) underWay.delete(dn);
        });
      underWay.set(dn, going);
    },
    settled: (dn) => underWay.get(dn) ?? Promise.resolve(),
    forget: (dn, role) => change(dn, role, 'replace', []),
    close: async () => {
      await Promise.all(underWay.values());
    },
  };
}

/** True when it was refused with one of the codes. */
async function unless(codes: readonly number[], act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return false;
  } catch (error) {
    if (error instanceof ClientRefusal && codes.includes(error.code)) return true;
    throw error;
  }
}
