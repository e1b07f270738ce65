import type { Audit } from '#audit';
import { type Chance, type Clock, createBoundedMap, token } from '#base';
import { Refusal, refuse } from '#catalogue';
import type { DirectoryClient } from '#client';
import type { Holdings, SecurityKey } from '#holdings';
import type { Mode } from '#policy';
import type { State } from '#state';
import { readAnswer } from './answer.ts';
import { verifyAssertion } from './assertion.ts';
import { errors } from './errors.ts';
import { addKey, type InName, removeKey, replaceKey } from './kept.ts';
import { type Minted, parseMinted } from './minted.ts';
import { type CeremonyOptions, creationOptions, entryUuidOf, requestOptions } from './options.ts';
import { type JudgeAttestation, verifyRegistration } from './registration.ts';
import { type RelyingParty, relyingPartyOf, type WebauthnSettings } from './relying-party.ts';
import { keySwitches } from './settings.ts';

/** Where and for whom a ceremony is. */
export interface Ceremony {
  readonly realm: { readonly id: string; readonly mode: Mode };
  /** Of this service, as the browser sees it: `https://id.example.com`. */
  readonly origin: string;
  readonly person: { readonly dn: string; readonly entryUuid: string; readonly holdings: { readonly keys: readonly SecurityKey[] } };
  readonly role: SecurityKey['role'];
  readonly visit: { readonly door: string; readonly address: string; readonly correlationId: string };
}

/** A ceremony that was answered. */
export interface Answered extends Ceremony {
  /** What the script posted. */
  readonly answer: string;
  /** The challenge that was claimed for this answer. */
  readonly challenge: string;
  readonly session: InName['session'];
}

/** In whose name a key is changed, and from where. */
export type Changing = InName & Pick<Ceremony, 'realm' | 'visit'>;

/** Security keys: the ceremonies, and what is kept of them. Each refusal is in the audit trail by the time it is thrown. */
export interface Webauthn {
  /**
   * A challenge: 32 octets of chance, base64url. It is good for five minutes, once, and for a ceremony of this role.
   *
   * @param holder  what it belongs to: a sign-in, a session
   */
  mint(about: Pick<Ceremony, 'realm' | 'role'>, holder: string): Promise<{ readonly challenge: string; readonly untilMs: number }>;
  /**
   * Takes the challenge that an answer is to: of all who send one, in whatever process, one gets it.
   *
   * @throws Refusal `answerMalformed`, `challengeGone`
   */
  claim(about: Omit<Ceremony, 'role'>, holder: string, answer: string): Promise<Pick<Ceremony, 'role'> & { readonly challenge: string }>;
  /** Why there is no ceremony of a role in a realm at this moment; `undefined` when there may be. */
  offTo(realm: Ceremony['realm'], role: SecurityKey['role']): string | undefined;
  /**
   * What the browser is asked, to make a credential.
   *
   * @param name  what the browser calls the person in its list of passkeys
   * @throws Refusal `switchedOff`, `relyingPartyUnfit`, `tooManyKeys`
   */
  creation(ceremony: Ceremony, challenge: string, name: string): Promise<CeremonyOptions>;
  /** What the browser is asked, to assert one of the person's credentials of the role; of `nobody`, any that it knows itself. @throws Refusal `switchedOff`, `relyingPartyUnfit` */
  request(ceremony: Ceremony, challenge: string): Promise<CeremonyOptions>;
  /**
   * Verifies a registration and writes the key in the person's name.
   *
   * @param only  `first`: where a sign-in enrols, of somebody who has nothing to sign in with in this role; judged when the key is written
   * @throws Refusal for whatever does not hold
   */
  enrol(given: Answered, name: string, only?: 'first'): Promise<SecurityKey>;
  /** Verifies an assertion and writes counter and use in the person's name. @throws Refusal for whatever does not hold */
  present(given: Answered): Promise<SecurityKey>;
  /** The entry that an answer says it is for, where one signs in without a name; nothing is known of it yet. */
  ownerOf(answer: string): string | undefined;
  /** Whether the person has as many keys as they may. */
  isFull(realm: Ceremony['realm'], person: Ceremony['person']): boolean;
  /** Both are refused (`notWritten`) when the key is not as it was read. */
  rename(about: Changing, key: SecurityKey, name: string): Promise<void>;
  remove(about: Changing, key: SecurityKey): Promise<void>;
}

export interface WebauthnOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly state: Pick<State, 'kind'>;
  readonly settingsOf: (realm: string) => WebauthnSettings;
  readonly attestation: {
    bare(attestationObject: Uint8Array): Uint8Array;
    judgeIn(realm: Ceremony['realm']): JudgeAttestation;
  };
  readonly audit: Pick<Audit, 'record'>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Told of what the log should say. */
  readonly warn: (why: string) => void;
}

const challengeOctets = 32;
/** Of what the log should say, each is said once; hosts are what browsers send. */
const toldMax = 100;
const challengeMs = 5 * 60_000;
/** Challenges that wait in one realm; the one that was minted first goes first. */
const mintedMax = 100_000;

export function openWebauthn(options: WebauthnOptions): Webauthn {
  const { client, settingsOf, clock, chance, audit } = options;
  const minted = options.state.kind<Minted>({ name: 'ceremony', parse: parseMinted, rowsMax: () => mintedMax });
  const told = createBoundedMap<string, true>(toldMax);
  const warn = (why: string) => {
    if (told.get(why) === undefined) options.warn(why);
    told.set(why, true);
  };
  const ready = (ceremony: Ceremony) => readyFor({ ...options, warn }, ceremony);
  const audited = <T>(action: string, ceremony: About, act: () => Promise<T>, words: (done: T) => string) =>
    recorded(audit, action, ceremony, act, words);

  return {
    mint: async ({ realm, role }, holder) => {
      const [challenge, untilMs] = [token(chance, challengeOctets), clock.nowMs() + challengeMs];
      await minted.put(realm.id, challenge, { holder, role }, untilMs);
      return { challenge, untilMs };
    },
    claim: (about, holder, answer) =>
      refusalsRecorded(audit, 'authn.key.claim', about, async () => {
        const { challenge } = readAnswer(answer);
        const kept = await minted.take(about.realm.id, challenge);
        if (kept === undefined || kept.value.holder !== holder || clock.nowMs() >= kept.expiresAtMs) throw refuse(errors.challengeGone);
        return { challenge, role: kept.value.role };
      }),
    offTo: (realm, role) => offTo(settingsOf(realm.id), role),
    creation: (ceremony, challenge, name) =>
      refusalsRecorded(audit, 'authn.key.ask', ceremony, async () => {
        const { settings, party } = ready(ceremony);
        checkRoom(settings, ceremony);
        const { entryUuid, holdings } = ceremony.person;
        return creationOptions(settings, party, challenge, { entryUuid, name }, holdings.keys);
      }),
    request: (ceremony, challenge) =>
      refusalsRecorded(audit, 'authn.key.ask', ceremony, async () => {
        const { settings, party } = ready(ceremony);
        return requestOptions(settings, party, challenge, keysFor(ceremony));
      }),
    enrol: (given, name, only) =>
      audited(
        'authn.key.enrol',
        given,
        async () => {
          const { settings, party } = ready(given);
          checkRoom(settings, given);
          const { challenge, role, realm } = given;
          const registration = { answer: readAnswer(given.answer), settings, party, challenge, role, name, nowMs: clock.nowMs() };
          const key = await verifyRegistration(registration, options.attestation.bare, options.attestation.judgeIn(realm));
          await addKey(client, { dn: given.person.dn, session: given.session }, key, (holdings) => {
            checkRoom(settings, { person: { holdings } });
            if (only === 'first' && holdsIn(role, holdings)) throw refuse(errors.notTheFirst);
          });
          return key;
        },
        ({ role, attestation: { format, proved } }) => `a security key was enrolled (${role}; attestation ${format}: ${proved})`,
      ),
    present: (given) =>
      audited(
        'authn.key.present',
        given,
        async () => {
          const { settings, party } = ready(given);
          const answer = readAnswer(given.answer);
          const key = keysFor(given).find(({ id }) => id === answer.id);
          if (key === undefined) throw refuse(errors.keyUnknown);
          const { challenge, person, visit } = given;
          const { entryUuid } = person;
          const asserted = await verifyAssertion({
            ...{ answer, settings, party, challenge, key, entryUuid },
            nowMs: clock.nowMs(),
            address: visit.address,
          });
          await replaceKey(client, { dn: person.dn, session: given.session }, key, asserted.key, errors.useNotRecorded);
          return asserted.key;
        },
        ({ role }) => `a security key was accepted (${role})`,
      ),
    ownerOf,
    isFull: ({ id }, person) => isFull(settingsOf(id), person),
    rename: (about, key, name) =>
      audited(
        'authn.key.rename',
        { ...about, person: about },
        () => replaceKey(client, about, key, { ...key, name }, errors.notWritten),
        () => `a security key has another name (${key.role})`,
      ),
    remove: (about, key) =>
      audited(
        'authn.key.remove',
        { ...about, person: about },
        () => removeKey(client, about, key),
        () => `a security key was removed (${key.role})`,
      ),
  };
}

function ownerOf(answer: string): string | undefined {
  try {
    const { asserted } = readAnswer(answer);
    return asserted?.userHandle === undefined ? undefined : entryUuidOf(asserted.userHandle);
  } catch (thrown) {
    // What it says is told when it is judged.
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}

/** Settings and relying party of a ceremony that may be. */
function readyFor({ settingsOf, warn }: WebauthnOptions, { realm, origin, role }: Ceremony) {
  const settings = settingsOf(realm.id);
  const setting = offTo(settings, role);
  if (setting !== undefined) throw refuse(errors.switchedOff, { setting });
  const party = relyingPartyOf(origin, settings, realm.mode);
  if ('problem' in party) throw refuse(errors.relyingPartyUnfit, { why: party.problem });
  if (party.unfit !== undefined) warn(party.unfit);
  return { settings, party } satisfies { settings: WebauthnSettings; party: RelyingParty };
}

function offTo(settings: WebauthnSettings, role: SecurityKey['role']): string | undefined {
  return keySwitches[role].find((name) => !settings[name]);
}

/** Refuses enrolment only: whoever has more keys than that keeps them. */
function checkRoom(settings: WebauthnSettings, { person }: { readonly person: Pick<Ceremony['person'], 'holdings'> }): void {
  if (isFull(settings, person)) throw refuse(errors.tooManyKeys);
}

function isFull(settings: WebauthnSettings, { holdings }: Pick<Ceremony['person'], 'holdings'>): boolean {
  return holdings.keys.length >= settings['webauthn.maxKeysPerPerson'];
}

/** Whether somebody holds what a key of this role would be the first of. */
function holdsIn(role: SecurityKey['role'], { keys, app }: Pick<Holdings, 'keys' | 'app'>): boolean {
  return keys.some((key) => key.role === role) || (role === 'mfa' && app !== undefined);
}

function keysFor({ person, role }: Ceremony): readonly SecurityKey[] {
  return person.holdings.keys.filter((key) => key.role === role);
}

/** What an audit row says of it. */
type About = Pick<Ceremony, 'realm' | 'visit'> & { readonly person: { readonly dn: string } };

async function recorded<T>(
  audit: Pick<Audit, 'record'>,
  action: string,
  { realm, person, visit }: About,
  act: () => Promise<T>,
  words: (done: T) => string,
): Promise<T> {
  const done = await refusalsRecorded(audit, action, { realm, person, visit }, act);
  audit.record({ realm: realm.id, subject: person.dn, action, ...visit, outcome: 'success', summary: words(done) });
  return done;
}

async function refusalsRecorded<T>(
  audit: Pick<Audit, 'record'>,
  action: string,
  { realm, person, visit }: About,
  act: () => Promise<T>,
): Promise<T> {
  const event = { realm: realm.id, subject: person.dn, action, ...visit };
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof Refusal) audit.record({ ...event, outcome: 'refused', error: thrown.row, summary: thrown.tells });
    throw thrown;
  }
}
