import { refuse } from '#catalogue';
import type { SecurityKey } from '#holdings';
import type { Answer } from './answer.ts';
import { errors } from './errors.ts';
import { userHandleOf } from './options.ts';
import type { RelyingParty, WebauthnSettings } from './relying-party.ts';
import { whyOf } from './why.ts';

export interface Assertion {
  readonly answer: Answer;
  readonly settings: Pick<WebauthnSettings, 'webauthn.userVerification'>;
  readonly party: RelyingParty;
  readonly challenge: string;
  /** The one whose id the answer names. */
  readonly key: SecurityKey;
  /** Of the person who is signing in. */
  readonly entryUuid: string;
  readonly nowMs: number;
  /** Of the browser. */
  readonly address: string;
}

export interface Asserted {
  /** The key as it is to be stored from now on. */
  readonly key: SecurityKey;
  readonly userVerified: boolean;
}

/**
 * Verifies an assertion: challenge, origin, relying party, flags and signature; then that the counter has grown and that what the key says of
 * backups can be.
 *
 * @throws Refusal `assertionRefused`, `counterBehind`, `backupChanged`
 * @see Web Authentication Level 3 §7.2
 */
export async function verifyAssertion(given: Assertion): Promise<Asserted> {
  const { answer, key, entryUuid, nowMs, address } = given;
  const { asserted } = answer;
  if (asserted === undefined) throw refuse(errors.assertionRefused, { why: 'the answer asserts nothing' });
  if (asserted.userHandle !== undefined && asserted.userHandle !== userHandleOf(entryUuid))
    throw refuse(errors.assertionRefused, { why: 'the credential was made for somebody else' });
  const info = await verified(given, asserted);
  // §6.1.1: zero before and after is an authenticator without a counter.
  const counter = info.newCounter;
  if ((counter > 0 || key.counter > 0) && counter <= key.counter) throw refuse(errors.counterBehind, { counter, last: key.counter });
  if ((info.credentialDeviceType === 'multiDevice') !== key.backupEligible) throw refuse(errors.backupChanged);
  return {
    key: { ...key, counter, backedUp: info.credentialBackedUp, lastUsedMs: nowMs, lastUsedFrom: address },
    userVerified: info.userVerified,
  };
}

async function verified({ answer, settings, party, challenge, key }: Assertion, asserted: NonNullable<Answer['asserted']>) {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified: holds, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: answer.id,
        rawId: answer.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: answer.clientDataJSON,
          authenticatorData: asserted.authenticatorData,
          signature: asserted.signature,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      // The counter is judged once the signature is known to be the key's: until then anybody may have made it up.
      credential: { id: key.id, publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')), counter: 0 },
      requireUserVerification: settings['webauthn.userVerification'] === 'required',
    });
    if (holds) return authenticationInfo;
  } catch (thrown) {
    throw refuse(errors.assertionRefused, { why: whyOf(thrown) });
  }
  throw refuse(errors.assertionRefused, { why: 'the signature is not the key’s' });
}
