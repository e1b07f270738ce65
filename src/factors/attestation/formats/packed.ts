import {
  algorithmOf,
  chainOf,
  demand,
  demandSameModel,
  demandSignature,
  type Format,
  octetsOf,
  signedOctets,
  subjectValue,
} from '../statement.ts';

const oids = { country: '2.5.4.6', organization: '2.5.4.10', unit: '2.5.4.11', name: '2.5.4.3' } as const;

/** Packed attestation: by the credential's own key, or by a certificate (WebAuthn Level 3 §8.2, §8.2.1). */
export const packed: Format = (presented) => {
  const { statement, data } = presented;
  const algorithm = algorithmOf(statement, 'others');
  const signature = octetsOf(statement, 'sig');
  if (!statement.has('x5c')) {
    demand(!statement.has('ecdaaKeyId'), 'ECDAA is no longer part of WebAuthn');
    demand(algorithm === data.algorithm, 'its algorithm is not that of the credential');
    demandSignature(algorithm, data.publicKey, signedOctets(presented), signature);
    return [{ kind: 'self' }];
  }
  const chain = chainOf(statement);
  const [leaf] = chain;
  demand(leaf.version === 3, 'the certificate is not of version 3');
  demand(/^[A-Za-z]{2}$/.test(subjectValue(leaf, oids.country)), 'the subject of the certificate names no country');
  demand(subjectValue(leaf, oids.organization) !== '', 'the subject of the certificate names no organization');
  demand(subjectValue(leaf, oids.name) !== '', 'the subject of the certificate has no common name');
  demand(
    subjectValue(leaf, oids.unit) === 'Authenticator Attestation',
    'the unit in the subject of the certificate is not “Authenticator Attestation”',
  );
  demand(leaf.ca !== true, 'the certificate is an authority’s');
  demandSameModel(leaf, data);
  demandSignature(algorithm, leaf.publicKey, signedOctets(presented), signature);
  return [{ kind: 'chain', chain, names: 'model' }];
};
