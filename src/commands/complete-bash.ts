import type { OperationRow, ValueType } from '#catalogue';

/**
 * A script for bash, that of macOS (3.2) included, which starts nothing while it completes.
 *
 * @param commands  the rows; what they say in sentences has no place in bash
 */
export function bashOf(commands: Readonly<Record<string, OperationRow>>): string {
  const rows = Object.entries(commands);
  const firsts = [...new Set(rows.map(([name]) => name.split(' ')[0] as string))];
  const nouns = firsts.filter((first) => rows.some(([name]) => name.startsWith(`${first} `)));
  const verbsOf = (noun: string) => rows.flatMap(([name]) => (name.startsWith(`${noun} `) ? [name.slice(noun.length + 1)] : []));
  return `# Completion of atrium for bash, made by: atrium completion bash
_atrium() {
  local IFS=$'\\n' at=1 current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command
  COMPREPLY=()
  # bash takes --name=value for three words.
  if [[ $current == = ]]; then current=
  elif [[ $before == = ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [[ \${COMP_WORDS[1]} == help ]] && (( COMP_CWORD > 1 )); then at=2; fi
  if (( COMP_CWORD == at )); then _atrium_words ${firsts.concat('help').join(' ')}; return; fi
  command="\${COMP_WORDS[at]}"
  case $command in
${nouns.map((noun) => nounOf(noun, verbsOf(noun))).join('\n')}
  esac
  if (( at == 2 )); then return; fi
  case "$command $before" in
${rows.flatMap(valuesOf).join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $command in
${rows.map(optionsOf).join('\n')}
    esac
    return
  fi
  case $command in
${rows.flatMap(operandsOf).join('\n')}
  esac
}
_atrium_words() {
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$*" -- "$current"))
}
_atrium_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _atrium atrium
`;
}

/** Nothing for any text. */
function offer(type: ValueType | undefined): string | undefined {
  if (type === 'file') return '_atrium_files';
  return type === undefined || typeof type === 'string' ? undefined : `_atrium_words ${type.join(' ')}`;
}

/** `case` lines for the values of options. */
function valuesOf([name, { options = {} }]: readonly [string, OperationRow]): string[] {
  const valued = Object.entries(options).filter(([, { value }]) => value !== undefined);
  return valued.map(
    ([option, { type }]) => `    '${name} --${option}') ${[offer(type), 'return'].filter((each) => each !== undefined).join('; ')} ;;`,
  );
}

/** Where a command takes a file or one of some words anywhere, these are offered for each operand. */
function operandsOf([name, { operands = [] }]: readonly [string, OperationRow]): string[] {
  const offered = operands.map(({ type }) => offer(type)).find((each) => each !== undefined);
  return offered === undefined ? [] : [`    '${name}') ${offered} ;;`];
}

function optionsOf([name, { options = {} }]: readonly [string, OperationRow]): string {
  return `      '${name}') _atrium_words ${[...Object.keys(options), 'help'].map((option) => `--${option}`).join(' ')} ;;`;
}

function nounOf(noun: string, verbs: readonly string[]): string {
  return `    ${noun})
      if (( COMP_CWORD == at + 1 )); then _atrium_words ${verbs.join(' ')}; return; fi
      command="$command \${COMP_WORDS[at+1]}" ;;`;
}
