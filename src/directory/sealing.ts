import { equalBytes, text } from '#base';
import { refuse } from '#catalogue';
import { readTotpCredential } from '#credentials';
import { algorithmOfKey, isSealed, signingAlgorithms } from '#keys';
import { sealsSecrets } from '#policy';
import { type AttributeType, typeAt } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { lastStepKey, privateKeyKey, totpCredentialKey } from './holders.ts';
import type { Step } from './operations/changes.ts';
import type { Realm } from './realm.ts';
import { realmOf } from './realms.ts';
import { type Attributes, attributesOf } from './record.ts';

/**
 * Values of types that the schema marks as sealed come open, whichever way they come, and are sealed for their entry before they are stored: in realms that
 * are in product mode. In development mode they are kept as they are.
 */

/** What comes in one request: each is sealed in its turn of the loop. */
const valuesMax = 256;

/** @throws Refusal `valueRefused` (19) for values that cannot be sealed, and for an authenticator app that no code could be judged by */
export function checkSealable(type: AttributeType, values: readonly Uint8Array[]): void {
  if (!type.sealed) return;
  const unfit = (why: string) => refuse(errors.valueRefused, { attribute: type.name, why });
  if (values.length > valuesMax) throw unfit(`a request brings ${valuesMax} sealed values at most`);
  // A value of somebody else could else be put here as it was found.
  if (values.some(isSealed)) throw unfit('a value comes open and is sealed here');
  if (type.key === privateKeyKey && values.some((value) => algorithmOfKey(text(value) ?? '') === undefined))
    throw unfit(`it is the private half of a key as JSON (RFC 7517) that names its algorithm in alg: ${signingAlgorithms.join(', ')}`);
  if (type.key === totpCredentialKey && values.some((value) => readTotpCredential(value) === undefined))
    throw unfit(
      'it is {"secret":"<base32 of 16 to 64 octets>","algorithm":"SHA1, SHA256 or SHA512","digits":6 to 8,"period":15 to 300,"addedMs":<milliseconds since 1970>}',
    );
}

/** How a value is stored in a realm. @throws Refusal `kekMissing` (53) */
export function storedForm(
  { sealer }: Pick<Engine, 'sealer'>,
  { mode }: Pick<Realm, 'mode'>,
  uuid: string,
  key: string,
  value: Uint8Array,
) {
  return sealsSecrets(mode) ? sealer.seal(uuid, key, value) : value;
}

/** Seals what a new entry is given. @throws Refusal `kekMissing` (53) */
export function sealAll(desk: Pick<Engine, 'schema' | 'sealer'>, realm: Pick<Realm, 'mode'>, uuid: string, attributes: Attributes): void {
  for (const [key, { description, values }] of attributes) {
    if (typeAt(desk.schema, key)?.sealed !== true) continue;
    attributes.set(key, { description, values: values.map((value) => storedForm(desk, realm, uuid, key, value)) });
  }
}

/**
 * Changes with the stored form of the values that they bring open: one that the entry has is named as it has it.
 *
 * @throws Refusal `kekMissing` (53)
 */
export function sealedSteps<S extends Step>(engine: Engine, snapshot: Snapshot, entry: StoredEntry, steps: readonly S[]): readonly S[] {
  if (!steps.some(({ described, values }) => described.type.sealed && values.length > 0)) return steps;
  const realm = realmOf(engine, snapshot, entry.dnKey) ?? engine.realms.default;
  const held = attributesOf(engine.schema, entry);
  return steps.map((step) => {
    const { operation, described } = step;
    if (!described.type.sealed) return step;
    const { key } = described;
    const stored = (value: Uint8Array): Uint8Array => {
      const known = (held.get(key)?.values ?? []).find((each) => {
        const open = engine.sealer.open(entry.uuid, key, each)?.value;
        return open !== undefined && equalBytes(open, value);
      });
      return known === undefined || operation === 'replace' ? storedForm(engine, realm, entry.uuid, key, value) : known;
    };
    const values = step.values.map(stored);
    const { equality } = described.type;
    return { ...step, values, ...('normals' in step ? { normals: values.map((value) => equality?.normalize(value)) } : {}) };
  });
}

/** An app's last step goes with its secret: another one begins anew. */
export function settleTotp({ sealer }: Pick<Engine, 'sealer'>, uuid: string, old: Attributes, attributes: Attributes): void {
  const [was, is] = [old, attributes].map((each) => each.get(totpCredentialKey)?.values[0]);
  if (was === is) return;
  const open = (stored: Uint8Array | undefined) => stored && sealer.open(uuid, totpCredentialKey, stored)?.value;
  const [before, now] = [open(was), open(is)];
  if (before !== undefined && now !== undefined && equalBytes(before, now)) return;
  attributes.delete(lastStepKey);
}
