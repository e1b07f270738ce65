import test, { type ExecutionContext } from 'ava';
import * as oidc from 'openid-client';
import { asAdministrator } from '../flows/people.ts';
import { replaceValues } from '../flows/realms.ts';
import { addApplication, configure, type OauthHouse, openHouse, refusalOf, signIn, type TestApplication } from './house.ts';

let house: OauthHouse;
let web: TestApplication;
let config: oidc.Configuration;
const scope = 'openid email groups offline_access';

test.before(async () => {
  house = await openHouse();
  web = await addApplication(house, 'narrow');
  config = await configure(house.base, web);
});

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

type Tokens = Awaited<ReturnType<typeof signIn>>['tokens'];

/** An operator's change of the application's entry. */
const says = (attribute: string, ...values: string[]) => replaceValues(house.atrium, web.dn, attribute, values);

async function mayNothing(t: ExecutionContext, { access_token, refresh_token }: Tokens): Promise<void> {
  t.is(await refusalOf(t, oidc.fetchUserInfo(config, access_token, oidc.skipSubjectCheck)), 'invalid_token');
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(refresh_token))), 'invalid_grant');
  t.false((await oidc.tokenIntrospection(config, access_token)).active);
}

test.serial('whoever has left the groups that may use an application gets nothing by the tokens they have', async (t) => {
  const group = `cn=drafters,ou=groups,${house.atrium.suffix}`;
  await asAdministrator(house.atrium, (client) =>
    client.add(group, { objectClass: 'groupOfNames', cn: 'drafters', member: [house.atrium.adminDn, house.ada.dn] }),
  );
  await says('stsAllowedGroup', group);
  const { tokens } = await signIn(house, config, { scope });
  t.true((await oidc.tokenIntrospection(config, tokens.access_token)).active);
  await replaceValues(house.atrium, group, 'member', [house.atrium.adminDn]);
  await mayNothing(t, tokens);
  // An entry counts for what it says at the moment: who is let in again may go on.
  await says('stsAllowedGroup');
  t.true((await oidc.tokenIntrospection(config, tokens.access_token)).active);
  t.truthy((await oidc.refreshTokenGrant(config, String(tokens.refresh_token))).access_token);
});

test.serial('a class of sign-in that an application asks for since is asked of tokens, too', async (t) => {
  const { tokens } = await signIn(house, config, { scope });
  await says('stsRequiredAcr', 'mfa');
  await mayNothing(t, tokens);
  await says('stsRequiredAcr');
});

test.serial('scopes that an application may ask for no longer come with no refresh, and are told at no userinfo', async (t) => {
  await replaceValues(house.atrium, house.ada.dn, 'mail', ['ada@example.com']);
  const { tokens } = await signIn(house, config, { scope });
  t.is((await oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)).email, 'ada@example.com');
  await says('stsAllowedScope', 'openid', 'offline_access');
  t.is((await oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)).email, undefined);
  const renewed = await oidc.refreshTokenGrant(config, String(tokens.refresh_token));
  t.deepEqual(renewed.scope?.split(' ').sort(), ['offline_access', 'openid']);
  t.is((await oidc.fetchUserInfo(config, renewed.access_token, oidc.skipSubjectCheck)).email, undefined);
});
