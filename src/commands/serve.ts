import type { Addresses, Command } from './command.ts';

export const serve: Command = {
  means: 'start the service from its settings alone',
  more: [
    'Settings come from defaults, the JSON file named by STS_CONFIG, and the environment. When the service may be used it prints one line, "ready", with every address. SIGTERM or Ctrl-C ends it with status 0 after what is open is closed.',
  ],
  on: 'none',
  examples: [
    { line: 'STS_KEYS_KEK_FILE=./kek atrium serve' },
    { line: 'STS_LDAP_PORT=1389 STS_LDAP_TLS_PORT= STS_KEYS_KEK_FILE=./kek atrium serve' },
  ],
  run: async (_given, { environment, start, untilSignal, stdout, stderr }) => {
    // Listened for from here on: whoever stops the service while it starts gets an orderly end, too.
    const asked = untilSignal();
    const started = await start({ environment });
    if (started.kind === 'refused') {
      for (const line of started.lines) stderr.write(`${line}\n`);
      return 1;
    }
    const { service } = started;
    if (service.generatedPassword !== undefined) {
      stderr.write(`The built-in administrator's password, shown this once: ${service.generatedPassword}\n`);
    }
    stdout.write(`ready ${urls(service.addresses).join(' ')}\n`);
    await asked;
    await service.stop();
    return 0;
  },
};

function urls(addresses: Addresses): string[] {
  return Object.values(addresses).filter((url) => url !== undefined);
}
