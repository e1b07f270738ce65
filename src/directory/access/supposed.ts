import { refuse } from '#catalogue';
import type { StoredEntry } from '#store';
import { errors } from '../errors.ts';
import type { Identity, Strength } from '../types.ts';
import { readStrength } from './strength.ts';

/**
 * Who somebody would be who had come in with such a strength.
 *
 * @param entry  theirs; nothing for anonymous, and for the operators' socket by itself
 * @param words  as in `stsRuleStrength`; by default they have given their password
 * @param address  from where, for one who has a session
 * @throws Refusal `accessMalformed` (2)
 */
export function identityOf(
  entry: Pick<StoredEntry, 'dn' | 'uuid'> | undefined,
  words: string | undefined,
  nowMs: number,
  address: string,
): Identity {
  const read = words === undefined ? [] : readStrength(words);
  if ('why' in read) throw refuse(errors.accessMalformed, { why: read.why });
  let strength: Strength = entry === undefined ? 'anonymous' : 'ownPassword';
  let factors = 0;
  let ageMs: number | undefined;
  for (const word of read) {
    if (word.kind === 'fresh') ageMs = word.seconds * 1000;
    if (word.kind === 'two-factors' || word.kind === 'all-factors') factors = 2;
    if (word.kind === 'session' || word.kind === 'fresh') factors = Math.max(factors, 1);
  }
  // Who proves their password anew has a session, however they came in; without another word the web layer has told of it.
  const plain = read.map(({ kind }) => named[kind]).find((each) => each !== undefined);
  if (plain !== undefined || factors > 0) strength = plain ?? 'onBehalf';
  if (entry === undefined && strength !== 'operatorsSocket') strength = 'anonymous';
  const session = factors === 0 || entry === undefined ? {} : { session: { factors, authenticatedMs: nowMs - (ageMs ?? nowMs), address } };
  return { dn: entry?.dn, uuid: entry?.uuid, strength, ...session };
}

const named: Readonly<Record<string, Strength | undefined>> = {
  'app-password': 'appPassword',
  'own-password': 'ownPassword',
  certificate: 'certificate',
  operators: 'operatorsSocket',
};
