import { decodeBer, encodeBer } from '#ldap';
import type { Actor } from './actor.ts';

/** One decision about a right, and the rule that makes it. */
export interface AccessDecision {
  readonly right: string;
  /** Empty for a right on the entry itself. */
  readonly attribute: string;
  readonly allowed: boolean;
  /** protection, rule, built-in or nothing */
  readonly by: string;
  readonly name: string;
}

/** What is asked about access; `as` is a DN, an authorization identity, a uid or `anonymous`. */
export interface AccessAsked {
  readonly as: string;
  readonly entry: string;
  readonly strength?: string | undefined;
  readonly from?: string | undefined;
  readonly attribute?: string | undefined;
  readonly right?: string | undefined;
}

/** One rule that lets somebody through a door or keeps them out. */
export interface SignInRule {
  readonly rule: string;
  /** passes, refuses, or says: neither. */
  readonly verdict: string;
  readonly words: string;
  readonly code: string;
  readonly change: string;
}

export interface SignInAsked {
  readonly dn: string;
  readonly door: string;
  readonly from?: string | undefined;
  readonly password?: string | undefined;
  /** The client id of the one that they sign in to, at the door `browser`. */
  readonly application?: string | undefined;
}

/** Whoever sends extended operations. */
type Asker = Pick<Actor, 'extended'>;

const explainAccessOid = '2.25.83716444157178576224225129172109131643.6.20';
const explainSignInOid = '2.25.83716444157178576224225129172109131643.6.76';
const setTag = 0x31;
const suffixTag = 0x86;
const accessTags = { as: 0x80, entry: 0x81, strength: 0x82, from: 0x83, attribute: 0x84, right: 0x85 } as const;
const signInTags = { who: 0x80, door: 0x81, from: 0x82, password: 0x83, application: 0x84 } as const;

/**
 * Which rules decide what somebody may do with an entry (docs/access.md).
 *
 * @returns  `undefined` for an answer that cannot be read
 * @throws ClientRefusal  50 for who does not manage the realm
 */
export async function explainAccess(asker: Asker, { as, entry, ...more }: AccessAsked) {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(as === 'anonymous' ? '' : as.includes('=') || /^(?:u|dn):/i.test(as) ? as : `u:${as}`, accessTags.as);
      ber.string(entry, accessTags.entry);
      for (const name of ['strength', 'from', 'attribute', 'right'] as const)
        if (more[name] !== undefined) ber.string(more[name], accessTags[name]);
    }),
  );
  const answer = await asker.extended(explainAccessOid, value);
  return (
    answer &&
    decodeBer(answer, (ber) =>
      ber.sequence(() => ({
        visible: ber.boolean(),
        decisions: ber.list(
          (): AccessDecision =>
            ber.sequence(() => ({
              right: ber.string(),
              attribute: ber.string(),
              allowed: ber.boolean(),
              by: ber.string(),
              name: ber.string(),
            })),
        ),
      })),
    )
  );
}

/** The built-in rules of a realm, each by what it does, with its attributes as an entry of a rule would have them. Returns and throws as `explainAccess` does. */
export async function builtInRules(asker: Asker, suffix: string) {
  const value = encodeBer((ber) => ber.sequence(() => ber.string(suffix, suffixTag)));
  const answer = await asker.extended(explainAccessOid, value);
  return (
    answer &&
    decodeBer(answer, (ber) =>
      ber.list(() =>
        ber.sequence(() => ({
          name: ber.string(),
          values: new Map(ber.list(() => ber.sequence(() => [ber.string(), ber.list(() => ber.string(), setTag)] as const))),
        })),
      ),
    )
  );
}

/** Why somebody is let through a door, or is not, rule by rule; no counter moves. Returns and throws as `explainAccess` does. */
export async function explainSignIn(asker: Asker, { dn, door, from, password, application }: SignInAsked) {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(`dn:${dn}`, signInTags.who);
      ber.string(door, signInTags.door);
      if (from !== undefined) ber.string(from, signInTags.from);
      if (password !== undefined) ber.string(password, signInTags.password);
      if (application !== undefined) ber.string(application, signInTags.application);
    }),
  );
  const answer = await asker.extended(explainSignInOid, value);
  return (
    answer &&
    decodeBer(answer, (ber) =>
      ber.list(
        (): SignInRule =>
          ber.sequence(() => ({
            rule: ber.string(),
            verdict: ber.string(),
            words: ber.string(),
            code: ber.string(),
            change: ber.string(),
          })),
      ),
    )
  );
}
