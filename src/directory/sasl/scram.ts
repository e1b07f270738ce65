import { hex, text, token, utf8 } from '#base';
import { refuse } from '#catalogue';
import { judgeProof, mockVerifier, type ScramMechanism, type ScramVerifier, saslPrep, scramJudgement } from '#credentials';
import { parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import { mayAuth, refuseRemoved, signingIn } from '../account.ts';
import { counted, dnTriedOf } from '../attempts.ts';
import type { Call } from '../call.ts';
import { circumstancesOf } from '../doors.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { entryOfId, personName, realmOfId } from '../named.ts';
import { admitByAge } from '../password-age.ts';
import { authorized } from '../taking.ts';
import type { Identity } from '../types.ts';
import { verifierOf, wantedScram } from '../verifiers.ts';
import type { SaslKind, Step, Teller } from './kind.ts';

/** SCRAM with SHA-256 (RFC 7677) and SHA-1 (RFC 5802), without channel binding. */
export const scramSha256 = scram('SCRAM-SHA-256');
export const scramSha1 = scram('SCRAM-SHA-1');

const nonceOctets = 18;

/** RFC 5802 §7: `client-first-message`. An extension that must be understood begins with `m=`, and none is. */
const firstForm = /^([ny],(?:a=([^,\0]+))?,)(n=([^,\0]+),r=([\x21-\x2b\x2d-\x7e]{1,256})(?:,[A-Za-z]=[^,\0]+)*)$/u;
/** `client-final-message`. */
const finalForm = /^(c=([A-Za-z0-9+/=]+),r=([\x21-\x2b\x2d-\x7e]+)(?:,[A-Za-z]=[^,\0]+)*),p=([A-Za-z0-9+/]+=*)$/u;

/** What was said in the first step. */
interface First {
  readonly header: string;
  readonly authzId: string;
  readonly name: string;
  readonly nonce: string;
  /** Both messages as the proof is about them. */
  readonly said: string;
}

function scram(mechanism: ScramMechanism): SaslKind {
  return {
    mechanism,
    // Without the policy's word nobody has verifiers.
    offered: ({ engine }) => isWanted(engine, mechanism),
    begin(call, credentials, teller) {
      const { engine } = call;
      const [, header, authzId = '', bare, saslname = '', clientNonce] = firstForm.exec(textOf(credentials)) ?? [];
      const name = readName(saslname);
      if (header === undefined || name === undefined) throw refuse(errors.saslMalformed);
      teller.subject(name);

      const entry = entryFor(call, engine.store.snapshot(), name);
      const { settings } = realmOfId(engine, engine.store.snapshot(), name, 'uid');
      const iterations = settings['security.scramIterations'];
      const mock = mockVerifier(engine.mockKey, mechanism, oneSpelling(engine, name), iterations);
      const shown = (entry === undefined ? undefined : verifierOf(entry, mechanism)) ?? mock;
      const nonce = `${clientNonce}${token(engine.chance, nonceOctets)}`;
      const answer = `r=${nonce},s=${Buffer.from(shown.salt).toString('base64')},i=${shown.iterations}`;
      const first: First = { header, authzId: readName(authzId) ?? '\0', name, nonce, said: `${bare},${answer}` };
      return {
        kind: 'more',
        credentials: utf8(answer),
        next: (proof, nextTeller) => finish(call, { mechanism, mock, shown }, first, proof, nextTeller),
      };
    },
  };
}

/** In some realm: who asks is nobody's yet. */
function isWanted(engine: Engine, mechanism: ScramMechanism): boolean {
  const snapshot = engine.store.snapshot();
  return engine.realms.in(snapshot).all.some((realm) => wantedScram(engine, snapshot, realm).includes(mechanism));
}

interface Shown {
  readonly mechanism: ScramMechanism;
  readonly mock: ScramVerifier;
  /** The one whose salt the client was told. */
  readonly shown: ScramVerifier;
}

/** @throws Refusal `saslMalformed` (2), `attemptsLimited` (53), the judgement's (49), `passwordExpired` (49), `notAuthorized` (50) */
async function finish(
  call: Call,
  { mechanism, mock, shown }: Shown,
  first: First,
  credentials: Uint8Array | undefined,
  teller: Teller,
): Promise<Step> {
  const { engine } = call;
  const [, unproved, binding = '', nonce, proof = ''] = finalForm.exec(textOf(credentials)) ?? [];
  if (unproved === undefined || Buffer.from(binding, 'base64').toString() !== first.header || nonce !== first.nonce)
    throw refuse(errors.saslMalformed);
  teller.subject(first.name);

  // Read again: the client may have taken its time. A verifier that is another one by now proves nothing with the salt that was shown.
  const snapshot = engine.store.snapshot();
  const realm = realmOfId(engine, snapshot, first.name, 'uid');
  refuseRemoved(realm);
  const dn = dnTriedOf(engine, snapshot, entryOfId(engine, snapshot, first.name, 'uid'), first.name);
  const entry = entryFor(call, snapshot, first.name);
  const held = entry === undefined ? undefined : verifierOf(entry, mechanism);
  const isThat = held !== undefined && Buffer.compare(held.storedKey, shown.storedKey) === 0;
  const { proves, signature } = judgeProof(isThat ? held : mock, `${first.said},${unproved}`, new Uint8Array(Buffer.from(proof, 'base64')));
  const circumstances = circumstancesOf(call, realm);
  const account = entry === undefined ? undefined : signingIn(call, snapshot, realm, entry, circumstances);
  const itself = await counted(call, { realm, dn }, async (): Promise<Identity> => {
    const row = scramJudgement(account, held !== undefined, isThat && proves, circumstances);
    if (row !== undefined || entry === undefined) throw refuse(row ?? errors.saslMalformed);
    return { dn: entry.dn, uuid: entry.uuid, strength: 'ownPassword' };
  });
  if (entry !== undefined) await admitByAge(call, realm, entry, circumstances.door);
  const identity = authorized(engine, snapshot, itself, first.authzId, call.connection);
  await engine.store.durable(snapshot.number);
  return { kind: 'done', identity, credentials: utf8(`v=${Buffer.from(signature).toString('base64')}`) };
}

/** The entry of a name, where somebody may sign in as it: else there is none, as far as anybody sees. */
function entryFor(call: Call, snapshot: Snapshot, name: string): StoredEntry | undefined {
  const entry = entryOfId(call.engine, snapshot, name, 'uid');
  return entry !== undefined && mayAuth(call, snapshot, entry) ? entry : undefined;
}

/** A name as all of its spellings have it: who exists has one salt under each of them, and who does not must have, too. */
function oneSpelling(engine: Engine, name: string): string {
  const { realm, uid } = personName(engine, engine.store.snapshot(), nameIn(name));
  const dn = /^dn:/i.test(name) ? parseDn(name.slice(3)) : [[{ type: 'uid', value: utf8(uid) }], ...realm.people.dn];
  const key = dn && normalizeDn(engine.schema, dn);
  return key === undefined ? name : hex(key);
}

/** Without the form in front of it. */
function nameIn(name: string): string {
  return name.replace(/^(?:dn|u):/i, '');
}

function textOf(credentials: Uint8Array | undefined): string {
  return credentials === undefined ? '' : (text(credentials) ?? '');
}

/** RFC 5802 §5.1: a comma and an equals sign are written as =2C and =3D, and nothing else begins with an equals sign. */
function readName(saslname: string): string | undefined {
  if (/=(?!2C|3D)/.test(saslname)) return undefined;
  return saslPrep(saslname.replaceAll('=2C', ',').replaceAll('=3D', '='));
}
