import test from 'ava';
import { pathSegments } from '../../src/wiring/installation.ts';

test('STS-CORE-0011: no realm is called as a path of the service begins, /realm/<id> among them', (t) => {
  const segments = pathSegments();
  for (const segment of ['authn', 'portal', 'realm']) t.true(segments.has(segment), segment);
  t.false(segments.has(''));
});
