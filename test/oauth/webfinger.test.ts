import test from 'ava';
import { Attribute, Change } from 'ldapts';
import { asAdministrator } from '../flows/people.ts';
import { addRealm } from '../flows/realms.ts';
import { startTestAtrium } from '../support/atrium.ts';

test('webfinger (RFC 7033): the issuer of an account, a mail address, a host or an address, by realm domain or path, and nothing of whether there is such a person', async (t) => {
  await using atrium = await startTestAtrium();
  await addRealm(atrium, 'acme', { associatedDomain: 'acme.example' });
  const origin = atrium.addresses.http ?? '';
  const ask = async (query: string, path = '') => {
    const response = await fetch(`${origin}${path}/.well-known/webfinger${query}`);
    const said = response.ok ? ((await response.json()) as { subject: string; links: { href: string }[] }) : undefined;
    return { status: response.status, href: said?.links[0]?.href, subject: said?.subject, headers: response.headers };
  };
  const of = async (resource: string, path = '') => (await ask(`?resource=${encodeURIComponent(resource)}`, path)).href;
  const domain = atrium.suffix.replace(/dc=/g, '').replace(',', '.');
  const here = new URL(origin).host;
  const acme = `${origin}/realm/acme`;

  const first = await ask(`?resource=${encodeURIComponent(`acct:nobody@${domain}`)}`);
  t.deepEqual([first.status, first.href, first.subject], [200, origin, `acct:nobody@${domain}`]);
  t.is(first.headers.get('content-type'), 'application/jrd+json');
  t.is(first.headers.get('access-control-allow-origin'), '*');
  t.is(await of('acct:ada@acme.example'), acme);
  t.is(await of('acct:ada%40home@ACME.example'), acme, 'a user part of an address of its own (RFC 7565)');
  t.is(await of('ada@acme.example'), acme);
  t.is(await of('mailto:ada@acme.example'), acme);
  t.is(await of('acme.example'), acme);
  t.is(await of('https://acme.example/ada'), acme);
  t.is(await of(`${origin}/realm/acme`), acme);
  t.is(await of(`${origin}/realm/acme/ada`), acme);
  t.is(await of(`acct:ada@${here}`), origin);
  t.is(await of(`acct:ada@${here}`, '/realm/acme'), acme, 'of its own host each realm answers for itself');
  t.is(await of(`acct:ada@${domain}`, '/realm/acme'), undefined, 'and for no other realm');

  for (const none of [
    'acct:ada@other.example',
    'acct:ada',
    `${origin}/realm/none`,
    `${origin}/realm/ACME`,
    'javascript:alert(1)',
    'acct:a@b@',
    '*',
  ])
    t.is((await ask(`?resource=${encodeURIComponent(none)}`)).status, 404, none);
  t.is(atrium.audit.at(-1)?.errorCode, 'STS-OAUTH-9101');
  for (const malformed of ['', '?resource=', '?resource=a&resource=b', `?resource=${'x'.repeat(2000)}`])
    t.is((await ask(malformed)).status, 400, malformed);
  t.is(atrium.audit.at(-1)?.errorCode, 'STS-OAUTH-9100');

  const other = await ask(`?resource=acme.example&rel=${encodeURIComponent('http://webfinger.net/rel/avatar')}`);
  t.deepEqual([other.status, other.href], [200, undefined], 'a link of another relation is not listed');
  const asked = await ask(`?resource=acme.example&rel=x&rel=${encodeURIComponent('http://openid.net/specs/connect/1.0/issuer')}`);
  t.is(asked.href, acme);

  t.is((await fetch(`${origin}/oauth2/jwks`)).status, 200);
  await asAdministrator(atrium, async (client) => {
    const { searchEntries } = await client.search(`ou=signingKeys,${atrium.suffix}`, { filter: '(stsKeyState=current)' });
    for (const { dn } of searchEntries)
      await client.modify(dn, new Change({ operation: 'delete', modification: new Attribute({ type: 'stsPrivateKey' }) }));
  });
  t.is(
    (await fetch(`${origin}/oauth2/jwks`)).status,
    503,
    'a key that signs and cannot be opened: nothing is signed by another in its place',
  );
  t.is(atrium.audit.at(-1)?.errorCode, 'STS-OAUTH-9102');
});
