import { concat } from '#base';
import { chainOf, demand, demandSignature, type Format, octetsOf } from '../statement.ts';

const es256 = -7;

/**
 * Attestation of authenticators older than FIDO2 (WebAuthn Level 3 §8.6). Its verification procedure says nothing of the AAGUID, which a client leaves
 * zero and the vector of the specification does not: it is not looked at.
 */
export const fidoU2f: Format = ({ statement, data, clientDataHash }) => {
  const chain = chainOf(statement);
  const [leaf] = chain;
  demand(chain.length === 1, 'x5c holds more than one certificate');
  demand(leaf.publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1', 'the certificate’s key is not on P-256');
  const [x, y] = [data.cose.get(-2), data.cose.get(-3)];
  demand(data.algorithm === es256 && x instanceof Uint8Array && y instanceof Uint8Array, 'the credential’s key is not on P-256');
  const signed = concat([Uint8Array.of(0), data.rpIdHash, clientDataHash, data.credentialId, Uint8Array.of(4), x, y]);
  demandSignature(es256, leaf.publicKey, signed, octetsOf(statement, 'sig'));
  return [{ kind: 'chain', chain, names: 'nothing' }];
};
