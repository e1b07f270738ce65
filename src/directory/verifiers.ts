import { equalBytes, utf8 } from '#base';
import {
  formatVerifier,
  makeVerifier,
  parseVerifier,
  type ScramMechanism,
  type ScramVerifier,
  scramHashes,
  scramSaltOctets,
} from '#credentials';
import { decodeAttributes } from '#ldap';
import type { Snapshot, StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { passwordPolicyIn } from './password-in-force.ts';
import type { Realm } from './realm.ts';
import type { Attributes } from './record.ts';

/** The attribute, secret as the password itself, in which verifiers of the password are kept. */
const verifierName = 'stsScramVerifier';
const verifierKey = verifierName.toLowerCase();

/** Verifiers of the passwords that a request brings in clear, by the hash that was made of each. */
export type Verifiers = ReadonlyMap<Uint8Array, readonly Uint8Array[]>;

/** The SCRAM mechanisms for which the password policy in force in a realm has verifiers written: none without an entry that says so. */
export function wantedScram(engine: Engine, snapshot: Snapshot, realm: Realm): readonly ScramMechanism[] {
  const policy = passwordPolicyIn(engine, snapshot, realm);
  return (Object.keys(scramHashes) as ScramMechanism[]).filter((mechanism) => policy.scramMechanisms.includes(mechanism));
}

/** @throws Refusal `hashQueueFull` (51) */
export async function verifiersOf(engine: Engine, password: Uint8Array, realm: Realm): Promise<readonly Uint8Array[]> {
  const iterations = realm.settings['security.scramIterations'];
  const verifiers: Uint8Array[] = [];
  for (const mechanism of wantedScram(engine, engine.store.snapshot(), realm)) {
    const made = await makeVerifier(engine.hasher, mechanism, password, { salt: engine.chance.octets(scramSaltOctets), iterations });
    if (made !== undefined) verifiers.push(utf8(formatVerifier(made)));
  }
  return verifiers;
}

/** Verifiers go with the password they are of: another password, or one that came as a hash, leaves none of the old one. */
export function settleVerifiers(
  attributes: Attributes,
  was: Uint8Array | undefined,
  is: Uint8Array | undefined,
  verifiers: Verifiers,
): void {
  if (was !== undefined && is !== undefined && equalBytes(was, is)) return;
  attributes.delete(verifierKey);
  const values = is === undefined ? undefined : verifiers.get(is);
  if (values !== undefined && values.length > 0) attributes.set(verifierKey, { description: verifierName, values });
}

/** The verifier of an entry for a mechanism; `undefined` when it has none. */
export function verifierOf(entry: StoredEntry, mechanism: ScramMechanism): ScramVerifier | undefined {
  const kept = decodeAttributes(entry.secret).find(({ description }) => description.toLowerCase() === verifierKey);
  return kept?.values.map(parseVerifier).find((each) => each?.mechanism === mechanism);
}
