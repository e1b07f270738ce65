import { demand, type Format } from '../statement.ts';

/** No attestation (WebAuthn Level 3 §8.7). */
export const none: Format = ({ statement }) => {
  demand(statement.size === 0, 'a statement of nothing says something');
  return [{ kind: 'none' }];
};
