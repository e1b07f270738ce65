import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ldapNames } from '../../src/admin/operations/ldap-names.ts';
import { ask, cookieOf, openScreen, submit } from '../flows/raw.ts';
import { call, openApi } from './api.ts';

const atrium = await openApi();
test.after.always(() => atrium[Symbol.asyncDispose]());

const drift = ['undocumentedPaths', 'stalePaths', 'unknownSpecIds', 'unknownProtocolGroups', 'unknownProtocolSpecIds', 'unclaimedGroups'];

test('sts-metadata.show: on a running server all six lists of drift are empty, and every route says its specification and its coverage', async (t) => {
  const { body } = await call(t, atrium, 'sts-metadata.show');
  t.deepEqual(Object.fromEntries(drift.map((name) => [name, body[name]])), Object.fromEntries(drift.map((name) => [name, []])));
  t.true(body.agrees);
  t.true(body.routes.length > 100);
  for (const { path, coverage, specs, purpose, isLink, noLink, method } of body.routes) {
    t.regex(coverage, /^(?:full|partial|mock)/, path);
    t.true(specs.length > 0 && purpose !== 'UNDOCUMENTED', path);
    t.is(isLink, method === 'GET' && !/[:*]/.test(path), path);
    t.is(noLink === undefined, isLink, path);
  }
  t.is(body.protocols.length, 13);
  const built = body.protocols.filter((card: { built: boolean }) => card.built).map(({ id }: { id: string }) => id);
  t.true(built.includes('ldap') && !built.includes('saml'));
  t.true(body.byHand.some(({ address }: { address?: string }) => address?.startsWith('ldap://')));
  const [socket] = body.byHand.filter(({ protocol }: { protocol: string }) => protocol === 'admin');
  t.is(socket.address, 'unix:run/api', 'the socket by which the commands come');
  t.true(existsSync(join(atrium.dataDir, 'run/api')));
  const { listeners } = (await call(t, atrium, 'status.show')).body;
  t.true(listeners.some(({ address }: { address: string }) => address === socket.address));
});

test('crypto.show: per family what this server uses, checked both ways against the page of endpoints, and no secret', async (t) => {
  const { body } = await call(t, atrium, 'crypto.show');
  t.deepEqual([body.undescribedFamilies, body.unknownFamilies], [[], []]);
  const uses = body.families.flatMap((family: { uses: { what: string; algorithms: string[] }[] }) => family.uses);
  t.true(uses.some(({ algorithms }: { algorithms: string[] }) => algorithms.some((each) => /^scrypt, N = 2\^14/.test(each))));
  t.true(body.postQuantum.signatures.includes('ML-DSA-65'));
  t.false(/BEGIN|"d":/.test(JSON.stringify(body)));
  // It is worked out of what is in force.
  await call(t, atrium, 'config.set', { json: { name: 'totp.algorithm', value: 'SHA256' } });
  t.regex(JSON.stringify((await call(t, atrium, 'crypto.show')).body), /HMAC-SHA256/);
  await call(t, atrium, 'config.reset', { json: { name: 'totp.algorithm' } });
});

test('status.show: which console pages exist, each of which asks for a sign-in', async (t) => {
  const { body } = await call(t, atrium, 'status.show');
  t.like(body, { realm: 'default', mode: 'development', agrees: true });
  t.true(body.pages.some(({ path }: { path: string }) => path === '/admin/sts-metadata'));
  for (const { path } of body.pages as { path: string }[]) {
    const page = await fetch(`${atrium.addresses.http}${path}`, { redirect: 'manual' });
    t.is(page.status, 302, path);
  }
  for (const path of ['/admin/sts-metadata', '/admin/crypto-metadata', '/admin/error-codes', '/admin/ldap/service']) {
    const json = await fetch(`${atrium.addresses.http}${path}?format=json`);
    t.is(json.status, 401);
    t.is(((await json.json()) as { error: string }).error, 'login_required');
  }
});

test('/admin/sts-metadata, /admin/crypto-metadata, /admin/error-codes, /admin/ldap/service: pages with a JSON form that says what the operation does', async (t) => {
  const base = atrium.addresses.http ?? '';
  // Development mode: any name signs in to the console.
  const answer = await submit(base, await openScreen(base), 'olga', 'anything at all');
  const cookies = { sts_session: cookieOf(answer, 'sts_session') ?? '' };
  const pages = {
    '/admin/sts-metadata': 'sts-metadata.show',
    '/admin/crypto-metadata': 'crypto.show',
    '/admin/error-codes': 'error-codes.list',
    '/admin/ldap/service': 'ldap.service',
  };
  for (const [path, name] of Object.entries(pages)) {
    const page = await ask(base, path, { cookies });
    t.is(page.status, 200, path);
    t.regex(page.body, /<h1>/);
    const json = await ask(base, `${path}?format=json`, { cookies });
    t.is(json.status, 200, path);
    const shown = Object.keys(JSON.parse(json.body)).filter((member) => member !== 'ok');
    t.deepEqual(
      shown.toSorted(),
      Object.keys((await call(t, atrium, name)).body)
        .filter((member) => member !== 'ok')
        .toSorted(),
      path,
    );
  }
  const metadata = JSON.parse((await ask(base, '/admin/sts-metadata?format=json', { cookies })).body);
  for (const name of drift) t.deepEqual(metadata[name], [], name);
  t.regex((await ask(base, '/admin/sts-metadata', { cookies })).body, /webfinger/);
});

test('ldap.service, ldap.directory, ldap.applications: what LDAP offers and shows, without secrets', async (t) => {
  const service = (await call(t, atrium, 'ldap.service')).body;
  t.true(service.namingContexts.includes(atrium.suffix));
  t.true(service.listeners.some(({ name }: { name: string }) => /StartTLS/.test(name)));
  t.true(service.controls.length > 10 && service.saslMechanisms.length > 0);
  const identifiers = [service.controls, service.extensions, service.features].flat() as { oid: string; name?: string; source?: string }[];
  t.deepEqual(
    identifiers.filter(({ name, source }) => name === undefined || source === undefined),
    [],
    'each has a name and a document',
  );
  t.deepEqual(Object.keys(ldapNames).toSorted(), identifiers.map(({ oid }) => oid).toSorted(), 'and nothing else is named');
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const { body } = await call(t, atrium, 'ldap.directory', { query: { limit: '7', ...(after === undefined ? {} : { after }) } });
    seen.push(...body.entries.map(({ dn }: { dn: string }) => dn));
    t.false(/userPassword|stsTotpCredential|\{SCRYPT\}/i.test(JSON.stringify(body)));
    after = body.next;
  } while (after !== undefined);
  t.is(new Set(seen).size, seen.length);
  t.true(seen.includes(atrium.adminDn));
  t.is((await call(t, atrium, 'ldap.applications')).body.base, `ou=applications,${atrium.suffix}`);
});

test('keys.rotate: without the word an emergency is refused; keys.list never shows a private half', async (t) => {
  for (const json of [{ emergency: true }, { emergency: true, confirm: 'yes' }, { confirm: 'compromised' }, { algorithm: 'none' }])
    t.is((await call(t, atrium, 'keys.rotate', { json })).status, 400);
  const rotated = await call(t, atrium, 'keys.rotate', { json: { algorithm: 'ES256' } });
  const { body } = await call(t, atrium, 'keys.list');
  t.false(/"d":/.test(JSON.stringify(body)));
  if (rotated.status === 200) t.true(body.keys.some(({ kid }: { kid: string }) => kid === rotated.body.rotated[0].kid));
});
