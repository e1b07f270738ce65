import { createHash, randomUUID } from 'node:crypto';
import test from 'ava';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import * as oidc from 'openid-client';
import {
  acts,
  basic,
  type Case,
  config,
  house,
  jar,
  judge,
  nowS,
  openHostile,
  post,
  query,
  type Sent,
  send,
  token,
  unsigned,
  web,
} from './hostile.ts';
import { addApplication, back, exchange, go, request } from './house.ts';

const mine = await generateKeyPair('ES256', { extractable: true });
const other = await generateKeyPair('ES256', { extractable: true });
const jwk = await exportJWK(mine.publicKey);
test.before(() => openHostile());

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

const ath = (text: string) => createHash('sha256').update(text).digest('base64url');

/** A proof for a request, with what is wrong about it: a member that is `undefined` is left out. */
async function proofOf(
  claims: Readonly<Record<string, unknown>>,
  changed: Readonly<Record<string, unknown>> = {},
  head: object = {},
  key: Parameters<SignJWT['sign']>[0] = mine.privateKey,
): Promise<string> {
  const payload = { jti: randomUUID(), iat: nowS(), ...claims, ...changed } as JWTPayload;
  return await new SignJWT(payload).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...head }).sign(key);
}

/** What may be wrong with a proof wherever it is shown (RFC 9449 §4.3), by the number of the check there. */
async function wrongs(
  claims: Readonly<Record<string, unknown>>,
): Promise<readonly (readonly [rule: string, proof: string | readonly string[]])[]> {
  const hmac = new TextEncoder().encode('a secret that both sides know, of many octets');
  const rsa = await generateKeyPair('RS256', { extractable: true });
  const htu = String(claims['htu']);
  return [
    ['1: two of them', [await proofOf(claims), await proofOf(claims)]],
    ['2: no JWT', 'x.y.z'],
    ['3: without jti', await proofOf(claims, { jti: undefined })],
    ['3: with an empty jti', await proofOf(claims, { jti: '' })],
    ['3: with a jti that is no text', await proofOf(claims, { jti: 7 })],
    ['3: without iat', await proofOf(claims, { iat: undefined })],
    ['3: without htm', await proofOf(claims, { htm: undefined })],
    ['3: without htu', await proofOf(claims, { htu: undefined })],
    ['4: of another type', await proofOf(claims, {}, { typ: 'JWT' })],
    ['4: of no type', await proofOf(claims, {}, { typ: undefined })],
    ['5: signed by nobody', unsigned({ jti: randomUUID(), iat: nowS(), ...claims })],
    ['5: by a secret', await proofOf(claims, {}, { alg: 'HS256', jwk: { kty: 'oct', k: Buffer.from(hmac).toString('base64url') } }, hmac)],
    [
      '5: by an algorithm that is not offered',
      await proofOf(claims, {}, { alg: 'RS256', jwk: await exportJWK(rsa.publicKey) }, rsa.privateKey),
    ],
    ['6: by another key than it shows', await proofOf(claims, {}, {}, other.privateKey)],
    ['6: without its key', await proofOf(claims, {}, { jwk: undefined })],
    ['7: with a private key', await proofOf(claims, {}, { jwk: await exportJWK(mine.privateKey) })],
    ['8: for another method', await proofOf(claims, { htm: 'DELETE' })],
    ['8: for the method in small letters', await proofOf(claims, { htm: String(claims['htm']).toLowerCase() })],
    ['9: for another path', await proofOf(claims, { htu: `${htu}/x` })],
    ['9: for another host', await proofOf(claims, { htu: htu.replace('localhost', 'evil.example') })],
    ['9: for no address', await proofOf(claims, { htu: 'x' })],
    ['11: of an hour ago', await proofOf(claims, { iat: nowS() - 3600 })],
    ['11: of an hour later', await proofOf(claims, { iat: nowS() + 3600 })],
    ['11: over', await proofOf(claims, { exp: nowS() - 60 })],
  ];
}

const tokenUrl = () => `${house.base}/oauth2/token`;
const byClient = query({ grant_type: 'client_credentials' });
const asked = (dpop: string | readonly string[]): Sent => token(byClient, { ...acts(), dpop });

test.serial('RFC 9449 §5: a token is given for no proof that is not good, in the words invalid_dpop_proof', async (t) => {
  const claims = { htm: 'POST', htu: tokenUrl() };
  const used = await proofOf(claims);
  await judge(t, [
    ['as it should be', asked(used), 200, /"token_type":"DPoP"/],
    ...(await wrongs(claims)).map(([rule, proof]): Case => [rule, asked(proof), 400, 'invalid_dpop_proof', 'STS-OAUTH-9012']),
    ['11: used before', asked(used), 400, 'invalid_dpop_proof', 'STS-OAUTH-9012'],
    ['10: with a nonce that nobody gave', asked(await proofOf(claims, { nonce: 'x' })), 400, 'invalid_dpop_proof', 'STS-OAUTH-9012'],
    ['9: query and fragment do not count', asked(await proofOf({ ...claims, htu: `${tokenUrl()}?a=b#c` })), 200, /"token_type":"DPoP"/],
  ]);
});

test.serial('RFC 9449 §10.1: nor is a request taken in advance', async (t) => {
  const body = query({
    client_id: web.clientId,
    response_type: 'code',
    redirect_uri: back,
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
    scope: 'openid',
  });
  const pushed = (dpop: string | readonly string[]): Sent => post('/oauth2/par', body, { ...basic(web.clientId, web.secret), dpop });
  const claims = { htm: 'POST', htu: `${house.base}/oauth2/par` };
  const used = await proofOf(claims);
  await judge(t, [
    ['as it should be', pushed(used), 201, /request_uri/],
    ...(await wrongs(claims)).map(([rule, proof]): Case => [rule, pushed(proof), 400, 'invalid_dpop_proof', 'STS-OAUTH-9012']),
    ['11: used before', pushed(used), 400, 'invalid_dpop_proof', 'STS-OAUTH-9012'],
  ]);
});

/** A token that is bound to a key, and a proof of this key for it. */
async function boundBy(app: { readonly clientId: string; readonly secret: string }, more: Readonly<Record<string, string>>) {
  const dpop = await proofOf({ htm: 'POST', htu: tokenUrl() });
  const answer = await send(token(query({ grant_type: 'client_credentials', ...more }), { ...basic(app.clientId, app.secret), dpop }));
  return String((JSON.parse(answer.body) as { readonly access_token?: string }).access_token);
}

test.serial('RFC 9449 §7.1: the management API takes a bound token with a good proof of its key alone, and says by what', async (t) => {
  const resource = `${house.base}/admin-api`;
  const app = await addApplication(house, 'manages', {
    stsGrantType: ['client_credentials'],
    stsAllowedResource: 'urn:atrium:admin-api',
    stsAllowedScope: 'admin:read',
  });
  const bound = await boundBy(app, { resource, scope: 'admin:read' });
  const path = '/admin-api/users';
  const claims = { htm: 'GET', htu: `${house.base}${path}`, ath: ath(bound) };
  const called = (dpop: string | readonly string[], scheme = 'DPoP'): Sent => ({
    path,
    headers: { authorization: `${scheme} ${bound}`, dpop },
  });
  const used = await proofOf(claims);
  // Somebody without the role is known, and refused as themselves.
  await judge(t, [
    ['as it should be', called(used), 403, /./, 'STS-API-9003'],
    ...(await wrongs(claims)).map(([rule, proof]): Case => [rule, called(proof), 401, /not good here/, 'STS-API-9001']),
    ['11: used before', called(used), 401, /not good here/, 'STS-API-9001'],
    ['12: without ath', called(await proofOf(claims, { ath: undefined })), 401, /not good here/, 'STS-API-9001'],
    ['12: of another token', called(await proofOf(claims, { ath: ath('x') })), 401, /not good here/, 'STS-API-9001'],
    [
      '12: by another key, as it shows',
      called(await proofOf(claims, {}, { jwk: await exportJWK(other.publicKey) }, other.privateKey)),
      401,
      /not good here/,
      'STS-API-9001',
    ],
    ['no proof at all', { path, headers: { authorization: `DPoP ${bound}` } }, 401, /not good here/, 'STS-API-9001'],
    ['as a bearer’s', called(await proofOf(claims), 'Bearer'), 401, /not good here/, 'STS-API-9001'],
  ]);
  // HEAD is a method of its own for a proof.
  const head = async (htm: string) => (await send({ ...called(await proofOf(claims, { htm })), method: 'HEAD' })).status;
  t.deepEqual([await head('GET'), await head('HEAD')], [401, 403]);
  const { headers } = await send(called('x.y.z'));
  t.regex(headers['www-authenticate'] ?? '', /^DPoP error="invalid_token", error_description="[^"]*", algs="ES256 /);
});

test.serial('RFC 9449 §7.1: userinfo does so, too; a proof for another token is none for this', async (t) => {
  const privateKey = mine.privateKey;
  const DPoP = oidc.getDPoPHandle(config, { privateKey, publicKey: mine.publicKey });
  const flow = request(config);
  const { access_token: bound } = await exchange(config, flow, (await go(house.base, flow.url.href, jar)).location, { DPoP });
  const path = '/oauth2/userinfo';
  const claims = { htm: 'GET', htu: `${house.base}${path}`, ath: ath(bound) };
  const called = (dpop: string | readonly string[], scheme = 'DPoP'): Sent => ({
    path,
    headers: { authorization: `${scheme} ${bound}`, dpop },
  });
  const used = await proofOf(claims);
  const refused = (rule: string, sent: Sent, error = 'invalid_dpop_proof', code = 'STS-OAUTH-9012'): Case => [rule, sent, 401, error, code];
  await judge(t, [
    ['as it should be', called(used), 200, /"sub"/],
    ...(await wrongs(claims)).map(([rule, proof]) => refused(rule, called(proof))),
    refused('11: used before', called(used), 'invalid_token'),
    refused('12: without ath', called(await proofOf(claims, { ath: undefined }))),
    refused('12: of another token', called(await proofOf(claims, { ath: ath('x') }))),
    refused(
      '12: by another key, as it shows',
      called(await proofOf(claims, {}, { jwk: await exportJWK(other.publicKey) }, other.privateKey)),
      'invalid_token',
      'STS-OAUTH-9013',
    ),
    ['as a bearer’s', called(await proofOf(claims), 'Bearer'), 400, 'invalid_request', 'STS-OAUTH-9000'],
  ]);
});
