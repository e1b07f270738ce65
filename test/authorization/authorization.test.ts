import test from 'ava';
import { proveAuthorization } from './prove.ts';

// The short form of `npm run authorization`, which draws 200,000 and other ones each time. A gate draws the same of every commit.
const asked = { cases: 5000, seed: 90_117 };

test('generated requests by everybody, however they came in, come out as a plain second evaluation of the rules says, and leave behind what it says', async (t) => {
  t.timeout(300_000);
  const proved = await proveAuthorization({ ...asked, differencesMax: 1, progress: () => undefined });
  const again = `npm run authorization -- --cases ${asked.cases} --seed ${asked.seed}`;
  t.deepEqual(
    proved.differences.map(({ text }) => text),
    [],
    again,
  );
  t.is(proved.cases, asked.cases);
  // A proof of refusals alone, or of consents, proves nothing; nor does one of which a part is left out.
  t.true(proved.unseen > asked.cases / 20, again);
  for (const [outcome, least] of leasts)
    t.true((proved.seen.get(outcome) ?? 0) >= least, `${outcome}: ${proved.seen.get(outcome)}; ${again}`);
});

const leasts: readonly (readonly [outcome: string, least: number])[] = [
  ...(['search 0', 'search 32', 'modify 0', 'modify 32', 'modify 50'] as const).map((outcome) => [outcome, 100] as const),
  ...(['search 122', 'compare 32', 'compare 50', 'add 0', 'add 32', 'add 50', 'delete 50', 'rename 50'] as const).map(
    (outcome) => [outcome, 20] as const,
  ),
  ...(
    [
      'compare 5',
      'compare 6',
      'delete 0',
      'rename 0',
      'bind 0',
      'bind 49',
      'password 0',
      'password 50',
      'transaction 0',
      'transaction 50',
    ] as const
  ).map((outcome) => [outcome, 3] as const),
];
