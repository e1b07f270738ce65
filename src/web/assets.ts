import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { hex } from '#base';
import { sha256 } from '#keys';

/** A file that pages link to, under a path that names its content: it may be kept for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly gzipped: Uint8Array;
}

export interface Assets {
  readonly pico: Asset;
  readonly style: Asset;
  /** Beside `style`, on pages of the console. */
  readonly console: Asset;
  readonly mark: Asset;
  /** The asset of a file name, `atrium.0123456789ab.css`. */
  find(name: string): Asset | undefined;
}

export const assetsPath = '/assets';

/** Reads the files once. They are all of them local: no page asks another host for anything. */
export function loadAssets(): Assets {
  const pico = load('pico', 'css', import.meta.resolve('@picocss/pico/css/pico.classless.min.css'));
  const style = load('atrium', 'css', import.meta.resolve('./assets/atrium.css'));
  const console = load('console', 'css', import.meta.resolve('./assets/console.css'));
  const mark = load('mark', 'svg', import.meta.resolve('./assets/mark.svg'));
  const byPath = new Map([pico, style, console, mark].map((asset) => [asset.path, asset]));
  return { pico, style, console, mark, find: (name) => byPath.get(`${assetsPath}/${name}`) };
}

const types = { css: 'text/css; charset=utf-8', svg: 'image/svg+xml' } as const;
const fingerprintDigits = 12;

function load(name: string, kind: keyof typeof types, url: string): Asset {
  const body = readFileSync(fileURLToPath(url));
  const fingerprint = hex(sha256(body)).slice(0, fingerprintDigits);
  return { path: `${assetsPath}/${name}.${fingerprint}.${kind}`, type: types[kind], body, gzipped: gzipSync(body, { level: 9 }) };
}
