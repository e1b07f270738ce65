import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { typedToken } from '#base';
import type { OperationRow } from '#catalogue';
import { commands, manualOf, readGiven } from '#commands';

const rows: readonly (readonly [string, OperationRow])[] = Object.entries(commands);

test('docs/commands.md is what the rows say (node test/commands/manual.ts writes it)', (t) => {
  t.is(readFileSync(join(import.meta.dirname, '../../docs/commands.md'), 'utf8'), manualOf(commands));
});

for (const [name, { means, more = [], operands = [], options = {}, examples, destroys, asks }] of rows) {
  test(`the row of atrium ${name} says enough for one who does not know it, in the form of all`, (t) => {
    t.regex(name, /^[a-z]+(-[a-z]+)*( [a-z]+(-[a-z]+)*)?$/, 'one word, or a noun and a verb');
    t.regex(means, /^[a-z][\s\S]*[^.]$/, 'one line, to go on from “atrium … to”');
    for (const text of more) t.regex(text, /^[A-Z-][\s\S]*[.]$/, 'sentences');
    t.true(examples.length > 0, 'at least one example');
    t.is('yes' in options, destroys !== undefined || asks !== undefined, 'what destroys asks, and --yes answers');
    if (asks !== undefined) t.regex(asks, /^[A-Z][\s\S]*[.]$/, 'sentences');
    for (const operand of operands.slice(0, -1)) t.falsy(operand.many ?? operand.optional, 'only the last may be missing or many');
    for (const [key, option] of Object.entries(options)) {
      t.regex(key, /^[a-z]+(-[a-z]+)*$/);
      t.not(key, 'help');
      t.false(option.value === undefined && (option.many ?? option.required ?? false), 'a flag is given or not');
      if (option.value !== undefined) t.regex(option.value, /^[A-Z]+(=[A-Z]+)?$/);
    }
    const own = examples.filter(({ line }) => /^(\S+=\S* )*atrium /.test(line) || line.includes('npm '));
    t.true(own.length > 0, 'examples call the command');
  });
}

const row: OperationRow = {
  means: 'try',
  on: 'none',
  examples: [],
  operands: [
    { name: 'ONE', means: 'the first' },
    { name: 'REST', means: 'the rest', many: true, optional: true },
  ],
  options: {
    flag: { means: 'a flag' },
    base: { value: 'DN', means: 'text', default: 'here' },
    limit: { value: 'NUMBER', type: 'count', means: 'a number' },
    scope: { value: 'SCOPE', type: ['one', 'sub'], means: 'a word' },
    attribute: { value: 'NAME=VALUE', many: true, means: 'several' },
  },
};

test('arguments are read by the row: operands, flags, values in both forms, defaults, and -- before what begins with a dash', (t) => {
  const given = readGiven(row, ['a', '--flag', '--limit=7', '--attribute', 'x=1', 'b', '--attribute=y=2', '--', '--c']);
  t.is(given.need('ONE'), 'a');
  t.deepEqual(given.texts('REST'), ['b', '--c']);
  t.true(given.flag('flag'));
  t.is(given.count('limit'), 7);
  t.is(given.need('base'), 'here');
  t.is(given.text('scope'), undefined);
  t.deepEqual(given.texts('attribute'), ['x=1', 'y=2']);
  t.deepEqual(readGiven(row, ['-']).need('ONE'), '-', 'a dash alone is standard input');
});

const wrong: readonly [title: string, args: readonly string[], says: RegExp][] = [
  ['an operand that is missing', [], /^ONE is missing: the first$/],
  ['an option that is not known', ['a', '--loud'], /^there is no option --loud here; what begins with a dash and is none comes after --$/],
  ['an option that is nearly known', ['a', '--limt=3'], /^there is no option --limt here; --limit is meant, perhaps$/],
  ['a short option', ['a', '-l'], /^there is no option -l here; what/],
  ['a flag with a value', ['a', '--flag=yes'], /^--flag takes no value$/],
  ['an option without its value', ['a', '--base'], /^--base needs a value, DN$/],
  ['an option given twice', ['a', '--base', 'x', '--base', 'y'], /^--base is given twice$/],
  ['no number', ['a', '--limit', '0'], /^--limit is a number above 0, not "0"$/],
  ['a number that is too long', ['a', '--limit', '9999999999'], /^--limit has at most 9 digits$/],
  ['an empty operand', [''], /^ONE is empty$/],
  ['an empty value', ['a', '--base='], /^--base is empty$/],
  ['another word', ['a', '--scope', 'deep'], /^--scope is one or sub, not "deep"$/],
  ['the name of what every object has', ['a', '--constructor'], /^there is no option --constructor here; what/],
];
for (const [title, args, says] of wrong) {
  test(`what a row does not know is refused with words that help: ${title}`, (t) => {
    t.regex(t.throws(() => readGiven(row, args))?.message ?? '', says);
  });
}

test('operands beyond those of the row are refused', (t) => {
  t.throws(() => readGiven({ ...row, operands: [] }, ['a']), { message: 'nothing is expected here, and "a" was given' });
});

test('what people type begins with a letter, whatever chance gives: no command takes it for an option', (t) => {
  const begins = (first: number) => typedToken({ octets: (count) => new Uint8Array(count).fill(0xff).with(0, first) }, 9);
  for (let first = 0; first < 256; first++) t.regex(begins(first), /^[A-Za-z][\w-]{11}$/);
  t.is(new Set(Array.from({ length: 128 }, (_, first) => begins(first))).size, 128, 'one bit goes, and no more');
});
