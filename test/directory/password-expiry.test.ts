import test, { type ExecutionContext } from 'ava';
import { text, utf8 } from '#base';
import { type Control, decodeAttributes, decodeBer, encodeBer, type Request } from '#ldap';
import { builtInPasswordPolicy } from '#policy';
import { bindByScram } from '../support/scram.ts';
import { type Answers, admin, adminPassword, type Client, furnishedHouse, type House, person, suffix } from './driver.ts';

const oid = '1.3.6.1.4.1.42.2.27.8.5.1';
const asked: Control = { oid, critical: false };
const day = 86_400;
const dayMs = day * 1000;
const password = 'Correct-horse-7';
const policyDn = `cn=default,ou=passwordPolicies,${suffix}`;
const secret = new Uint8Array(32).fill(7);

/** What the control of an answer says, its warning and its error. */
interface Said {
  readonly expiresS?: number;
  readonly grace?: number;
  readonly error?: number;
}

function saidBy({ controls }: Answers): Said | undefined {
  const control = controls.find((each) => each.oid === oid);
  if (control?.value === undefined) return undefined;
  return decodeBer(control.value, (ber) =>
    ber.sequence(() => {
      const said: { expiresS?: number; grace?: number; error?: number } = {};
      if (ber.more && ber.tag === 0xa0)
        ber.sequence(() => {
          if (ber.tag === 0x80) said.expiresS = ber.number(0x80);
          else said.grace = ber.number(0x81);
        }, 0xa0);
      if (ber.more) said.error = ber.number(0x81);
      return said;
    }),
  );
}

async function open(t: ExecutionContext, policy: Readonly<Record<string, string>>, given: Parameters<typeof furnishedHouse>[1] = {}) {
  const house = await furnishedHouse(t, { passwordStanding: builtInPasswordPolicy, webSecret: secret, ...given });
  const operator = house.operator();
  await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' });
  const added = await operator.add(policyDn, { objectClass: 'stsPasswordPolicy', cn: 'default', ...policy });
  t.is(added.code, 0, added.result.diagnostic);
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', password])).code, 0);
  house.audited.length = 0;
  return { ...house, operator };
}

function entryOf({ engine }: Pick<House, 'engine'>, uid: string) {
  const snapshot = engine.store.snapshot();
  const entry = snapshot.byId(snapshot.idsEqual('uid', utf8(uid), 2)[0] ?? 0);
  const values = (name: string) =>
    decodeAttributes(entry?.operational ?? new Uint8Array(0))
      .find(({ description }) => description === name)
      ?.values.map((value) => text(value) ?? '') ?? [];
  return { changed: values('pwdChangedTime')[0], grace: values('pwdGraceUseTime'), modified: values('modifyTimestamp')[0] };
}

const bind = (house: Pick<House, 'connect'>, given = password, uid = 'ada') => house.connect().bind(person(uid), given, [asked]);

function passwordModify(client: Client, given: { user?: string; old?: string; fresh?: string }, controls: readonly Control[] = [asked]) {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      if (given.user !== undefined) ber.string(given.user, 0x80);
      if (given.old !== undefined) ber.string(given.old, 0x81);
      if (given.fresh !== undefined) ber.string(given.fresh, 0x82);
    }),
  );
  return client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value }, controls);
}

test('pwdChangedTime is when a password was set, by add, modify and Password Modify, in either mode; it goes with the password', async (t) => {
  for (const mode of ['product', 'development'] as const) {
    const house = await open(t, {}, { 'global.mode': mode });
    const { operator, clock } = house;
    t.is(entryOf(house, 'ada').changed, '20261121120000Z');
    t.is(entryOf(house, 'alan').changed, undefined);
    clock.moveMs(60_000);
    t.is((await passwordModify(operator, { user: person('ada'), fresh: 'Correct-horse-8' })).code, 0);
    t.is(entryOf(house, 'ada').changed, '20261121120100Z');
    clock.moveMs(60_000);
    t.is((await operator.modify(person('ada'), ['replace', 'displayName', 'A'])).code, 0);
    t.is(entryOf(house, 'ada').changed, '20261121120100Z', 'another change is none of the password');
    await operator.add(person('eve'), { objectClass: 'inetOrgPerson', uid: 'eve', cn: 'E', sn: 'E', userPassword: password });
    t.is(entryOf(house, 'eve').changed, '20261121120200Z');
    t.is((await operator.modify(person('ada'), ['delete', 'userPassword'])).code, 0);
    t.is(entryOf(house, 'ada').changed, undefined);
    t.is((await operator.modify(person('ada'), ['replace', 'pwdChangedTime', '20200101000000Z'])).code, 19, 'nobody else writes it');
  }
});

test('who asks by the control is told how long a password is good for; who does not is told nothing, and nor is any other bind', async (t) => {
  const house = await open(t, { pwdMaxAge: String(90 * day), pwdExpireWarning: String(7 * day) });
  t.deepEqual(saidBy(await bind(house)), {}, 'nothing to say');
  house.clock.moveMs(85 * dayMs);
  t.deepEqual(saidBy(await bind(house)), { expiresS: 5 * day });
  const silent = await house.connect().bind(person('ada'), password);
  t.deepEqual([silent.code, silent.controls], [0, []]);
  t.deepEqual(saidBy(await bind(house, 'wrong')), {});
  t.deepEqual(saidBy(await bind(house, password, 'nobody')), {});
  t.is((await bind(house)).code, 0);
});

test('STS-AUTHN-9440: an expired password is refused as a wrong one, and by the control it is told that it has expired', async (t) => {
  const house = await open(t, { pwdMaxAge: String(90 * day) });
  house.clock.moveMs(90 * dayMs - 1000);
  t.is((await bind(house)).code, 0);
  house.clock.moveMs(1000);
  const refused = await bind(house);
  t.like(refused.result, { code: 49, diagnostic: 'invalid credentials' });
  t.deepEqual(saidBy(refused), { error: 0 });
  t.is(house.audited.at(-1)?.error?.code, 'STS-AUTHN-9440');
  t.deepEqual(saidBy(await bind(house, 'wrong')), {}, 'only who has the password learns of it');
  t.is((await house.connect().bind(person('ada'), 'wrong')).code, 49);
  // The administrator sets another: it is new.
  t.is((await house.operator.modify(person('ada'), ['replace', 'userPassword', 'Correct-horse-8'])).code, 0);
  t.is((await bind(house, 'Correct-horse-8')).code, 0);
});

test('an expired password is no failed attempt: a program that goes on trying keeps nobody from the sign-in page', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day) }, { countsAttempts: true });
  house.clock.moveMs(2 * dayMs);
  for (let at = 0; at < 10; at++) t.is((await bind(house)).code, 49);
  t.is((await webBind(house)).code, 0);
});

test('an expired password is refused at each door that takes nothing else, whichever the web layer names; grace is counted there, too', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day), pwdGraceAuthNLimit: '1' });
  house.clock.moveMs(2 * dayMs);
  t.is((await webBind(house, 'scim')).code, 0);
  t.is(entryOf(house, 'ada').grace.length, 1);
  for (const door of ['ldap', 'wstrust', 'scim', 'ssf', 'est']) {
    t.is((await webBind(house, door)).code, 49, door);
    t.is(house.audited.at(-1)?.error?.code, 'STS-AUTHN-9440', door);
  }
  for (const door of ['signin', 'portal']) t.is((await webBind(house, door)).code, 0, door);
});

async function webBind(house: Pick<House, 'connect'>, door = 'signin'): Promise<Answers> {
  const client = house.connect('web');
  await client.ask({ kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.1', value: secret });
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(door);
      ber.string('192.0.2.9');
    }),
  );
  return await client.bind(person('ada'), password, [{ oid: '2.25.83716444157178576224225129172109131643.5.1', critical: true, value }]);
}

test('the sign-in page takes a password that has expired, and uses up no grace: it is changed there', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day), pwdGraceAuthNLimit: '1' });
  house.clock.moveMs(2 * dayMs);
  for (let at = 0; at < 3; at++) t.is((await webBind(house)).code, 0);
  t.deepEqual(entryOf(house, 'ada').grace, []);
});

test('grace: an expired password is let in so often, each told how often it is left; a new password begins anew', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day), pwdGraceAuthNLimit: '2' });
  house.clock.moveMs(2 * dayMs);
  const { modified } = entryOf(house, 'ada');
  t.deepEqual(saidBy(await bind(house)), { grace: 1 });
  t.is((await bind(house, 'wrong')).code, 49, 'a wrong one uses none');
  const client = house.connect();
  t.deepEqual(saidBy(await client.bind(person('ada'), password, [asked])), { grace: 0 });
  t.is(entryOf(house, 'ada').grace.length, 2);
  t.is(entryOf(house, 'ada').modified, modified, 'nobody has changed the entry');
  t.deepEqual(saidBy(await bind(house)), { error: 0 });
  t.is((await passwordModify(client, { old: password, fresh: 'Correct-horse-8' })).code, 0);
  t.deepEqual(entryOf(house, 'ada').grace, []);
  t.deepEqual(saidBy(await bind(house, 'Correct-horse-8')), {});
});

test('grace: of many that come at once no more are let in than are left', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day), pwdGraceAuthNLimit: '3' });
  house.clock.moveMs(2 * dayMs);
  const binds = await Promise.all(Array.from({ length: 12 }, () => bind(house)));
  t.is(binds.filter(({ code }) => code === 0).length, 3);
  t.deepEqual(binds.flatMap((each) => saidBy(each)?.grace ?? []).sort(), [0, 1, 2]);
  t.is(entryOf(house, 'ada').grace.length, 3);
});

test('SCRAM: the age of a password counts as at a simple bind', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day), pwdGraceAuthNLimit: '1', stsScramMechanism: 'SCRAM-SHA-256' });
  const step = (client: Client) => async (mechanism: string, credentials: string) => {
    const { code, last } = await client.ask({
      kind: 'bindRequest',
      version: 3,
      name: '',
      authentication: { kind: 'sasl', mechanism, credentials: utf8(credentials) },
    });
    return { code, said: last.kind === 'bindResponse' && last.serverSaslCreds ? (text(last.serverSaslCreds) ?? '') : '' };
  };
  const scram = () => bindByScram(step(house.connect()), 'ada', password);
  t.like(await scram(), { code: 0 });
  house.clock.moveMs(2 * dayMs);
  t.like(await scram(), { code: 0 }, 'by grace');
  t.like(await scram(), { code: 49 });
  t.is(house.audited.at(-1)?.error?.code, 'STS-AUTHN-9440');
});

test('development mode: nothing expires, is warned of or is too young', async (t) => {
  const policy = { pwdMaxAge: String(day), pwdExpireWarning: '3600', pwdMinAge: '3600' };
  const house = await open(t, policy, { 'global.mode': 'development' });
  house.clock.moveMs(2 * dayMs);
  t.deepEqual(saidBy(await bind(house)), {});
  t.deepEqual(await expiryRead(house.operator), []);
});

async function expiryRead(client: Client): Promise<readonly string[]> {
  const { entries } = await client.search(person('ada'), '(objectClass=*)', { scope: 'base', attributes: ['stsPasswordExpires'] });
  return entries[0]?.all('stsPasswordExpires') ?? [];
}

test('stsPasswordExpires says when, to its owner and to administrators, by the policy of this moment; nobody writes it', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day) });
  t.deepEqual(await expiryRead(house.operator), ['20261122120000Z']);
  const ada = house.connect();
  t.is((await ada.bind(person('ada'), password)).code, 0);
  t.deepEqual(await expiryRead(ada), ['20261122120000Z']);
  t.deepEqual(await expiryRead(house.connect()), []);
  await house.operator.modify(person('alan'), ['replace', 'userPassword', password]);
  const alan = house.connect();
  t.is((await alan.bind(person('alan'), password)).code, 0);
  t.deepEqual(await expiryRead(alan), [], 'somebody else');
  t.is((await house.operator.modify(person('ada'), ['replace', 'stsPasswordExpires', '20301122120000Z'])).code, 19);
  t.is((await house.operator.modify(policyDn, ['replace', 'pwdMaxAge', '3600'])).code, 0);
  t.deepEqual(await expiryRead(house.operator), ['20261121130000Z']);
});

test('pwdMinAge: who sets their own waits for it; who manages it, and whose password was reset or has expired, does not', async (t) => {
  const house = await open(t, { pwdMinAge: String(day), pwdMaxAge: String(30 * day), pwdGraceAuthNLimit: '5' });
  const { operator, clock } = house;
  const ada = house.connect();
  t.is((await ada.bind(person('ada'), password)).code, 0);
  clock.moveMs(dayMs - 1000 * 60 * 60 * 3);
  const young = await passwordModify(ada, { old: password, fresh: 'Correct-horse-8' });
  t.like(young.result, { code: 19, diagnostic: 'userPassword: it may be changed again in 3 hours' });
  t.deepEqual(saidBy(young), { error: 7 });
  t.is(house.audited.at(-1)?.error?.code, 'STS-LDAP-9420');
  t.is((await operator.modify(person('ada'), ['replace', 'userPassword', 'Correct-horse-8'])).code, 0, 'who manages it');
  t.is((await operator.modify(person('ada'), ['replace', 'pwdReset', 'TRUE'])).code, 0);
  t.is((await passwordModify(ada, { old: 'Correct-horse-8', fresh: 'Correct-horse-9' })).code, 0, 'whose password was reset');
  t.is((await passwordModify(ada, { old: 'Correct-horse-9', fresh: 'Correct-horse-10' })).code, 19);
  clock.moveMs(31 * dayMs);
  t.is((await ada.bind(person('ada'), 'Correct-horse-9')).code, 0);
  t.is((await passwordModify(ada, { old: 'Correct-horse-9', fresh: 'Correct-horse-10' })).code, 0, 'whose password has expired');
});

test('the control says why a password is not taken: too short, of too little, in history, reset, without the old one, not allowed', async (t) => {
  const house = await open(t, {});
  const { operator, connect } = house;
  const ada = connect();
  t.is((await ada.bind(person('ada'), password)).code, 0);
  const cases: readonly [error: number | undefined, code: number, given: Parameters<typeof passwordModify>[1]][] = [
    [6, 19, { old: password, fresh: 'Short-7' }],
    [5, 19, { old: password, fresh: 'correct-horse-7' }],
    [5, 19, { old: password, fresh: '{SSHA}2Qe0Ka1dNbGkPGEPp1FJqWJzuqJzYWx0' }],
    [5, 19, { old: password, fresh: 'Correct-horse-\0-7' }],
    [8, 19, { old: password, fresh: password }],
    [4, 50, { fresh: 'Correct-horse-8' }],
    [3, 50, { user: person('alan'), old: password, fresh: 'Correct-horse-8' }],
    [undefined, 53, { old: 'wrong', fresh: 'Correct-horse-8' }],
    [undefined, 0, { old: password, fresh: 'Correct-horse-8' }],
  ];
  for (const [error, code, given] of cases) {
    const answer = await passwordModify(ada, given);
    t.is(answer.code, code, JSON.stringify(given));
    t.deepEqual(saidBy(answer), error === undefined ? {} : { error }, JSON.stringify(given));
    t.deepEqual((await passwordModify(ada, { ...given, old: 'wrong' }, [])).controls, [], 'who does not ask');
  }
  const replace = (value: string): Request => ({
    kind: 'modifyRequest',
    object: person('ada'),
    changes: [{ operation: 'replace', attribute: { description: 'userPassword', values: [utf8(value)] } }],
  });
  t.deepEqual(saidBy(await operator.ask(replace('short'), [asked])), { error: 6 });
  t.deepEqual(saidBy(await ada.ask(replace('short'), [asked])), { error: 3 });
  const attributes = Object.entries({ objectClass: 'inetOrgPerson', uid: 'eve', cn: 'E', sn: 'E', userPassword: 'short' });
  const add: Request = {
    kind: 'addRequest',
    entry: person('eve'),
    attributes: attributes.map(([description, value]) => ({ description, values: [utf8(value)] })),
  };
  t.deepEqual(saidBy(await operator.ask(add, [asked])), { error: 6 });
});

test('STS-AUTHN-0142: a password that must be changed is refused with the control saying so, once it was right', async (t) => {
  const house = await open(t, {});
  await house.operator.modify(person('ada'), ['replace', 'pwdReset', 'TRUE']);
  const refused = await bind(house);
  t.like(refused.result, { code: 49, diagnostic: 'invalid credentials' });
  t.deepEqual(saidBy(refused), { error: 2 });
  t.is(house.audited.at(-1)?.error?.code, 'STS-AUTHN-0142');
  t.deepEqual(saidBy(await bind(house, 'wrong')), {});
  t.is((await webBind(house)).code, 0);
});

test('a disabled account is told by the control what nobody is: nothing, with the right password, too', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day) });
  await house.operator.modify(person('ada'), ['replace', 'pwdAccountLockedTime', '000001010000Z']);
  house.clock.moveMs(2 * dayMs);
  const answers = await Promise.all([bind(house), bind(house, 'wrong'), bind(house, password, 'nobody')]);
  t.deepEqual(new Set(answers.map(({ result, controls }) => JSON.stringify({ result, controls }))).size, 1);
  t.deepEqual(answers.map(saidBy), [{}, {}, {}]);
});

test('the control brings no value, and is not sent along with what is no password’s business', async (t) => {
  const house = await open(t, {});
  t.is((await house.connect().bind(person('ada'), password, [{ ...asked, value: utf8('x') }])).code, 2);
  const client = house.connect();
  t.is((await client.bind(admin, adminPassword, [{ ...asked, critical: true }])).code, 0);
  const who = await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' }, [asked]);
  t.deepEqual([who.code, who.controls], [0, []]);
  t.deepEqual((await client.search(suffix, '(uid=ada)', {}, [asked])).controls, []);
});

test('the policy refuses times that contradict each other, in words', async (t) => {
  const house = await open(t, { pwdMaxAge: String(day) });
  const refused = await house.operator.modify(policyDn, ['replace', 'pwdMinAge', String(day)]);
  t.like(refused.result, { code: 19, diagnostic: 'pwdMinAge: it is less than pwdMaxAge' });
  t.is((await house.operator.modify(policyDn, ['replace', 'pwdMaxAge', '-5'])).result.diagnostic, 'pwdMaxAge: it is from 0 to 315360000');
  t.is((await house.operator.modify(policyDn, ['replace', 'pwdMinAge', '3600'], ['replace', 'pwdExpireWarning', '3600'])).code, 0);
});
