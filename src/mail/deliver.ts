import type { Timers } from '#jobs';
import type { MailAddress } from './address.ts';
import type { Written } from './letter.ts';
import type { MailServer } from './server.ts';

/** A mail that is ready to be handed over. */
export interface Mail extends Written {
  readonly from: MailAddress;
  readonly fromName: string;
  readonly to: MailAddress;
  /** The same at each try, so that a mail that came twice can be known for one (RFC 5322 §3.6.4). */
  readonly messageId: string;
  readonly writtenMs: number;
}

/**
 * How it went. `later`: it may go another time; `never`: the server will not have this mail (a reply of 5yz, RFC 5321 §4.2.1).
 * `why` is for operators and holds nothing of what the mail says.
 */
export type Delivered = { readonly kind: 'sent' } | { readonly kind: 'later' | 'never'; readonly why: string };

/** Octets of one reply that are read. */
const replyOctetsMax = 4096;

/**
 * Hands a mail to a mail server, over a connection of its own. Never throws.
 *
 * @param ends  cuts the connection when it fires
 */
export async function deliver(mail: Mail, server: MailServer, timers: Timers, ends: AbortSignal): Promise<Delivered> {
  const late = new AbortController();
  const stop = timers.after(server.timeoutMs, () => late.abort());
  try {
    // Late: nothing of it is needed where no mail is sent.
    const { createTransport } = await import('nodemailer');
    await createTransport(optionsOf(mail, server)).sendMail({
      from: { name: mail.fromName, address: mail.from },
      to: { name: '', address: mail.to },
      envelope: { from: mail.from, to: mail.to },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: mail.messageId,
      date: new Date(mail.writtenMs),
      // RFC 3834 §5: nobody's note of absence answers it.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.any([ends, late.signal]),
    });
    return { kind: 'sent' };
  } catch (thrown) {
    if (late.signal.aborted) return { kind: 'later', why: `it was not handed over within ${server.timeoutMs} ms` };
    return failureOf(thrown);
  } finally {
    stop();
  }
}

function optionsOf({ from }: Mail, { host, port, tls, login, authorities, timeoutMs }: MailServer) {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    // Nobody on the way shall read a password: without TLS there is none to read.
    ...(login === undefined || tls === 'none' ? {} : { auth: { user: login.user, pass: login.password } }),
    ...(authorities === undefined ? {} : { tls: { ca: authorities } }),
    name: from.slice(from.indexOf('@') + 1),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: replyOctetsMax,
    allowInternalNetworkInterfaces: true,
  };
}

/** What nodemailer says of a failure. */
interface Failure {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly command?: unknown;
}

/** What the server says once it has the mail could repeat what stands in it: of that only the numbers are told. */
function failureOf(thrown: unknown): Delivered {
  const { code, responseCode, response, command } = (thrown instanceof Error ? thrown : {}) as Failure;
  const at = typeof command === 'string' && command !== '' ? ` (${command.split(' ', 1)[0]})` : '';
  if (typeof responseCode !== 'number') {
    const said = thrown instanceof Error ? thrown.message : 'unknown error';
    return { kind: 'later', why: `${typeof code === 'string' ? code : 'no code'}: ${said}${at}` };
  }
  const enhanced = typeof response === 'string' ? (/^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? '') : '';
  const why = `the server answered ${responseCode}${enhanced === '' ? '' : ` ${enhanced}`}${at}`;
  // Only what is answered to the mail itself is for good: whoever is not let in may be tomorrow. RFC 5321 §4.2.1: all 4yz are for now.
  const never = responseCode >= 500 && responseCode !== 503 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return { kind: never ? 'never' : 'later', why };
}
