import test from 'ava';
import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { type Hasher, keysErrors } from '#keys';
import { decodeBer, encodeBer } from '#ldap';
import { bindByScram } from '../support/scram.ts';
import { type Client, furnishedHouse, type House, hasher, person, suffix } from './driver.ts';

const limited = { code: 53, says: 'too many failed attempts for this name; try again in 60 seconds' };

const bindTo = async (client: Client, dn: string, password: string) => {
  const { code, result } = await client.bind(dn, password);
  return { code, says: result.diagnostic };
};

const plain = async (client: Client, name: string, password: string) => {
  const credentials = utf8(`\0${name}\0${password}`);
  const { code, result } = await client.ask({
    kind: 'bindRequest',
    version: 3,
    name: '',
    authentication: { kind: 'sasl', mechanism: 'PLAIN', credentials },
  });
  return { code, says: result.diagnostic };
};

async function failed(house: House, dn: string, times = 5) {
  for (let i = 0; i < times; i++) await house.connect('ldap', { address: `198.51.100.${i}` }).bind(dn, 'wrong');
}

test('simple bind: after five failures for a name the right password is refused too, with words that say how long, and a row', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true });
  const client = house.connect();
  for (let i = 0; i < 5; i++) t.is((await client.bind(person('ada'), 'wrong')).code, 49);
  t.deepEqual(await bindTo(client, person('ada'), 'lovelace'), limited);
  t.deepEqual(await bindTo(house.connect('ldap', { address: '203.0.113.9' }), person('ada'), 'lovelace'), limited);
  const told = house.audited.at(-1);
  t.deepEqual([told?.outcome, told?.error?.code, told?.subject], ['refused', 'STS-LDAP-9390', person('ada')]);
  t.is((await client.search('', '(objectClass=*)', { scope: 'base' })).code, 0, 'the connection goes on, as nobody');
  t.is(client.connection.identity.strength, 'anonymous');
  house.clock.moveMs(60_000);
  t.is((await client.bind(person('ada'), 'lovelace')).code, 0);
});

test('a right password that has to be changed first (STS-AUTHN-0142) counts nothing, however often, and costs what a wrong one does', async (t) => {
  let hashes = 0;
  const counting: Hasher = {
    ...hasher,
    verify: (...given) => {
      hashes++;
      return hasher.verify(...given);
    },
  };
  const house = await furnishedHouse(t, { countsAttempts: true, hasher: counting });
  t.is((await house.operator().modify(person('ada'), ['replace', 'pwdReset', 'TRUE'])).code, 0);
  const client = house.connect('ldaps');
  for (let i = 1; i <= 8; i++) {
    t.deepEqual(await bindTo(client, person('ada'), 'lovelace'), { code: 49, says: 'invalid credentials' });
    t.deepEqual([hashes, house.audited.at(-1)?.error?.code], [i, 'STS-AUTHN-0142']);
  }
  for (let i = 0; i < 5; i++) t.is((await client.bind(person('ada'), 'wrong')).code, 49);
  t.is(hashes, 13);
  t.like(await bindTo(client, person('ada'), 'lovelace'), limited, 'a wrong one counts as ever');
});

test('while a limit is reached nothing is verified', async (t) => {
  let hashes = 0;
  const counting: Hasher = {
    ...hasher,
    verify: (...given) => {
      hashes++;
      return hasher.verify(...given);
    },
  };
  const house = await furnishedHouse(t, { countsAttempts: true, hasher: counting });
  await failed(house, person('ada'));
  t.is(hashes, 5);
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 53);
  t.is(hashes, 5);
});

test('a name that nobody has counts the same and is answered the same, in all of its spellings', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true });
  for (const name of ['ada', 'nobody']) {
    const client = house.connect('ldaps', { address: name === 'ada' ? '192.0.2.3' : '192.0.2.4' });
    for (const spelled of [person(name), person(name).toUpperCase()]) t.is((await client.bind(spelled, 'wrong')).code, 49);
    for (const spelled of [name, `u:${name}`, `dn:${person(name)}`]) t.is((await plain(client, spelled, 'wrong')).code, 49);
    t.deepEqual(await bindTo(client, person(name), 'wrong'), limited);
    t.deepEqual(await plain(client, name, 'wrong'), limited);
  }
});

test('an address that has failed for twenty names is refused for all; another is not', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true });
  const client = house.connect();
  for (let i = 0; i < 20; i++) t.is((await client.bind(person(`nobody${i}`), 'x')).code, 49);
  t.deepEqual(await bindTo(client, person('ada'), 'lovelace'), {
    code: 53,
    says: 'too many failed attempts from this address; try again in 60 seconds',
  });
  t.is((await house.connect('ldap', { address: '192.0.2.2' }).bind(person('ada'), 'lovelace')).code, 0);
});

test('a mail server: fifty right binds at once for as many people from one address succeed', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true });
  const all = await Promise.all(Array.from({ length: 50 }, () => house.connect().bind(person('ada'), 'lovelace')));
  t.deepEqual(new Set(all.map(({ code }) => code)), new Set([0]));
});

test('fifty wrong binds at once: five are judged', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true });
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, i) => house.connect('ldap', { address: `192.0.2.${i}` }).bind(person('ada'), `guess ${i}`)),
  );
  t.is(all.filter(({ code }) => code === 49).length, 5);
  t.is(all.filter(({ code }) => code === 53).length, 45);
});

test('SCRAM: a wrong proof counts, and a right one is refused while the name is limited', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true });
  const operator = house.operator();
  await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' });
  const policy = { objectClass: 'stsPasswordPolicy', cn: 'default', stsScramMechanism: 'SCRAM-SHA-256' };
  t.is((await operator.add(`cn=default,ou=passwordPolicies,${suffix}`, policy)).code, 0);
  await operator.modify(person('ada'), ['replace', 'userPassword', 'pencil']);
  const scram = (password: string) => {
    const client = house.connect();
    return bindByScram(
      async (mechanism, credentials) => {
        const authentication = { kind: 'sasl', mechanism, credentials: utf8(credentials) } as const;
        const { code, last } = await client.ask({ kind: 'bindRequest', version: 3, name: '', authentication });
        const said = last.kind === 'bindResponse' && last.serverSaslCreds ? Buffer.from(last.serverSaslCreds).toString() : '';
        return { code, said };
      },
      'ada',
      password,
    );
  };
  t.is((await scram('pencil')).code, 0);
  for (let i = 0; i < 5; i++) t.is((await scram('wrong')).code, 49);
  t.is((await scram('pencil')).code, 53);
  t.is((await house.connect().bind(person('ada'), 'pencil')).code, 53);
});

test('Password Modify: a wrong old password counts, at one limit with the binds', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true });
  const client = house.connect();
  t.is((await client.bind(person('ada'), 'lovelace')).code, 0);
  const change = (old: string) => {
    const value = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(old, 0x81);
        ber.string('a new one', 0x82);
      }),
    );
    return client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value });
  };
  for (let i = 0; i < 5; i++) t.is((await change('wrong')).result.diagnostic, 'unwilling to verify old password');
  t.is((await change('lovelace')).result.diagnostic, limited.says);
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 53);
});

test('the web layer’s judging bind counts for the browser’s address, and is told the seconds and which limit it was in the door control', async (t) => {
  const secret = utf8('0123456789abcdef0123456789abcdef');
  const house = await furnishedHouse(t, { countsAttempts: true, webSecret: secret });
  const web = house.connect('web', { address: 'local' });
  await web.ask({ kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.1', value: secret });
  const oid = '2.25.83716444157178576224225129172109131643.5.1';
  const from = (address: string) => ({
    oid,
    critical: true,
    value: encodeBer((ber) =>
      ber.sequence(() => {
        ber.string('signin');
        ber.string(address);
      }),
    ),
  });
  for (let i = 0; i < 20; i++) t.is((await web.bind(person(`nobody${i}`), 'x', [from('203.0.113.1')])).code, 49);
  const refused = await web.bind(person('ada'), 'lovelace', [from('203.0.113.1')]);
  t.is(refused.code, 53);
  const value = refused.controls.find((control) => control.oid === oid)?.value;
  const said = value && decodeBer(value, (ber) => ber.sequence(() => [ber.number(), ber.more && ber.boolean()]));
  t.deepEqual(said, [60, true], 'so many seconds, and of the address');
  t.is((await web.bind(person('ada'), 'lovelace', [from('203.0.113.2')])).code, 0);
});

test('what was not judged because too many hashes wait is no failure', async (t) => {
  let isBusy = true;
  const busy: Hasher = {
    ...hasher,
    verify: (...given) => (isBusy ? Promise.reject(refuse(keysErrors.hashQueueFull)) : hasher.verify(...given)),
  };
  const house = await furnishedHouse(t, { countsAttempts: true, hasher: busy });
  for (let i = 0; i < 10; i++) t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 51);
  isBusy = false;
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 0);
});

test('security.rateLimitTrustedAddresses: a server in front may fail for many names, and for none of them more often than others', async (t) => {
  const house = await furnishedHouse(t, { countsAttempts: true, 'security.rateLimitTrustedAddresses': ['192.0.2.0/24'] });
  const client = house.connect();
  for (let i = 0; i < 25; i++) t.is((await client.bind(person(`nobody${i}`), 'x')).code, 49);
  await failed(house, person('ada'));
  t.is((await client.bind(person('ada'), 'lovelace')).code, 53);
});
