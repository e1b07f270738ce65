import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { OperationRow } from '#catalogue';
import { commands } from '#commands';
import { runCli } from '../support/cli.ts';
import { withPrograms } from '../support/programs.ts';

/** A folder with the scripts of both shells, and files to complete. */
async function prepare(t: ExecutionContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-completion-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const [shell, file] of [
    ['bash', 'atrium.bash'],
    ['zsh', '_atrium'],
  ] as const) {
    const { status, stdout, stderr } = await runCli(['completion', shell], {});
    t.is(status, 0, stderr);
    writeFileSync(join(folder, file), stdout);
  }
  const files = join(folder, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'people of today.ldif'), '');
  return folder;
}

/** What bash offers for the last of the words, which it splits at `=` as it does on a terminal. */
function offered(folder: string, lines: readonly (readonly string[])[]): string[][] {
  const script = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _atrium; printf '%s\\n' "\${COMPREPLY[@]}"; echo --end`,
  );
  const { stdout, stderr } = spawnSync('bash', ['-c', `source ../atrium.bash\n${script.join('\n')}`], {
    cwd: join(folder, 'files'),
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .split('--end\n')
    .slice(0, -1)
    .map((text) => text.split('\n').filter((line) => line !== ''));
}

const rows: readonly (readonly [string, OperationRow])[] = Object.entries(commands);

test('completion for bash offers every command, verb and option of the rows, and no other', async (t) => {
  const folder = await prepare(t);
  const firsts = new Set(rows.map(([name]) => name.split(' ')[0] as string));
  const nouns = [...firsts].filter((first) => !Object.hasOwn(commands, first));
  const lines = [
    ['atrium', ''],
    ...nouns.map((noun) => ['atrium', noun, '']),
    ...rows.map(([name]) => ['atrium', ...name.split(' '), '--']),
  ];
  const [first = [], ...others] = offered(folder, lines);
  t.deepEqual(first, [...firsts, 'help']);
  for (const [at, noun] of nouns.entries())
    t.deepEqual(
      others[at],
      rows.flatMap(([name]) => (name.startsWith(`${noun} `) ? [name.slice(noun.length + 1)] : [])),
    );
  for (const [at, [name, { options = {} }]] of rows.entries())
    t.deepEqual(
      others[nouns.length + at],
      [...Object.keys(options), 'help'].map((option) => `--${option}`),
      name,
    );
});

test('completion for bash: words of an option in both forms, files with spaces, the commands behind help, nothing for free text', async (t) => {
  const folder = await prepare(t);
  const cases: readonly [words: readonly string[], offers: readonly string[]][] = [
    [['atrium', 'sch'], ['schema']],
    [['atrium', 'search', 'x', '--scope', 's'], ['sub']],
    [['atrium', 'search', '--scope', '=', 'b'], ['base']],
    [
      ['atrium', 'search', '--scope', '='],
      ['base', 'one', 'sub', 'children'],
    ],
    [['atrium', 'search', '--base', ''], []],
    [['atrium', 'import', 'peo'], ['people of today.ldif']],
    [
      ['atrium', 'help', 'schema', ''],
      ['list', 'import'],
    ],
    [['atrium', 'help', 'sea'], ['search']],
    [['atrium', 'help', 'search', '--'], []],
    [['atrium', 'no-such-command', '--'], []],
  ];
  const all = offered(
    folder,
    cases.map(([words]) => words),
  );
  for (const [at, [words, offers]] of cases.entries()) t.deepEqual(all[at], offers, words.join(' '));
});

/**
 * Types lines into an interactive zsh, each with Tab behind it, and says what stands there then: at Control-G, with which no longer key begins, so that zsh waits for
 * none. The terminal is one that is waited for; otherwise `zpty -r` asks it again and again.
 */
function completedByZsh(folder: string, lines: readonly string[]) {
  const script = `
zmodload zsh/zpty
zpty inner zsh -f -i
say() { zpty -w inner "$1"; }
zpty -w inner 'PS1= PS2= RPS1=; stty -echo; unsetopt zle_bracketed_paste prompt_cr prompt_sp beep; fpath=(.. $fpath); autoload -Uz compinit; compinit -u -D; setopt no_list_beep no_auto_menu; unsetopt auto_list'
zpty -w inner 'show() { print -r -- "[[$BUFFER]]"; BUFFER=; }; zle -N show; bindkey "^G" show; bindkey "^I" complete-word; TERM=dumb; print read""y'
zpty -r -m inner got '*ready*' || exit 1
for line in "$@"; do
  zpty -n -w inner "$line"$'\\t'$'\\x07'
  zpty -r -m inner got '*\\[\\[*\\]\\]*' || exit 1
  print -r -- "\${\${got##*\\[\\[}%%\\]\\]*}"
done
zpty -d inner
`;
  writeFileSync(join(folder, 'type.zsh'), script);
  const { stdout, stderr, status } = spawnSync('zsh', ['-f', join(folder, 'type.zsh'), ...lines], {
    cwd: join(folder, 'files'),
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, HOME: folder, TERM: 'dumb' },
  });
  if (status !== 0) throw new Error(`zsh ended with ${status}: ${stdout}${stderr}`);
  return stdout.split('\n').slice(0, -1);
}

withPrograms(test, 'zsh')(
  'completion for zsh completes commands, verbs, options, their words, files with spaces and what stands behind help',
  async (t) => {
    const folder = await prepare(t);
    const cases: readonly [typed: string, stands: string][] = [
      ['atrium sch', 'atrium schema '],
      ['atrium schema l', 'atrium schema list '],
      ['atrium schema list --k', 'atrium schema list --kind='],
      ['atrium search --scope ch', 'atrium search --scope children '],
      ['atrium search --scope=ch', 'atrium search --scope=children '],
      ['atrium import peo', 'atrium import people\\ of\\ today.ldif '],
      ['atrium help sch', 'atrium help schema '],
      ['atrium help schema l', 'atrium help schema list '],
      ['atrium search --nonsense', 'atrium search --nonsense'],
    ];
    t.deepEqual(
      completedByZsh(
        folder,
        cases.map(([typed]) => typed),
      ),
      cases.map(([, stands]) => stands),
    );
  },
);

withPrograms(test, 'zsh')('completion for zsh: a script in which every command can be called', async (t) => {
  const folder = await prepare(t);
  const typed = rows.map(([name]) => `atrium ${name} --hel`);
  t.deepEqual(
    completedByZsh(folder, typed),
    typed.map((line) => `${line}p `),
  );
});
