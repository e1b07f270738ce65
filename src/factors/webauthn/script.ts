import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { hex } from '#base';
import { sha256 } from '#keys';

/** The script of the ceremonies as it is sent. */
export interface CeremonyScript {
  /** Its path in a realm, with what changes with its content: it may be kept for ever. */
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly gzipped: Uint8Array;
}

const fingerprintDigits = 12;
let loaded: CeremonyScript | undefined;

/** The one script that pages may run; read with its first use. */
export function ceremonyScript(): CeremonyScript {
  if (loaded === undefined) {
    const body = readFileSync(fileURLToPath(import.meta.resolve('./browser/webauthn.js')));
    const version = hex(sha256(body)).slice(0, fingerprintDigits);
    const type = 'text/javascript; charset=utf-8';
    loaded = { path: `/authn/webauthn.js?v=${version}`, type, body, gzipped: gzipSync(body, { level: 9 }) };
  }
  return loaded;
}
