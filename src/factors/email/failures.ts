import type { Audit, Log } from '#audit';
import { utf8 } from '#base';
import { ClientRefusal, type DirectoryClient } from '#client';
import { resultCodes } from '#ldap';
import { errors } from './errors.ts';

/** Whose failures are counted. */
export interface Failing {
  readonly realm: string;
  readonly dn: string;
  readonly entryUuid: string;
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
  forget(dn: string): Promise<void>;
  /** Resolves when all that was noted is written. */
  close(): Promise<void>;
}

export interface FailuresOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly log: Pick<Log, 'warn'>;
}

const attribute = 'stsEmailFailures';
const notThere = [resultCodes.noSuchAttribute];
/** The same value, or another one of an attribute that has one. */
const thereAlready = [resultCodes.attributeOrValueExists, resultCodes.constraintViolation];

export function openFailures({ client, audit, log }: FailuresOptions): Failures {
  const underWay = new Map<string, Promise<void>>();
  const change = (dn: string, operation: 'add' | 'increment' | 'replace', values: readonly string[]) =>
    client.as('self').modify(dn, [{ operation, attribute: { description: attribute, values: values.map(utf8) } }]);
  const increment = async (dn: string, known: number): Promise<void> => {
    for (let isFirst = known === 0; ; isFirst = !isFirst) {
      const refusals = isFirst ? thereAlready : notThere;
      if (!(await unless(refusals, () => change(dn, isFirst ? 'add' : 'increment', ['1'])))) return;
    }
  };
  const write = async ({ realm, dn, entryUuid, known }: Failing, limit: number): Promise<void> => {
    try {
      await increment(dn, known);
      const count = Number((await client.as('self').read(dn, [attribute]))?.one(attribute) ?? 0);
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
    forget: (dn) => change(dn, 'replace', []),
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
