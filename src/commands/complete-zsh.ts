import type { OperandRow, OperationRow, OptionRow, ValueType } from '#catalogue';

/** A script for zsh, to be found in its `fpath` as `_atrium` or to be sourced; it starts nothing while it completes. */
export function zshOf(commands: Readonly<Record<string, OperationRow>>): string {
  const rows = Object.entries(commands);
  const firsts = [...new Set(rows.map(([name]) => name.split(' ')[0] as string))];
  const below = (noun: string) =>
    rows.flatMap(([name, row]) => (name.startsWith(`${noun} `) ? [[name.slice(noun.length + 1), row] as const] : []));
  const single = (name: string) => commands[name];
  const described = firsts.map((first) =>
    item(
      first,
      single(first)?.means ??
        below(first)
          .map(([verb]) => verb)
          .join(', '),
    ),
  );
  return `#compdef atrium
# Completion of atrium for zsh, made by: atrium completion zsh
_atrium() {
  local -a found
  if [[ $words[2] == help ]] && (( CURRENT > 2 )); then
    shift words; (( CURRENT-- ))
    local helping=1
  fi
  if (( CURRENT == 2 )); then
    found=(${[...described, item('help', 'explain the commands')].join(' ')})
    _describe command found
    return
  fi
  case $words[2] in
${firsts.map((first) => caseOf(first, single(first), below(first))).join('\n')}
  esac
}
if [[ $funcstack[1] == _atrium ]]; then _atrium "$@"; else compdef _atrium atrium; fi
`;
}

function caseOf(first: string, row: OperationRow | undefined, verbs: readonly (readonly [string, OperationRow])[]): string {
  if (row !== undefined && verbs.length === 0) return `    ${first})\n      shift words; (( CURRENT-- ))\n      ${argumentsOf(row)} ;;`;
  return `    ${first})
      if (( CURRENT == 3 )); then
        found=(${verbs.map(([verb, { means }]) => item(verb, means)).join(' ')})
        _describe verb found
        return
      fi
      shift 2 words; (( CURRENT -= 2 ))
      case $words[1] in
${verbs.map(([verb, own]) => `        ${verb}) ${argumentsOf(own)} ;;`).join('\n')}
      esac ;;`;
}

/** What `_arguments` is told of a row. */
function argumentsOf({ operands = [], options = {} }: OperationRow): string {
  const specs = [
    ...Object.entries(options).map(([name, option]) => optionOf(name, option)),
    quote('--help[more about it]'),
    ...operands.map(operandOf),
  ];
  return `(( \${helping:-0} )) || _arguments ${specs.join(' ')}`;
}

function optionOf(name: string, { means, value, type, many }: OptionRow): string {
  const explained = means.replace(/[\][\\:]/g, '\\$&');
  return quote(
    `${many ? '*' : ''}--${name}${value === undefined ? '' : '='}[${explained}]${value === undefined ? '' : `:${value}:${actionOf(type)}`}`,
  );
}

function operandOf({ name, type, many, optional }: OperandRow, at: number): string {
  return quote(`${many ? '*' : at + 1}${optional && !many ? '::' : ':'}${name}:${actionOf(type)}`);
}

/** Nothing is offered for any text. zsh's own form for that, a space, would keep it from offering options there. */
function actionOf(type: ValueType | undefined): string {
  if (type === 'file') return '_files';
  return type === undefined || typeof type === 'string' ? '( )' : `(${type.join(' ')})`;
}

function item(word: string, means: string): string {
  return quote(`${word}:${means.replace(/[\\:]/g, '\\$&')}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
