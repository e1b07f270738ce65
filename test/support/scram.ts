import { pbkdf2Sync } from 'node:crypto';
import { digest, hmac } from '#keys';

/** What a bind is answered with: its code, and what the server says in its credentials. */
export interface SaslStep {
  readonly code: number;
  readonly said: string;
}

/** A client of SCRAM as RFC 5802 §3 describes it. */
export async function bindByScram(
  step: (mechanism: string, credentials: string) => Promise<SaslStep>,
  name: string,
  password: string,
  { mechanism = 'SCRAM-SHA-256', authzId = '', break: broken = (x: string) => x } = {},
) {
  const hash = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha1';
  const header = `n,${authzId === '' ? '' : `a=${authzId}`},`;
  const bare = `n=${name.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=fyko+d2lbbFgONRv9qkxdawL`;
  const first = await step(mechanism, `${header}${bare}`);
  if (first.code !== 14) return { first, code: first.code, said: '' };
  const [, nonce = '', salt = '', iterations = ''] = /^r=(.*),s=(.*),i=(.*)$/.exec(first.said) ?? [];
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), hash === 'sha1' ? 20 : 32, hash);
  const clientKey = hmac(hash, salted, 'Client Key');
  const unproved = `c=${Buffer.from(header).toString('base64')},r=${nonce}`;
  const signature = hmac(hash, digest(hash, clientKey), `${bare},${first.said},${unproved}`);
  const proof = Buffer.from(clientKey.map((octet, at) => octet ^ (signature[at] ?? 0))).toString('base64');
  const final = await step(mechanism, broken(`${unproved},p=${proof}`));
  const server = hmac(hash, hmac(hash, salted, 'Server Key'), `${bare},${first.said},${unproved}`);
  return { first, ...final, isServer: final.said === `v=${Buffer.from(server).toString('base64')}` };
}
