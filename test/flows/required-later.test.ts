import test from 'ava';
import { Client } from 'ldapts';
import { createApp } from '../support/app.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { setAttribute, setPolicy } from './mailed.ts';
import { addPerson } from './people.ts';
import { ask, openScreen } from './raw.ts';
import { addPersonTo, addRealm, replaceValues } from './realms.ts';
import { namedBase, passwordSession, toKeyStep } from './soft-ceremony.ts';

test('an existing session is not ended when a second factor becomes required; the next sign-in asks for it', async (t) => {
  await using atrium = await startTestAtrium({ settings: { STS_AUTHN_PASSWORD_ALONE_DOORS: 'ldap' } });
  const base = namedBase(atrium);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const sts_session = await passwordSession(base, ada);
  const goesOn = async () => (await ask(base, '/portal', { cookies: { sts_session } })).status;
  await setAttribute(atrium, ada.dn, 'stsMfaRequired', ['TRUE']);
  t.is(await goesOn(), 200, 'stsMfaRequired');
  await setPolicy(atrium, { stsRequireSecondFactor: ['always'] });
  t.is(await goesOn(), 200, 'requireSecondFactor=always');
  await setAttribute(atrium, ada.dn, 'stsTotpCredential', [createApp().credential]);
  t.is(await goesOn(), 200, 'a factor that somebody else gave them');
  t.regex((await toKeyStep(base, ada)).answer.location, /^\/authn\/totp\?/);
});

test('a second factor is asked for only at the sign-in screen: a bind with the own password is let in in development mode, and refused as a wrong one in product mode', async (t) => {
  for (const mode of ['development', 'product'] as const) {
    await using atrium = await startTestAtrium({ settings: { STS_GLOBAL_MODE: mode } });
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    await setAttribute(atrium, ada.dn, 'stsTotpCredential', [createApp().credential]);
    const binds = async (password: string) => {
      const client = new Client({ url: atrium.addresses.ldap ?? '' });
      try {
        await client.bind(ada.dn, password);
        return 'let in';
      } catch (error) {
        return String(error);
      } finally {
        await client.unbind();
      }
    };
    const own = await binds(ada.password);
    // Nothing that it answers asks for anything more.
    t.is(own, mode === 'development' ? 'let in' : await binds('invalid'), mode);
    t.regex((await toKeyStep(namedBase(atrium), ada)).answer.location, /^\/authn\/totp\?/, mode);
  }
});

test('webauthn.primaryAllowed and webauthn.mfaAllowed each switch their role off in a running service, from the next page on', async (t) => {
  await using atrium = await startTestAtrium();
  const base = namedBase(atrium);
  const realm = await addRealm(atrium, 'acme');
  const ada = await addPersonTo(atrium, realm, 'ada', 'Ada Lovelace', 'Analytical-Engine-1843');
  const screen = () => openScreen(base, '/realm/acme/portal');
  const { target, csrf, browser } = await screen();
  const form = { csrf, username: ada.uid, password: ada.password };
  const answer = await ask(base, target, { method: 'POST', cookies: { sts_signin: browser }, form });
  const sts_session = /sts_session=([^;]*)/.exec(answer.setCookies.join('\n'))?.[1] ?? '';
  const seen = async () => {
    const { body } = (await screen()).page;
    const adding = async (role: string) =>
      (await ask(base, `/realm/acme/portal/keys/add?role=${role}`, { cookies: { sts_session } })).status;
    return {
      boxes: ['second-factor', 'passwordless', 'passkey'].filter((name) => body.includes(`name="${name}"`)),
      mfa: await adding('mfa'),
      primary: await adding('primary'),
    };
  };
  t.deepEqual(await seen(), { boxes: ['second-factor', 'passwordless', 'passkey'], mfa: 200, primary: 200 });
  await replaceValues(atrium, realm.dn, 'stsSetting', ['webauthn.primaryAllowed=false']);
  t.deepEqual(await seen(), { boxes: ['second-factor'], mfa: 200, primary: 403 });
  const forced = await screen();
  for (const sent of [{ username: ada.uid, passwordless: 'on' }, { passkey: 'on' }]) {
    const cookies = { sts_signin: forced.browser };
    t.is((await ask(base, forced.target, { method: 'POST', cookies, form: { csrf: forced.csrf, ...sent } })).status, 403);
  }
  await replaceValues(atrium, realm.dn, 'stsSetting', ['webauthn.mfaAllowed=false']);
  t.deepEqual(await seen(), { boxes: ['passwordless', 'passkey'], mfa: 403, primary: 200 });
  await replaceValues(atrium, realm.dn, 'stsSetting', []);
  t.deepEqual(await seen(), { boxes: ['second-factor', 'passwordless', 'passkey'], mfa: 200, primary: 200 });
});
