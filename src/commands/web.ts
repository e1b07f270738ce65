import type { Command } from './command.ts';
import { exits, Unreachable } from './exits.ts';

export const web: Command = {
  means: 'serve the web beside a running service of the same folder, in a process of its own',
  more: [
    'The pages are the same, and so is what they know: sessions, sign-ins under way, limits and what works once. It listens on http.besidePort and http.besideTlsPort (STS_HTTP_BESIDE_PORT, STS_HTTP_BESIDE_TLS_PORT), reaches the directory over the service’s private socket, and runs no jobs but the one that has it show a certificate that was replaced; what it mails the service hands over. Other settings must be those of the service.',
    'When it may be used it prints one line, "ready", with its addresses. SIGTERM or Ctrl-C ends it with status 0. When the service ends or begins anew it ends, too, with status 4: let whatever supervises it start it again.',
  ],
  on: 'none',
  examples: [{ line: 'STS_HTTP_BESIDE_PORT=8090 STS_KEYS_KEK_FILE=./kek atrium web' }],
  exits: { 4: 'no service runs on the folder, or the one beside which it ran has ended' },
  run: async (_given, { startBeside, untilSignal, stdout, stderr }) => {
    const asked = untilSignal();
    const started = await startBeside();
    if (started.kind === 'absent') throw new Unreachable(started.why);
    if (started.kind === 'refused') {
      for (const line of started.lines) stderr.write(`${line}\n`);
      return exits.failed.status;
    }
    const { addresses, gone, stop } = started.service;
    stdout.write(`ready ${Object.values(addresses).join(' ')}\n`);
    const isAlone = await Promise.race([asked.then(() => false), gone.then(() => true)]);
    await stop();
    return isAlone ? exits.unreachable.status : exits.done.status;
  },
};
