import test from 'ava';
import { nearest } from '../../src/commands/near.ts';
import { cut, pad, widthOf, wrap } from '../../src/commands/width.ts';

const near: readonly [given: string, meant: string | undefined][] = [
  ['persn', 'person'],
  ['perosn', 'person'],
  ['presto', undefined],
  ['SEARCH', 'search'],
  ['se', 'search'],
  ['serach', 'search'],
  ['gruop', 'group'],
  ['x', undefined],
  ['', undefined],
  ['a'.repeat(10_000), undefined],
];
for (const [given, meant] of near) {
  test(`what was meant, perhaps, by ${JSON.stringify(given.slice(0, 12))}: ${meant ?? 'nothing'}`, (t) =>
    t.is(nearest(given, ['person', 'group', 'search', 'realm']), meant));
}

const widths: readonly [text: string, cells: number][] = [
  ['plain', 5],
  ['é', 1],
  ['e\u0301', 1],
  ['東京', 4],
  ['한글', 4],
  ['ｶﾅ', 2],
  ['ＡＢ', 4],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['\u200b', 0],
];
for (const [text, cells] of widths) test(`a terminal shows ${JSON.stringify(text)} in ${cells} cells`, (t) => t.is(widthOf(text), cells));

test('what is cut never takes more than its cells, nor half of a letter', (t) => {
  t.is(cut('東京都', 4), '東…');
  t.is(cut('e\u0301e\u0301e\u0301', 2), 'e\u0301…');
  t.is(cut('short', 5), 'short');
  t.is(pad('東', 4), '東  ');
  for (const text of ['東京都千代田区', 'abcdefgh', '👩‍👩‍👧👩‍👩‍👧'])
    for (let cells = 1; cells < 9; cells++) t.true(widthOf(cut(text, cells)) <= cells);
});

test('text is broken between words, and a word that is too long stands alone', (t) => {
  t.deepEqual(wrap('one two  three', 7), ['one two', 'three']);
  t.deepEqual(wrap('a verylongword b', 5), ['a', 'verylongword', 'b']);
});
