import test, { type ExecutionContext } from 'ava';
import { Attribute, Change } from 'ldapts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { flag, makeAuthenticator } from '../support/soft-key.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, openScreen } from './raw.ts';
import { answerWith, enrolAtPortal, keyPage, namedBase, passwordSession, toKeyStep } from './soft-ceremony.ts';

interface House {
  readonly atrium: TestAtrium;
  readonly base: string;
  pass(ms: number): void;
  /** The codes of refusals since the last time this was asked. */
  codes(): readonly string[];
}

async function start(t: ExecutionContext, settings: Readonly<Record<string, string>> = {}): Promise<House> {
  let nowMs = Date.now();
  const high = { STS_SECURITY_RATE_PER_IDENTITY: '1000', STS_SECURITY_RATE_PER_ADDRESS: '1000' };
  const atrium = await startTestAtrium({ settings: { ...high, ...settings }, clock: { nowMs: () => nowMs } });
  t.teardown(() => atrium[Symbol.asyncDispose]());
  let from = 0;
  return {
    atrium,
    base: namedBase(atrium),
    pass: (ms) => {
      nowMs += ms;
    },
    codes: () => {
      const found = atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);
      from = atrium.audit.length;
      return found;
    },
  };
}

async function setValues(atrium: TestAtrium, { dn }: TestPerson, type: string, values: (string | Buffer)[]): Promise<void> {
  await asAdministrator(atrium, (client) =>
    client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values: values as string[] }) })),
  );
}

async function stored(atrium: TestAtrium, { dn }: TestPerson): Promise<string[]> {
  const { searchEntries } = await asAdministrator(atrium, (client) =>
    client.search(dn, { scope: 'base', attributes: ['stsWebauthnCredential'] }),
  );
  return [searchEntries[0]?.['stsWebauthnCredential'] ?? []].flat().map(String);
}

test.serial(
  'an assertion is taken once: the same answer, one to another page’s challenge, one that came late and one for another browser are refused',
  async (t) => {
    const { atrium, base, codes, pass } = await start(t);
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    const key = makeAuthenticator('ES256', { counts: false });
    t.is((await enrolAtPortal(base, await passwordSession(base, ada), key)).status, 303);
    codes();

    // Each page that is drawn makes the challenge of the one before worthless.
    const first = await toKeyStep(base, ada);
    await keyPage(base, first.action, first.cookies);
    const late = await answerWith(base, first, key.get(first.asked));
    t.is(late.status, 400);
    t.deepEqual(codes(), ['STS-AUTHN-9351']);

    const second = await toKeyStep(base, ada);
    const answer = key.get(second.asked);
    const both = await Promise.all([answerWith(base, second, answer), answerWith(base, second, answer)]);
    t.is(both.filter((each) => cookieOf(each, 'sts_session') !== undefined).length, 1);
    t.is((await answerWith(base, second, answer)).status, 400);
    codes();

    const third = await toKeyStep(base, ada);
    const answered = await answerWith(base, { ...third, cookies: { sts_signin: 'another' } }, key.get(third.asked));
    t.true(answered.status >= 400);
    t.is(cookieOf(answered, 'sts_session'), undefined);
    codes();

    const fourth = await toKeyStep(base, ada);
    pass(299_999);
    t.is((await answerWith(base, fourth, 'nonsense')).status, 400);
    t.deepEqual(codes(), ['STS-AUTHN-9350']);
  },
);

test.serial('a challenge is good for five minutes, however long the step waits', async (t) => {
  const { atrium, base, codes, pass } = await start(t, { STS_AUTHN_MFA_STEP_TTL_S: '600' });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const key = makeAuthenticator('ES256');
  await enrolAtPortal(base, await passwordSession(base, ada), key);
  const page = await toKeyStep(base, ada);
  pass(300_000);
  codes();
  const answer = await answerWith(base, page, key.get(page.asked));
  t.is(answer.status, 400);
  t.regex(answer.body, /took too long/);
  t.deepEqual(codes(), ['STS-AUTHN-9351']);
  // The page that says so has a challenge of its own.
  const again = await keyPage(base, page.action, page.cookies);
  t.is((await answerWith(base, again, key.get(again.asked))).status, 303);
});

test.serial('the counter, the backup flag and whose key it is are judged when somebody signs in', async (t) => {
  const { atrium, base, codes } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const alan = await addPerson(atrium, 'alan', 'Alan Turing');
  const key = makeAuthenticator('ES256');
  await enrolAtPortal(base, await passwordSession(base, ada), key);
  const his = makeAuthenticator('ES256');
  await enrolAtPortal(base, await passwordSession(base, alan), his);
  const refused = async (with_: typeof key, bent: Parameters<typeof key.get>[1], code: string) => {
    const page = await toKeyStep(base, ada);
    codes();
    const answer = await answerWith(base, page, with_.get(page.asked, bent));
    t.is(answer.status, 400, code);
    t.regex(answer.body, /not accepted/);
    t.notRegex(answer.body, /STS-|counter|backup/);
    t.deepEqual(codes(), [code]);
  };
  await refused(key, { counter: 1 }, 'STS-AUTHN-9354');
  await refused(key, { counter: 0 }, 'STS-AUTHN-9354');
  await refused(key, { flags: flag.up | flag.uv | flag.be }, 'STS-AUTHN-9355');
  await refused(key, { flags: flag.uv }, 'STS-AUTHN-9353');
  await refused(his, {}, 'STS-AUTHN-9357');
  await refused(his, { id: key.id }, 'STS-AUTHN-9353');
  const page = await toKeyStep(base, ada);
  t.is((await answerWith(base, page, key.get(page.asked, { counter: 50 }))).status, 303);
  t.regex((await stored(atrium, ada))[0] ?? '', /"counter":50,/);
});

test.serial('a use that cannot be recorded refuses the sign-in', async (t) => {
  const { atrium, base, codes } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const key = makeAuthenticator('ES256');
  await enrolAtPortal(base, await passwordSession(base, ada), key);
  const page = await toKeyStep(base, ada);
  // A rule of access that lets nobody write what they sign in with.
  await asAdministrator(atrium, (client) =>
    client.add(`cn=frozen,ou=accessRules,${atrium.suffix}`, {
      objectClass: 'stsAccessRule',
      cn: 'frozen',
      stsRuleOrder: '1',
      stsRuleEffect: 'deny',
      stsRuleWho: 'self',
      stsRuleAttribute: 'stsWebauthnCredential',
      stsRuleRight: 'write',
    }),
  );
  codes();
  const answer = await answerWith(base, page, key.get(page.asked));
  t.is(cookieOf(answer, 'sts_session'), undefined);
  t.true(codes().includes('STS-AUTHN-9362'));
});

for (const workers of ['0', '2'])
  test.serial(`two sign-ins at once with one counter: one of them is refused; ${workers} threads beside the main one`, async (t) => {
    const { atrium, base, codes } = await start(t, { STS_LDAP_WORKERS: workers });
    const seen: string[] = [];
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    const key = makeAuthenticator('ES256');
    await enrolAtPortal(base, await passwordSession(base, ada), key);
    for (let counter = 10; counter < 20; counter++) {
      const pages = await Promise.all([toKeyStep(base, ada), toKeyStep(base, ada)]);
      codes();
      // A copy of the key says the same number.
      const answers = await Promise.all(pages.map((page) => answerWith(base, page, key.get(page.asked, { counter }))));
      t.is(answers.filter((each) => cookieOf(each, 'sts_session') !== undefined).length, 1);
      seen.push(...codes());
    }
    // Both had been found right before either was recorded.
    t.true(seen.includes('STS-AUTHN-9358'));
  });

test.serial('a credential is one person’s over all: a second enrolment of its id is refused', async (t) => {
  const { atrium, base, codes } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const alan = await addPerson(atrium, 'alan', 'Alan Turing');
  const key = makeAuthenticator('ES256');
  t.is((await enrolAtPortal(base, await passwordSession(base, ada), key)).status, 303);
  codes();
  const answer = await enrolAtPortal(base, await passwordSession(base, alan), makeAuthenticator('ES256'), 'mfa', { id: key.id });
  t.is(answer.status, 400);
  t.regex(answer.body, /enrolled already/);
  t.deepEqual(
    codes().filter((code) => code.startsWith('STS-AUTHN')),
    ['STS-AUTHN-9356'],
  );
  t.deepEqual(await stored(atrium, alan), []);
});

test.serial('webauthn.maxKeysPerPerson refuses enrolment only', async (t) => {
  const { atrium, base, codes } = await start(t, { STS_WEBAUTHN_MAX_KEYS: '1' });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const sts_session = await passwordSession(base, ada);
  const [first, page] = [makeAuthenticator('ES256'), await keyPage(base, '/portal/keys/add?role=mfa', { sts_session })];
  t.is((await enrolAtPortal(base, sts_session, first)).status, 303);
  const page2 = await ask(base, '/portal/keys', { cookies: { sts_session } });
  t.regex(page2.body, /as many security keys as you may/);
  t.is((await ask(base, '/portal/keys/add', { cookies: { sts_session } })).status, 400);
  codes();
  const second = await answerWith(base, page, makeAuthenticator('ES256').create(page.asked));
  t.is(second.status, 400);
  t.true(codes().includes('STS-AUTHN-9359'));
  const step = await toKeyStep(base, ada);
  t.is((await answerWith(base, step, first.get(step.asked))).status, 303);
});

test.serial('webauthn.maxKeysPerPerson holds for two pages that add a key at once, too', async (t) => {
  const { atrium, base, codes } = await start(t, { STS_WEBAUTHN_MAX_KEYS: '2' });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const sts_session = await passwordSession(base, ada);
  t.is((await enrolAtPortal(base, sts_session, makeAuthenticator('ES256'))).status, 303);
  const pages = [];
  for (let i = 0; i < 4; i++) pages.push(await keyPage(base, '/portal/keys/add?role=mfa', { sts_session }));
  codes();
  const answers = await Promise.all(pages.map((page) => answerWith(base, page, makeAuthenticator('ES256').create(page.asked))));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 400, 400, 400]);
  t.is(codes().filter((code) => code === 'STS-AUTHN-9359').length >= 3, true);
  t.is((await stored(atrium, ada)).length, 2);
});

test.serial(
  'first use enrols, and for one: of two sign-ins that enrol at once the second is asked for what the first has added',
  async (t) => {
    const { atrium, base, codes } = await start(t);
    for (let round = 0; round < 20; round++) {
      const person = await addPerson(atrium, `racer${round}`, 'Ra Cer');
      const pages = [];
      for (let i = 0; i < 2; i++) pages.push(await toKeyStep(base, person, { 'second-factor': 'on' }));
      const answers = await Promise.all(pages.map((page) => answerWith(base, page, makeAuthenticator('ES256').create(page.asked))));
      t.is((await stored(atrium, person)).length, 1);
      t.is(answers.filter((answer) => cookieOf(answer, 'sts_session') !== undefined).length, 1);
      if (codes().includes('STS-AUTHN-9491')) {
        // Both had asked before either was written.
        t.is(answers.filter(({ status, location }) => status === 303 && location.startsWith('/authn/webauthn')).length, 1);
        return;
      }
    }
    t.fail('no two ever met');
  },
);

test.serial('webauthn.enabled off keeps the keys: nobody is asked for one, and none is added', async (t) => {
  const { atrium, base, codes } = await start(t, { STS_WEBAUTHN_ENABLED: 'false' });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const sts_session = await passwordSession(base, ada);
  const page = await ask(base, '/portal/keys', { cookies: { sts_session } });
  t.regex(page.body, /cannot be used at this moment/);
  t.is((await ask(base, '/portal/keys/add', { cookies: { sts_session } })).status, 403);
  t.notRegex((await openScreen(base)).page.body, /second-factor|passwordless/);
  t.true(codes().includes('STS-AUTHN-9360'));
});

test.serial(
  'a relying party that does not fit refuses the ceremony in product mode and says why to operators; in development mode the host is used',
  async (t) => {
    const { atrium, base, codes } = await start(t, { STS_WEBAUTHN_RP_ID: 'id.example.com' });
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    const sts_session = await passwordSession(base, ada);
    const answer = await ask(base, '/portal/keys/add', { cookies: { sts_session } });
    t.is(answer.status, 403);
    t.regex(answer.body, /cannot be used at this address/);
    t.true(codes().includes('STS-AUTHN-9361'));
    t.regex(atrium.audit.findLast(({ errorCode }) => errorCode === 'STS-AUTHN-9361')?.summary ?? '', /webauthn\.rpId id\.example\.com/);

    const house = await start(t, { STS_WEBAUTHN_RP_ID: 'id.example.com', STS_GLOBAL_MODE: 'development' });
    const page = await keyPage(house.base, '/portal/keys/add', {
      sts_session: await passwordSession(house.base, { uid: 'eve', password: 'x', dn: '' }),
    });
    t.is(page.asked.rpId, 'localhost');
    t.regex(house.atrium.log(), /STS-AUTHN-9361.*webauthn\.rpId id\.example\.com/);
  },
);

test.serial(
  'STS-AUTHN-0206: in product mode the passwordless box of somebody without a primary key, and of nobody, is answered with the same words',
  async (t) => {
    const { atrium, base, codes } = await start(t);
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    const mfaOnly = await addPerson(atrium, 'alan', 'Alan Turing');
    await enrolAtPortal(base, await passwordSession(base, mfaOnly), makeAuthenticator('ES256'));
    const answers = [];
    for (const uid of [ada.uid, mfaOnly.uid, 'nobody-of-this-name']) {
      const screen = await openScreen(base);
      codes();
      const form = { csrf: screen.csrf, username: uid, passwordless: 'on' };
      const answer = await ask(base, screen.target, { method: 'POST', cookies: { sts_signin: screen.browser }, form });
      t.deepEqual(codes(), ['STS-AUTHN-0206']);
      // What differs are the form's token and the name as it was typed.
      const body = answer.body.replaceAll(/authn=[\w-]+|name="csrf" value="[^"]*"/g, '').replaceAll(uid, '');
      answers.push({ status: answer.status, body });
    }
    t.deepEqual(answers[1], answers[0]);
    t.deepEqual(answers[2], answers[0]);
    t.notRegex(answers[0]?.body ?? '', /data-options/);
  },
);

test.serial('asking with the passwordless box who has a key counts as failing: nobody goes through many names', async (t) => {
  const { atrium, base } = await start(t, { STS_SECURITY_RATE_PER_ADDRESS: '5' });
  await addPerson(atrium, 'ada', 'Ada Lovelace');
  const statuses = [];
  for (let i = 0; i < 7; i++) {
    const screen = await openScreen(base);
    const form = { csrf: screen.csrf, username: `name${i}`, passwordless: 'on' };
    statuses.push((await ask(base, screen.target, { method: 'POST', cookies: { sts_signin: screen.browser }, form })).status);
  }
  t.deepEqual(statuses, [403, 403, 403, 403, 403, 429, 429]);
});

test.serial('ceremonies that fail count with the passwords, and the right key is refused then, too', async (t) => {
  const { atrium, base } = await start(t, { STS_SECURITY_RATE_PER_IDENTITY: '3' });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const key = makeAuthenticator('ES256');
  await enrolAtPortal(base, await passwordSession(base, ada), key);
  let page = await toKeyStep(base, ada);
  for (let i = 0; i < 3; i++) {
    t.is((await answerWith(base, page, key.get(page.asked, { counter: 1 }))).status, 400);
    page = { ...page, ...(await keyPage(base, page.action, page.cookies)) };
  }
  const answer = await answerWith(base, page, key.get(page.asked));
  t.is(answer.status, 429);
  t.truthy(answer.retryAfter);
});

test.serial('the role of a key is the one that its page was opened for, whatever is posted', async (t) => {
  const { atrium, base } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const sts_session = await passwordSession(base, ada);
  const page = await keyPage(base, '/portal/keys/add?role=mfa', { sts_session });
  const answer = await ask(base, '/portal/keys/add?role=primary', {
    method: 'POST',
    cookies: { sts_session },
    form: { csrf: page.csrf, answer: makeAuthenticator('ES256').create(page.asked), role: 'primary' },
  });
  t.is(answer.status, 303);
  t.regex((await stored(atrium, ada))[0] ?? '', /"role":"mfa"/);
});

test.serial('nobody adds a key with the challenge of another session, nor twice with one', async (t) => {
  const { atrium, base, codes } = await start(t);
  const [ada, alan] = [await addPerson(atrium, 'ada', 'Ada Lovelace'), await addPerson(atrium, 'alan', 'Alan Turing')];
  const [hers, his] = [await passwordSession(base, ada), await passwordSession(base, alan)];
  const page = await keyPage(base, '/portal/keys/add', { sts_session: hers });
  const other = await keyPage(base, '/portal/keys/add', { sts_session: his });
  codes();
  t.is((await answerWith(base, other, makeAuthenticator('ES256').create(page.asked))).status, 400);
  t.is((await answerWith(base, page, makeAuthenticator('ES256').create(page.asked))).status, 400);
  t.deepEqual(codes(), ['STS-AUTHN-9351', 'STS-AUTHN-9351']);
  t.deepEqual([...(await stored(atrium, ada)), ...(await stored(atrium, alan))], []);
  t.is((await ask(base, '/portal/keys/add', { method: 'POST', cookies: { sts_session: hers }, form: { answer: '{}' } })).status, 403);
});

test.serial('an authentication older than five minutes is asked for again before a key is added, renamed or removed', async (t) => {
  const { atrium, base, pass } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const sts_session = await passwordSession(base, ada);
  const page = await keyPage(base, '/portal/keys/add', { sts_session });
  pass(300_001);
  for (const path of ['/portal/keys/add', '/portal/keys/rename', '/portal/keys/remove']) {
    const answer = await ask(base, path, { method: 'POST', cookies: { sts_session }, form: { csrf: page.csrf, key: 'x' } });
    t.regex(answer.location, /^\/authn\/login\?authn=/, path);
  }
  t.is((await ask(base, '/portal/keys', { cookies: { sts_session } })).status, 200);
});

test.serial('somebody disabled meanwhile is not signed in by their key', async (t) => {
  const { atrium, base, codes } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const key = makeAuthenticator('ES256');
  await enrolAtPortal(base, await passwordSession(base, ada), key);
  const page = await toKeyStep(base, ada);
  await setValues(atrium, ada, 'pwdAccountLockedTime', ['000001010000Z']);
  codes();
  const answer = await answerWith(base, page, key.get(page.asked));
  t.is(cookieOf(answer, 'sts_session'), undefined);
  // Their sign-in ends with the account; who was faster than that is refused the session.
  t.true(codes().some((code) => code === 'STS-AUTHN-9200' || code === 'STS-AUTHN-0201'));
});

test.serial('development mode: the passwordless box enrols a key on the spot, and the first claimant of a name gets it', async (t) => {
  const { base, atrium, codes } = await start(t, { STS_GLOBAL_MODE: 'development' });
  const [key, other] = [makeAuthenticator('ES256'), makeAuthenticator('ES256')];
  const claim = () => toKeyStep(base, { uid: 'newcomer', password: '' }, { passwordless: 'on' });
  const first = await claim();
  t.is(first.options.allowCredentials, undefined);
  const mine = await answerWith(base, first, key.create(first.asked));
  t.truthy(cookieOf(mine, 'sts_session'));
  t.regex((await stored(atrium, { uid: '', password: '', dn: `uid=newcomer,ou=people,${atrium.suffix}` }))[0] ?? '', /"role":"primary"/);

  const second = await claim();
  t.is(second.options.allowCredentials?.length, 1);
  codes();
  t.is((await answerWith(base, second, other.create(second.asked))).status, 400);
  t.is((await answerWith(base, await claim(), other.get(second.asked))).status, 400);
  const back = await claim();
  t.truthy(cookieOf(await answerWith(base, back, key.get(back.asked)), 'sts_session'));
});

test.serial('what is no registration for this page enrols nothing, and says so in words', async (t) => {
  const { atrium, base, codes } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const sts_session = await passwordSession(base, ada);
  const key = makeAuthenticator('ES256');
  const page = () => keyPage(base, '/portal/keys/add', { sts_session });
  const attempts = [
    async () => answerWith(base, await page(), key.create({ ...(await page()).asked, challenge: 'AAAA' })),
    async () => {
      const there = await page();
      return answerWith(base, there, key.create({ ...there.asked, origin: 'https://evil.example' }));
    },
    async () => {
      const there = await page();
      return answerWith(base, there, key.create({ ...there.asked, rpId: 'evil.example' }));
    },
    async () => {
      const there = await page();
      return answerWith(base, there, key.get(there.asked));
    },
  ];
  for (const attempt of attempts) {
    codes();
    const answer = await attempt();
    t.is(answer.status, 400);
    t.notRegex(answer.body, /STS-|evil/);
    t.regex(codes().join(), /STS-AUTHN-935[12]/);
  }
  t.deepEqual(await stored(atrium, ada), []);
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-9352'));
});

test.serial('whoever came in with a key alone, and holds a second factor, changes no factor before showing two', async (t) => {
  const { atrium, base, pass } = await start(t);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const [alone, second] = [makeAuthenticator('ES256'), makeAuthenticator('ES256')];
  const sts_session = await passwordSession(base, ada);
  t.is((await enrolAtPortal(base, sts_session, alone, 'primary')).status, 303);
  t.is((await enrolAtPortal(base, sts_session, second)).status, 303, 'who has just added one goes on');
  t.is((await ask(base, '/portal/keys/add', { cookies: { sts_session } })).status, 200);
  pass(1000);
  const screen = await openScreen(base);
  const cookies = { sts_signin: screen.browser };
  const named = await ask(base, screen.target, {
    method: 'POST',
    cookies,
    form: { csrf: screen.csrf, username: ada.uid, passwordless: 'on' },
  });
  const page = await keyPage(base, named.location, cookies);
  const handle = cookieOf(await answerWith(base, page, alone.get(page.asked)), 'sts_session') ?? '';
  for (const path of ['/portal/keys/add', '/portal/mfa/app/remove', '/portal/mfa/codes/remove']) {
    const answer = await ask(base, path, { cookies: { sts_session: handle } });
    t.regex(answer.location, /^\/authn\/login\?authn=/, path);
    const asked = await ask(base, answer.location, { cookies: { ...cookies, sts_session: handle } });
    t.regex(asked.body, /id="second-factor"[^>]* checked[^>]* disabled/);
    t.notRegex(asked.body, /id="passwordless"/);
  }
});

test.serial('asking whether somebody has a key that signs in alone is an attempt: after so many even the password waits', async (t) => {
  const { atrium, base } = await start(t, { STS_SECURITY_RATE_PER_IDENTITY: '3' });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const post = async (form: Readonly<Record<string, string>>) => {
    const screen = await openScreen(base);
    const cookies = { sts_signin: screen.browser };
    return ask(base, screen.target, { method: 'POST', cookies, form: { csrf: screen.csrf, username: ada.uid, ...form } });
  };
  for (let tries = 0; tries < 3; tries++) t.is((await post({ passwordless: 'on' })).status, 403);
  t.is((await post({ passwordless: 'on' })).status, 429);
  t.is((await post({ password: ada.password })).status, 429);
});
