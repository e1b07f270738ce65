import { equalBytes } from '#base';
import { derChildren, derInteger, derTags, isContext, isUniversal, readOneDer, samePublicKey } from '#keys';
import { algorithmOf, chainOf, demand, demandSignature, type Format, octetsOf, signedOctets } from '../statement.ts';

const keyDescriptionOid = '1.3.6.1.4.1.11129.2.1.17';
/** Members of an authorization list, and the values that a credential's key must have (Android's key attestation schema). */
const members = { purpose: 1, allApplications: 600, origin: 702 } as const;
const sign = 2;
const generated = 0;

/**
 * Attestation by Android's key store (WebAuthn Level 3 §8.4). What software or hardware enforces counts alike: which of both is a matter of the anchor.
 * Lists that say nothing of origin and purpose are accepted, as the vector of the specification has them; what they say must be right.
 */
export const androidKey: Format = (presented) => {
  const { statement, data, clientDataHash } = presented;
  const chain = chainOf(statement);
  const [leaf] = chain;
  demandSignature(algorithmOf(statement, 'others'), leaf.publicKey, signedOctets(presented), octetsOf(statement, 'sig'));
  demand(samePublicKey(leaf.publicKey, data.publicKey), 'the certificate is of another key than the credential');
  const extension = leaf.extensions.get(keyDescriptionOid);
  demand(extension !== undefined, 'the certificate does not describe the key');
  const [, , , , challenge, , ...lists] = derChildren(readOneDer(extension.value));
  demand(isUniversal(challenge, derTags.octets) && lists.length >= 2, 'the description of the key cannot be read');
  demand(equalBytes(challenge.content, clientDataHash), 'the certificate was made for another ceremony');
  const enforced = lists.slice(0, 2).flatMap((list) => derChildren(list));
  const all = (number: number) => enforced.filter((each) => isContext(each, number)).map((each) => derChildren(each)[0]);
  demand(all(members.allApplications).length === 0, 'the key is not bound to one application');
  const origins = all(members.origin).map(derInteger);
  demand(
    origins.every((origin) => origin === generated),
    'the key was not made in the key store',
  );
  const purposes = all(members.purpose).map((set) => derChildren(set).map(derInteger));
  demand(
    purposes.every((listed) => listed.includes(sign)),
    'the key is not for signing',
  );
  return [{ kind: 'chain', chain, names: 'key' }];
};
