import test, { type ExecutionContext } from 'ava';
import { ClientRefusal } from '#client';
import { claimsOfScopes, openClaims, openConsents } from '#oauth';
import { type Attributes, person, suffix } from '../directory/driver.ts';
import { openWebLayer } from '../support/web-layer.ts';

const realm = { suffix };
const nobodys = { claims: [] } as const;

async function open(t: ExecutionContext) {
  const layer = await openWebLayer(t);
  const operator = layer.house.operator();
  const uuid = (await layer.client.as('self').read(person('ada'), ['entryUUID']))?.one('entryUUID') ?? '';
  return { ...layer, operator, uuid, claims: openClaims(layer), consents: openConsents(layer) };
}

test('OpenID Connect Core §5.4: each scope tells its claims, read from the entry at this moment, and nothing where the entry says nothing', async (t) => {
  const { claims, operator, uuid } = await open(t);
  const of = (...scopes: string[]) => claims.of(realm, nobodys, uuid, scopes);
  t.deepEqual(await of(), {});
  t.deepEqual(await of('openid', 'offline_access', 'nothing'), {});
  t.like(await of('profile'), { name: 'Ada Lovelace', family_name: 'Lovelace', given_name: 'Ada', preferred_username: 'ada' });
  t.is(typeof (await of('profile'))?.['updated_at'], 'number');
  t.deepEqual(await of('email'), { email: 'ada@example.com', email_verified: false });
  t.deepEqual(await of('phone'), { phone_number: '+44 20 7946 0001' });
  t.deepEqual(await of('address'), {});
  t.deepEqual(await of('groups'), { groups: ['pioneers'] });
  await operator.modify(
    person('ada'),
    ['replace', 'displayName', 'The Countess'],
    ['replace', 'preferredLanguage', 'en-GB, fr;q=0.5'],
    ['replace', 'stsVerifiedMail', 'ADA@example.com'],
    ['replace', 'postalAddress', '12 St James’s Square $ London'],
    ['replace', 'l', 'London'],
  );
  t.like(await of('profile'), { name: 'The Countess', locale: 'en-GB' });
  t.deepEqual(await of('email'), { email: 'ada@example.com', email_verified: true });
  t.deepEqual(await of('address'), { address: { formatted: '12 St James’s Square\nLondon', locality: 'London' } });
  t.is(await claims.of(realm, nobodys, '00000000-0000-4000-8000-000000000000', ['profile']), undefined);
  t.deepEqual(claimsOfScopes['email'], ['email', 'email_verified']);
});

test('a realm maps more by entries, an application by its own, and its own comes first', async (t) => {
  const { claims, operator, uuid } = await open(t);
  t.is((await operator.add(`ou=policies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'policies' })).code, 0);
  const map: Attributes = {
    objectClass: 'stsClaimMap',
    cn: 'claims',
    stsClaim: ['staff number employeeNumber', 'profile name sn', 'staff names cn'],
  };
  t.is((await operator.add(`cn=claims,ou=policies,${suffix}`, map)).code, 0);
  t.deepEqual(await claims.of(realm, nobodys, uuid, ['staff']), { number: '1815', names: ['Ada Lovelace', 'Ada King'] });
  t.is((await claims.of(realm, nobodys, uuid, ['profile']))?.['name'], 'Lovelace');
  const own = { claims: [{ scope: 'profile', claim: 'name', attribute: 'uid' }] };
  t.is((await claims.of(realm, own, uuid, ['profile']))?.['name'], 'ada');
  const secret = { claims: [{ scope: 'profile', claim: 'pw', attribute: 'userPassword' }] };
  t.false('pw' in ((await claims.of(realm, secret, uuid, ['profile'])) ?? {}), 'what is secret is told to nobody');
});

const wiki = { clientId: 'wiki', entryUuid: 'w' };
const own = (...scopes: readonly string[]) => [{ resource: '', scopes }];

test('a consent is kept in its person’s own name, grows with what they allow, and is withdrawn', async (t) => {
  const { consents, uuid, clock, client, house } = await open(t);
  const acting = { dn: person('ada'), session: { factors: 1, authenticatedMs: clock.nowMs(), address: '192.0.2.1', isProtected: true } };
  clock.moveMs(3_600_000);
  t.true(await consents.grant(realm, acting, uuid, wiki, own('openid', 'profile')), 'not only right after a sign-in');
  clock.moveMs(1000);
  t.true(await consents.grant(realm, acting, uuid, { clientId: 'notes', entryUuid: 'n' }, own('openid')));
  t.true(await consents.grant(realm, acting, uuid, wiki, own('email')));
  t.deepEqual(
    (await consents.of(realm, uuid, wiki)).map(({ scopes }) => scopes),
    [['openid', 'profile', 'email']],
  );
  t.deepEqual(await consents.of(realm, uuid, { ...wiki, entryUuid: 'another' }), [], 'another application under the client id');
  const all = await consents.list(realm, uuid);
  t.deepEqual(all.map(({ clientId }) => clientId).sort(), ['notes', 'wiki']);
  const [written] = house.audited.filter(({ action, outcome }) => action === 'ldap.modify' && outcome === 'success');
  t.true(written?.subject.includes('uid=ada'));

  t.true(await consents.withdraw(realm, acting, uuid, { clientId: 'wiki', resource: '' }));
  t.deepEqual(await consents.of(realm, uuid, wiki), []);
  t.false(await consents.withdraw(realm, acting, uuid, { clientId: 'wiki', resource: '' }));
  const refusal = await t.throwsAsync(
    client
      .as({ dn: person('alan') })
      .modify(person('ada'), [{ operation: 'replace', attribute: { description: 'stsConsent', values: [] } }]),
    { instanceOf: ClientRefusal },
  );
  t.is(refusal?.code, 50, 'nobody else says it for them');
});

test('two who allow at one moment both count, and what cannot be read is no consent', async (t) => {
  const { consents, uuid, clock, operator } = await open(t);
  const acting = { dn: person('ada'), session: { factors: 1, authenticatedMs: clock.nowMs(), address: '192.0.2.1', isProtected: true } };
  await operator.modify(person('ada'), ['add', 'stsConsent', 'nonsense', '{"client":1}', '{"client":"x","scopes":"all","atMs":1}']);
  t.deepEqual(await consents.list(realm, uuid), []);
  const scopes = ['one', 'two', 'three'];
  await Promise.all(scopes.map((scope) => consents.grant(realm, acting, uuid, wiki, own(scope))));
  t.deepEqual([...((await consents.of(realm, uuid, wiki))[0]?.scopes ?? [])].sort(), [...scopes].sort());
});
