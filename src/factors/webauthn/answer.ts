import { refuse } from '#catalogue';
import { errors } from './errors.ts';

/** What a browser answers to a ceremony, as the script posts it: octets as base64url. */
export interface Answer {
  readonly id: string;
  readonly attachment: 'platform' | 'cross-platform' | undefined;
  /** As credProps says. */
  readonly discoverable: boolean | undefined;
  readonly clientDataJSON: string;
  /** The challenge that was answered. Whether it is ours is not known yet. */
  readonly challenge: string;
  readonly made: { readonly attestationObject: string; readonly transports: readonly string[] } | undefined;
  readonly asserted:
    | { readonly authenticatorData: string; readonly signature: string; readonly userHandle: string | undefined }
    | undefined;
}

/** A registration with ML-DSA-87, a chain of such certificates and an id as long as may be needs some 40 KB. */
const answerLengthMax = 131_072;
const transportsMax = 8;

/**
 * Reads an answer.
 *
 * @throws Refusal `answerMalformed`
 */
export function readAnswer(text: string): Answer {
  const json = text.length > answerLengthMax ? undefined : record(parse(text));
  const response = record(json?.['response']);
  if (json === undefined || response === undefined || json['type'] !== 'public-key') throw refuse(errors.answerMalformed);
  const id = octetsOf(json['id']);
  const clientDataJSON = octetsOf(response['clientDataJSON']);
  const clientData = record(parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')));
  const challenge = clientData?.['challenge'];
  if (typeof challenge !== 'string') throw refuse(errors.answerMalformed);
  // Web Authentication Level 3 §7.1, §7.2: a ceremony in a frame of another site is none that was begun here.
  if (clientData?.['crossOrigin'] === true || clientData?.['topOrigin'] !== undefined) throw refuse(errors.answerMalformed);
  const isMade = response['attestationObject'] !== undefined;
  return {
    id,
    attachment: attachmentOf(json['authenticatorAttachment']),
    discoverable: discoverableOf(json['clientExtensionResults']),
    clientDataJSON,
    challenge,
    made: isMade
      ? { attestationObject: octetsOf(response['attestationObject']), transports: transportsOf(response['transports']) }
      : undefined,
    asserted: isMade
      ? undefined
      : {
          authenticatorData: octetsOf(response['authenticatorData']),
          signature: octetsOf(response['signature']),
          userHandle: response['userHandle'] === undefined ? undefined : octetsOf(response['userHandle']),
        },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
}

/** In its one form: what is compared as text is then compared as octets. */
function octetsOf(value: unknown): string {
  if (typeof value !== 'string' || value === '' || Buffer.from(value, 'base64url').toString('base64url') !== value)
    throw refuse(errors.answerMalformed);
  return value;
}

function attachmentOf(value: unknown): Answer['attachment'] {
  return value === 'platform' || value === 'cross-platform' ? value : undefined;
}

function discoverableOf(extensions: unknown): boolean | undefined {
  const rk = record(record(extensions)?.['credProps'])?.['rk'];
  return typeof rk === 'boolean' ? rk : undefined;
}

/** Words of the browser: kept for the next time it is asked, and nothing else. */
function transportsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const words = value.filter((each): each is string => typeof each === 'string' && /^[a-z][a-z-]{0,31}$/.test(each));
  return [...new Set(words)].slice(0, transportsMax).toSorted();
}
