import test from 'ava';
import { decide, type Next, type Proof } from '#signin';

const rule: readonly [title: string, proven: readonly Proof[], next: Next][] = [
  ['nothing is proven: the password is asked for', [], { step: 'askPassword' }],
  ['a password alone: amr ["pwd"], acr "1"', ['password'], { step: 'done', amr: ['pwd'], acr: '1' }],
];

for (const [title, proven, next] of rule) test(title, (t) => t.deepEqual(decide(proven), next));
