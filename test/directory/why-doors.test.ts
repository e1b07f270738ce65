import test from 'ava';
import { connectOperators, explainSignIn } from '#client';
import { appPasswordScopes } from '#holdings';
import { createApp } from '../support/app.ts';
import { appPasswordOf } from '../support/app-passwords.ts';
import { openWebLayer } from '../support/web-layer.ts';
import { person } from './driver.ts';

const ada = person('ada');
const ownRules = ['realm', 'protection', 'access', 'attempts', 'account', 'password', 'hash', 'second-factor', 'must-change', 'age'];

/** What an entry says of signing in as it, one thing at a time. */
const conditions: readonly (readonly [attribute: string, value: string])[] = [
  ['description', 'nothing that counts'],
  ['stsMfaRequired', 'TRUE'],
  ['stsTotpCredential', createApp().credential],
  ['pwdReset', 'TRUE'],
  ['pwdAccountLockedTime', '000001010000Z'],
  ['stsValidUntil', '20200101000000Z'],
  ['stsValidFrom', '20990101000000Z'],
];

test('at every door that takes nothing but a password, why says what the door does, with the same code: own passwords, app passwords and wrong ones', async (t) => {
  const layer = await openWebLayer(t);
  const { house, client } = layer;
  await using operators = await connectOperators({ socketPath: layer.operatorsSocket });
  const operator = house.operator();
  const expiresMs = house.clock.nowMs() + 60_000;
  const made = {
    scim: await appPasswordOf(operator, ada, { name: 'scim', scopes: ['scim'] }),
    wide: await appPasswordOf(operator, ada, { name: 'wide', scopes: [...appPasswordScopes] }),
    near: await appPasswordOf(operator, ada, { name: 'near', scopes: ['ldap', 'est'], networks: ['192.0.2.0/24'] }),
    over: await appPasswordOf(operator, ada, { name: 'over', scopes: [...appPasswordScopes], expiresMs }),
  };
  house.clock.moveMs(120_000);
  const passwords = {
    own: 'lovelace',
    wrong: 'babbage',
    ...Object.fromEntries(Object.entries(made).map(([name, { value }]) => [name, value])),
  };
  const found: string[] = [];
  const seen = new Set<string>();
  for (const [attribute, value] of conditions) {
    t.is((await operator.modify(ada, ['replace', attribute, value])).code, 0, attribute);
    for (const door of appPasswordScopes)
      for (const [name, password] of Object.entries(passwords))
        for (const address of ['127.0.0.1', ...(name === 'near' ? ['192.0.2.7'] : [])]) {
          const since = layer.audited.length;
          const judged = await client.judge({ dn: ada, password, door, address, isProtected: true });
          const codes = layer.audited.slice(since).flatMap(({ error }) => error?.code ?? []);
          const real = judged.kind === 'accepted' ? 'in' : (codes.at(-1) ?? '');
          seen.add(real);
          const rows = (await explainSignIn(operators.actor, { dn: ada, door, from: `${address}+protected`, password })) ?? [];
          const codeOf = (...rules: readonly string[]) =>
            rules.flatMap((rule) => rows.filter((row) => row.rule === rule)).find(({ verdict }) => verdict === 'refuses')?.code ?? 'in';
          const said = {
            given: codeOf('given password'),
            rules: name === 'own' ? codeOf(...ownRules) : codeOf('account', `app password "${name}"`),
          };
          const at = `${attribute}, ${name} at ${door} from ${address}: ${real}`;
          if (said.given !== real) found.push(`${at}, and of the password why says ${said.given}`);
          if (name !== 'wrong' && said.rules !== real) found.push(`${at}, and by its rules why says ${said.rules}`);
        }
    t.is((await operator.modify(ada, ['replace', attribute])).code, 0);
  }
  t.deepEqual(found, []);
  t.deepEqual(
    [...seen].toSorted(),
    ['0142', '0200', '0213', '0214', '9041', '9400', '9401', '9420', '9421'].map((digits) => `STS-AUTHN-${digits}`).concat('in'),
  );
});
