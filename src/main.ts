import { Refusal } from '#catalogue';
import type { Addresses, Started } from '#commands';
import { begin } from './wiring/begin.ts';
import { type Below, startBelow } from './wiring/below.ts';
import type { AtriumOptions, Foundation } from './wiring/foundation.ts';
import { handOver } from './wiring/handover.ts';

/**
 * Reads the settings, puts the rooms together and opens the doors. Nothing stays open when it is refused.
 *
 * @returns the running service, or what the operator has to mend, a line each
 */
export async function startAtrium(options: AtriumOptions): Promise<Started> {
  let generated: string | undefined;
  const begun = await begin(options, async (foundation) => {
    const made = (password: string) => {
      generated = password;
    };
    const below = await startBelow(foundation, { made });
    // Late: LDAP is served while what stands above it is loaded.
    const { startAbove } = await import('./wiring/above.ts');
    const addresses: Addresses = { ...below.addresses, ...(await startAbove(foundation, below)) };
    handOverTo(foundation, below);
    return {
      addresses,
      suffix: below.suffix,
      ...(generated === undefined ? {} : { generatedPassword: generated }),
    };
  });
  // The realm stays when a later step of its first start is refused (a port that is taken): nobody could be told its password any more.
  if (begun.kind === 'refused')
    return generated === undefined
      ? begun
      : {
          ...begun,
          lines: [...begun.lines, `The realm was made all the same. Its built-in administrator's password, shown this once: ${generated}`],
        };
  return { kind: 'running', service: { ...begun.made, stop: () => begun.open.disposeAsync() } };
}

/** Writes what a web process beside this one must know. Where that cannot be, the service serves all the same. */
function handOverTo({ dataDir, version, live, settings, chance, log, open }: Foundation, { web, suffix, epoch, ldapUrl }: Below): void {
  if (settings['persistence.mode'] === 'memory') return;
  const address = ldapUrl === undefined ? {} : { ldapUrl };
  try {
    open.defer(handOver(dataDir, { version, suffix, epoch, ...web, ...address }, live.given, chance));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    log.warn(error.row, error.tells);
  }
}
