import test from 'ava';
import { printedInGroups, systemChance } from '#base';
import { drawCodes } from '../../../src/factors/recovery/codes.ts';

test('recovery codes: a 32-character alphabet without confusable pairs, no code twice, each character as likely as any other', (t) => {
  const codes = drawCodes(systemChance, 1000, 32);
  t.is(new Set(codes).size, 1000);
  const counts = new Map<string, number>();
  for (const character of codes.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
  t.is(counts.size, 32);
  for (const confusable of '01IO') t.false(counts.has(confusable));
  // 1000 draws of each are expected; six standard deviations are 190.
  for (const [character, count] of counts) t.true(Math.abs(count - 1000) < 190, `${character}: ${count}`);
});

test('backupCodes.groupSize: groups of that size with dashes between; 0 prints a code unbroken', (t) => {
  t.is(printedInGroups('ABCDEFGHJK', 5), 'ABCDE-FGHJK');
  t.is(printedInGroups('ABCDEFGHJK', 4), 'ABCD-EFGH-JK');
  t.is(printedInGroups('ABCDEFGHJK', 64), 'ABCDEFGHJK');
  t.is(printedInGroups('ABCDEFGHJK', 0), 'ABCDEFGHJK');
});
