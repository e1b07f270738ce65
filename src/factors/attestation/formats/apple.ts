import { equalBytes } from '#base';
import { derChildren, isContext, readOneDer, samePublicKey, sha256 } from '#keys';
import { chainOf, demand, type Format, signedOctets } from '../statement.ts';

const nonceOid = '1.2.840.113635.100.8.2';

/** Apple's anonymous attestation (WebAuthn Level 3 §8.8): a certificate made for this credential and this ceremony. */
export const apple: Format = (presented) => {
  const chain = chainOf(presented.statement);
  const [leaf] = chain;
  const extension = leaf.extensions.get(nonceOid);
  demand(extension !== undefined, 'the certificate has no nonce');
  const [tagged] = derChildren(readOneDer(extension.value));
  const [nonce] = isContext(tagged, 1) ? derChildren(tagged) : [];
  demand(
    nonce !== undefined && equalBytes(nonce.content, sha256(signedOctets(presented))),
    'the certificate was made for another ceremony',
  );
  demand(samePublicKey(leaf.publicKey, presented.data.publicKey), 'the certificate is of another key than the credential');
  return [{ kind: 'chain', chain, names: 'model' }];
};
