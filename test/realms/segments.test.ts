import test from 'ava';
import { routeTables } from '../../src/tables.ts';
import { firstSegments } from '../../src/wiring/installation.ts';

test('STS-CORE-0011: no realm is called as a path of the service begins, /realm/<id> among them', (t) => {
  const segments = firstSegments(routeTables);
  for (const segment of ['authn', 'portal', 'realm']) t.true(segments.includes(segment), segment);
  t.false(segments.includes(''));
});
