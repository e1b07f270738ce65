import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { equalBytes, hex } from '#base';
import { describeSettingProblem, readSettings, refuse } from '#catalogue';
import type { StartedBeside } from '#commands';
import { createHasher } from '#keys';
import { parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import { openLimits, openNetworks, openState } from '#state';
import { openStateStore } from '#store';
import { errors } from '../errors.ts';
import { settings as rows } from '../settings.ts';
import type { Beneath } from './above.ts';
import { begin } from './begin.ts';
import { openCertificate } from './certificate.ts';
import type { AtriumOptions, Foundation } from './foundation.ts';
import { differing, type HandedOver, readHandover } from './handover.ts';
import { schemaOf, stateFile } from './installation.ts';
import { type Presence, watchService } from './presence.ts';

/**
 * Starts a web process beside the running service of the same folder: the same pages over the same state, on listeners of its own. It owns nothing of the folder
 * and runs no jobs but those of each process.
 *
 * @see docs/decisions/0019-second-web-process.md
 */
export async function startBeside(options: AtriumOptions): Promise<StartedBeside> {
  const { values, problems } = readSettings(rows, { environment: options.environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const dataDir = resolve(options.root, values['global.dataDir']);
  const begun = await begin(options, (foundation) => raise(foundation), {
    beside: () => void takeUp(dataDir, values['persistence.mode']),
    // Settings of its own, so that one file of settings does for both processes.
    adapt: (all) => ({ ...all, 'http.port': all['http.besidePort'], 'http.tlsPort': all['http.besideTlsPort'] }),
  });
  if (begun.kind === 'refused') return begun.row === errors.noService ? { kind: 'absent', why: begun.lines.join(' ') } : begun;
  return { kind: 'running', service: { ...begun.made, stop: () => begun.open.disposeAsync() } };
}

async function raise(foundation: Foundation) {
  const { live, dataDir, version, log, open } = foundation;
  const handed = takeUp(dataDir, live.given['persistence.mode']);
  if (handed.version !== version)
    throw refuse(errors.handoverUnfit, { why: `the service is of version ${handed.version}, and this program of ${version}` });
  const names = differing(live.given, handed);
  if (names.length > 0) throw refuse(errors.otherSettings, { names: names.join(', ') });
  const presence = await watch(foundation, handed);
  open.defer(() => presence.close());
  const { startAbove } = await import('./above.ts');
  const addresses = await startAbove(foundation, await beneathOf(foundation, handed));
  const gone = presence.gone.then(() => log.warn(errors.serviceEnded, errors.serviceEnded.means));
  return { addresses, gone };
}

/** What the service handed over. @throws Refusal `stateNotShared` (STS-CORE-9404), `noService` (9400), `handoverUnfit` (9401) */
function takeUp(dataDir: string, mode: 'sqlite' | 'memory'): HandedOver {
  if (mode === 'memory') throw refuse(errors.stateNotShared);
  const handed = readHandover(dataDir);
  if (handed === undefined) throw refuse(errors.noService, { folder: dataDir });
  return handed;
}

/** @throws Refusal `noService` when nobody listens: a service that was killed left the file behind */
async function watch({ dataDir, timers }: Foundation, { socketPath, secret }: HandedOver): Promise<Presence> {
  const isSame = () => {
    const now = readHandover(dataDir);
    return now !== undefined && equalBytes(now.secret, secret);
  };
  const presence = await watchService({ socketPath, isSame, timers });
  if (presence === undefined) throw refuse(errors.noService, { folder: dataDir });
  return presence;
}

/** What this process has of what stands below the LDAP interface: the state that it shares, and a way to the directory. */
async function beneathOf(foundation: Foundation, handed: HandedOver): Promise<Beneath> {
  const { settings, dataDir, clock, chance, open } = foundation;
  const { suffix, epoch, socketPath, secret, shared, ldapUrl } = handed;
  const store = openStateStore({ file: join(dataDir, stateFile), settings, clock, epoch });
  open.defer(() => store.close());
  const state = openState({ store, clock });
  const identityOf = identities(foundation);
  return {
    suffix,
    state,
    networks: openNetworks({ state, clock }),
    limitsBy: (settingsOf) => openLimits({ store, clock, settingsOf, identityOf }),
    hasher: createHasher({
      cores: availableParallelism(),
      queueMax: settings['keys.hashQueueMax'],
      costMaxMiB: settings['keys.hashCostMaxMiB'],
      foreignRoundsMax: settings['keys.foreignRoundsMax'],
      chance,
    }),
    certificate: settings['http.tlsPort'] === undefined ? undefined : await openCertificate(foundation, { renewDays: besideRenewDays }),
    web: { socketPath, secret, shared },
    ...(ldapUrl === undefined ? {} : { ldapUrl }),
  };
}

/** Later than the service does: where both show what Atrium made, the service signs it anew, and this process takes it up. */
const besideRenewDays = 30;

/** A schema that lacks the type of a name is read anew, since one may have been added; not more often than this. */
const rereadMs = 10_000;

/** What stands for a DN in all of its spellings: as the service has it, whose counters are these. */
function identities({ root, settings, clock }: Foundation): (dn: string) => string {
  let schema = schemaOf({ root, settings });
  let readMs = clock.nowMs();
  return (dn) => {
    const parsed = parseDn(dn);
    if (parsed === undefined) return dn.toLowerCase();
    const key = normalizeDn(schema, parsed);
    if (key !== undefined) return hex(key);
    if (Math.abs(clock.nowMs() - readMs) < rereadMs) return dn.toLowerCase();
    readMs = clock.nowMs();
    schema = schemaOf({ root, settings });
    const again = normalizeDn(schema, parsed);
    return again === undefined ? dn.toLowerCase() : hex(again);
  };
}
