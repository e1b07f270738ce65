import type { Addresses, Started } from '#commands';
import { begin } from './begin.ts';
import { startBelow } from './below.ts';
import type { AtriumOptions } from './foundation.ts';

/**
 * Reads the settings, puts the rooms together and opens the doors. Nothing stays open when it is refused.
 *
 * @returns the running service, or what the operator has to mend, a line each
 */
export async function startAtrium(options: AtriumOptions): Promise<Started> {
  const begun = await begin(options, async (foundation) => {
    const below = await startBelow(foundation);
    // Late: LDAP is served while what stands above it is loaded.
    const { startAbove } = await import('./above.ts');
    const addresses: Addresses = { ...below.addresses, ...(await startAbove(foundation, below)) };
    return {
      addresses,
      suffix: below.suffix,
      ...(below.generatedPassword === undefined ? {} : { generatedPassword: below.generatedPassword }),
    };
  });
  if (begun.kind === 'refused') return begun;
  return { kind: 'running', service: { ...begun.made, stop: () => begun.open.disposeAsync() } };
}
