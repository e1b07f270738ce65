import type { Context } from './command.ts';
import { Interrupted, Misuse } from './exits.ts';

/** More is no password; what reads without a bound is stopped here. */
const octetsMax = 4096;

/**
 * A password that somebody types twice, unseen, or that stands in the first line of standard input where that is no terminal.
 *
 * @param question  "New password of ada"
 * @throws Misuse when there is none, or the two differ; Interrupted
 */
export async function askPassword(question: string, context: Context): Promise<string> {
  const { stdin } = context;
  if (!stdin.isTTY) return await firstLine(stdin);
  using typing = typeUnseen(context);
  const first = await typing.line(`${question}: `);
  if (first === '') throw new Misuse('no password was given: nothing was done');
  if ((await typing.line('Once more: ')) !== first) throw new Misuse('the two are not the same: nothing was done');
  return first;
}

/**
 * A secret that there is already, typed once, unseen, or in the first line of standard input.
 *
 * @throws Misuse when there is none; Interrupted
 */
export async function askSecret(question: string, context: Context): Promise<string> {
  const { stdin } = context;
  if (!stdin.isTTY) return await firstLine(stdin);
  using typing = typeUnseen(context);
  const typed = await typing.line(`${question}: `);
  if (typed === '') throw new Misuse('no secret was given: nothing was done');
  return typed;
}

async function firstLine(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    octets += (chunk as Buffer).length;
    if ((chunk as Buffer).includes(0x0a) || octets > octetsMax) break;
  }
  const line = Buffer.concat(chunks).toString('utf8').split(/\r?\n/)[0] ?? '';
  if (Buffer.byteLength(line) > octetsMax) throw new Misuse(`a password has at most ${octetsMax} octets`);
  if (line === '') throw new Misuse('no password stands in standard input: give one there, or use --generate');
  return line;
}

/** Lines that are typed on a terminal which shows nothing of them. */
function typeUnseen({ stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>) {
  let ahead = '';
  let heard = () => {};
  const hear = (chunk: Buffer | string) => {
    ahead += String(chunk).slice(0, octetsMax);
    heard();
  };
  stdin.setEncoding('utf8');
  stdin.setRawMode(true);
  stdin.on('data', hear).resume();

  /** Takes characters up to the end of a line; nothing while it has not come. */
  const take = (text: string): { readonly text: string; readonly whole: boolean } => {
    let line = text;
    for (const character of ahead) {
      ahead = ahead.slice(character.length);
      if (character === '\r' || character === '\n') return { text: line, whole: true };
      if (character === '\x03' || character === '\x04') throw new Interrupted('nothing was done');
      if (character === '\x7f' || character === '\b') line = [...line].slice(0, -1).join('');
      else if (character === '\x15') line = '';
      else if (character >= ' ' && line.length < octetsMax) line += character;
    }
    return { text: line, whole: false };
  };
  return {
    async line(question: string): Promise<string> {
      stderr.write(question);
      let taken = take('');
      while (!taken.whole) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
        taken = take(taken.text);
      }
      stderr.write('\n');
      return taken.text;
    },
    [Symbol.dispose]() {
      stdin.off('data', hear).pause();
      stdin.setRawMode(false);
    },
  };
}
