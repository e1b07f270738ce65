import { join } from 'node:path';
import { Refusal, refuse } from '#catalogue';
import {
  type CertificateOptions,
  describeCertificate,
  keysErrors,
  openServerCertificate,
  renewServerCertificate,
  type ServerCertificate,
} from '#keys';
import type { Foundation } from './foundation.ts';

/** The certificate of this process's listeners, which may be replaced while they show it. */
export interface LiveCertificate {
  readonly shown: ServerCertificate;
  /**
   * Has a listener told of each certificate that it is to show from then on; connections that are open keep theirs.
   *
   * @param showing  what it shows already: it is told at once where that is another
   */
  follow(showing: ServerCertificate, show: Show): void;
  /**
   * A run of the job `tls.renew`: looks at the files, and has the listeners show what was put in their place. What cannot be used is told to the audit trail
   * and the log once, and the listeners go on showing what they show.
   */
  look(): Promise<string>;
}

/** What it returns is waited for. */
type Show = (certificate: ServerCertificate) => unknown;

/** How near its end the operator's own is told of. */
const warnDays = 14;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Only where something speaks TLS.
 *
 * @param renewDays  as `openServerCertificate` has it
 */
export async function openCertificate(
  foundation: Foundation,
  { renewDays }: { readonly renewDays?: number } = {},
): Promise<LiveCertificate | undefined> {
  const { settings, dataDir, clock, chance } = foundation;
  const startsTls = settings['ldap.port'] !== undefined && settings['ldap.startTls'];
  if (settings['ldap.tlsPort'] === undefined && settings['http.tlsPort'] === undefined && !startsTls) return undefined;
  const publicName = URL.parse(settings['global.publicBaseUrl'])?.hostname;
  const options = {
    certFile: settings['tls.certFile'],
    keyFile: settings['tls.keyFile'],
    folder: join(dataDir, 'tls'),
    names: publicName === undefined ? [] : [publicName],
    clock,
    chance,
    ...(renewDays === undefined ? {} : { renewDays }),
  };
  return keepAlive(foundation, options, await openServerCertificate(options));
}

function keepAlive({ clock, log, audit }: Foundation, options: CertificateOptions, opened: ServerCertificate): LiveCertificate {
  const followers: Show[] = [];
  let shown = opened;
  let told = '';
  const event = { realm: 'default', door: 'service', subject: '', action: 'tls.renew', correlationId: '', address: '' } as const;

  /** The same trouble is told once, until there is another or none. */
  const tell = (trouble: Refusal | undefined) => {
    const words = trouble?.tells ?? '';
    if (trouble !== undefined && words !== told) audit.record({ ...event, outcome: 'failed', error: trouble.row, summary: words });
    told = words;
  };
  const take = async (found: ServerCertificate): Promise<void> => {
    shown = found;
    await Promise.all(followers.map((show) => show(found)));
    const summary = `the listeners show another certificate: ${wordsOf(found)}`;
    log.info(summary);
    audit.record({ ...event, outcome: 'success', summary });
  };
  const nearEnd = (): Refusal | undefined => {
    const { untilMs } = describeCertificate(shown.cert);
    if (shown.caFile !== undefined || untilMs - clock.nowMs() > warnDays * dayMs) return undefined;
    return refuse(keysErrors.certificateEnds, { until: new Date(untilMs).toISOString() });
  };

  return {
    get shown() {
      return shown;
    },
    follow: (showing, show) => {
      followers.push(show);
      if (showing !== shown) void show(shown);
    },
    async look() {
      try {
        const found = await renewServerCertificate(options, shown);
        if (found !== shown) await take(found);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        tell(error);
        return error.tells;
      }
      tell(nearEnd());
      return `shown: ${wordsOf(shown)}`;
    },
  };
}

function wordsOf({ cert }: ServerCertificate): string {
  const { serialNumber, untilMs } = describeCertificate(cert);
  return `serial number ${serialNumber}, good until ${new Date(untilMs).toISOString()}`;
}
