import { text, utf8 } from '#base';
import { chainMax, sha256, verifyJose } from '#keys';
import { BadStatement, certificatesOf, demand, type Format, octetsOf, signedOctets } from '../statement.ts';

const host = 'attest.android.com';
/** How old an answer may be, and how far its clock may be ahead of ours: a ceremony takes five minutes at most. */
const ageMaxMs = 300_000;
const aheadMaxMs = 60_000;

/** Attestation by Android's SafetyNet, which Google has switched off; old devices may send it still (WebAuthn Level 3 §8.5). */
export const androidSafetyNet: Format = (presented) => {
  const { statement, nowMs } = presented;
  const version = statement.get('ver');
  demand(typeof version === 'string' && version !== '', 'ver is missing');
  const [head = '', body = '', signature = '', ...more] = (text(octetsOf(statement, 'response')) ?? '').split('.');
  demand(more.length === 0 && signature !== '', 'the response is no JWS');
  const header = readObject(head);
  const payload = readObject(body);
  const { x5c, alg } = header;
  demand(Array.isArray(x5c) && x5c.length <= chainMax, `x5c is no list of up to ${chainMax} certificates`);
  const chain = certificatesOf(x5c.map((each) => (typeof each === 'string' ? new Uint8Array(Buffer.from(each, 'base64')) : undefined)));
  const [leaf] = chain;
  demand(leaf.parsed.checkHost(host) !== undefined, `the certificate is not ${host}’s`);
  const holds = verifyJose(alg, leaf.publicKey, utf8(`${head}.${body}`), Buffer.from(signature, 'base64url'));
  demand(holds, 'the signature of the response does not hold');
  demand(payload.nonce === Buffer.from(sha256(signedOctets(presented))).toString('base64'), 'the response was made for another ceremony');
  demand(payload.ctsProfileMatch === true, 'the device does not pass its compatibility test');
  const madeMs = payload.timestampMs;
  demand(
    typeof madeMs === 'number' && madeMs > nowMs - ageMaxMs && madeMs < nowMs + aheadMaxMs,
    'the response is too old or from the future',
  );
  return [{ kind: 'chain', chain, names: 'model' }];
};

function readObject(part: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text(Buffer.from(part, 'base64url')) ?? '');
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new BadStatement('the response is no JWS');
}
