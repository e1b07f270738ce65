import { readlinkSync } from 'node:fs';
import { type Chance, hex } from '#base';

/** What names a process of one start of the service to the others of it. */
export interface ProcessMark {
  readonly text: string;
  /** Whether the process that a text names may still be at work; not one of another start. Where that cannot be found out it may. */
  lives(text: string): boolean;
}

/** @param start  the same in all processes of one start of the service, and in no other; of hexadecimal digits */
export function markProcess(
  start: string,
  chance: Chance,
  { pid = process.pid, room = pidRoom(), signal = process.kill } = {},
): ProcessMark {
  const own = `${start}/${room}/${pid}/${hex(chance.octets(8))}`;
  return {
    text: own,
    lives(text) {
      if (text === own) return true;
      const [ofStart, itsRoom, itsPid] = text.split('/');
      if (ofStart !== start) return false;
      // Numbers of processes mean something only where they are counted together.
      if (itsRoom !== room) return true;
      // Its number is this one's by now.
      if (Number(itsPid) === pid) return false;
      return isThere(Number(itsPid), signal);
    },
  };
}

function isThere(pid: number, signal: (pid: number, signal: 0) => boolean): boolean {
  try {
    return signal(pid, 0);
  } catch (error) {
    // EPERM: it is there and another's.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** The namespace that the numbers of processes are of (pid_namespaces(7)); the machine where the system has none. */
function pidRoom(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '';
  }
}
