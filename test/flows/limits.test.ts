import test, { type ExecutionContext } from 'ava';
import { Client, type ResultCodeError } from 'ldapts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask, openScreen, submit } from './raw.ts';

interface House {
  readonly atrium: TestAtrium;
  readonly base: string;
  readonly ada: TestPerson;
  pass(ms: number): void;
}

async function start(t: ExecutionContext, settings: Readonly<Record<string, string>> = {}): Promise<House> {
  let nowMs = Date.now();
  const atrium = await startTestAtrium({ settings, clock: { nowMs: () => nowMs } });
  t.teardown(() => atrium[Symbol.asyncDispose]());
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { atrium, base: atrium.addresses.http ?? '', ada, pass };
}

/** Binds over a connection of its own; the result code. */
async function bind({ atrium }: House, dn: string, password: string): Promise<number> {
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  try {
    await client.bind(dn, password);
    return 0;
  } catch (error) {
    return (error as ResultCodeError).code;
  } finally {
    await client.unbind();
  }
}

for (const workers of ['0', '2']) {
  const title = (words: string) => `${words}; ${workers} threads beside the main one`;

  test(title('passwords at the sign-in screen and at the directory’s doors count together, and limit both'), async (t) => {
    const house = await start(t, { STS_LDAP_WORKERS: workers });
    const { base, ada, atrium } = house;
    const screen = await openScreen(base);
    for (let i = 0; i < 3; i++) t.is(await bind(house, ada.dn, 'wrong'), 49);
    for (let i = 0; i < 2; i++) t.is((await submit(base, screen, ada.uid, 'wrong')).status, 200);
    t.is(await bind(house, ada.dn, ada.password), 53);
    const refused = await submit(base, screen, ada.uid, ada.password);
    t.is(refused.status, 429);
    t.is(refused.retryAfter, '60');
    t.regex(refused.body, /Too many attempts have failed, so nothing was looked at\. Wait 60 seconds/);
    t.false(refused.body.includes(ada.password));
    for (const code of ['STS-LDAP-9390', 'STS-HTTP-0017']) t.truthy(await atrium.recorded(({ errorCode }) => errorCode === code));
    t.false(atrium.audit.some(({ errorCode }) => errorCode === 'STS-HTTP-0018'));

    house.pass(59_500);
    t.is((await submit(base, screen, ada.uid, ada.password)).retryAfter, '1');
    house.pass(500);
    t.is((await submit(base, screen, ada.uid, ada.password)).status, 303);
  });

  test(title('a name that nobody has is limited as one that somebody has, with the same words'), async (t) => {
    const { base, ada } = await start(t, { STS_LDAP_WORKERS: workers });
    const screen = await openScreen(base);
    const pages: string[] = [];
    for (const uid of [ada.uid, 'nobody']) {
      for (let i = 0; i < 5; i++) t.is((await submit(base, screen, uid, 'wrong')).status, 200);
      const refused = await submit(base, screen, uid, 'wrong');
      t.is(refused.status, 429);
      pages.push(refused.body.replaceAll(`"${uid}"`, '"…"'));
    }
    t.is(pages[0], pages[1]);
  });

  test(title('two hundred guesses at once over two hundred connections: five are judged'), async (t) => {
    const house = await start(t, { STS_LDAP_WORKERS: workers, STS_SECURITY_RATE_PER_ADDRESS: '1000' });
    const codes = await Promise.all(Array.from({ length: 200 }, (_, i) => bind(house, house.ada.dn, `guess ${i}`)));
    t.is(codes.filter((code) => code === 49).length, 5);
    t.is(codes.filter((code) => code === 53).length, 195);
  });

  test(title('sixty right binds at once from one address all succeed'), async (t) => {
    const house = await start(t, { STS_LDAP_WORKERS: workers });
    const codes = await Promise.all(Array.from({ length: 60 }, () => bind(house, house.ada.dn, house.ada.password)));
    t.deepEqual(new Set(codes), new Set([0]));
  });
}

test('STS-HTTP-0017 and STS-HTTP-0018 tell operators which limit was met; whoever is refused sees the same of both', async (t) => {
  const house = await start(t, { STS_SECURITY_RATE_PER_ADDRESS: '8' });
  const { base, ada, atrium } = house;
  const screen = await openScreen(base);
  const codes = () => atrium.audit.filter(({ action }) => action === 'signin.password').map(({ errorCode }) => errorCode);
  for (let i = 0; i < 5; i++) await submit(base, screen, ada.uid, 'wrong');
  const byName = await submit(base, screen, ada.uid, ada.password);
  t.is(codes().at(-1), 'STS-HTTP-0017');
  for (let i = 0; i < 3; i++) await submit(base, screen, `nobody${i}`, 'wrong');
  const byAddress = await submit(base, screen, 'nobody', 'wrong');
  t.is(codes().at(-1), 'STS-HTTP-0018');
  t.is(atrium.audit.filter(({ action, errorCode }) => action === 'web.request' && errorCode !== undefined).length, 0, 'each once');
  const shown = ({ status, retryAfter, body }: typeof byName, uid: string) => [status, retryAfter, body.replaceAll(`"${uid}"`, '"…"')];
  t.deepEqual(shown(byAddress, 'nobody'), shown(byName, ada.uid));
  t.notRegex(byAddress.body, /STS-|address/);
});

test('failures are remembered over a restart', async (t) => {
  const house = await start(t);
  for (let i = 0; i < 5; i++) await bind(house, house.ada.dn, 'wrong');
  await house.atrium.stop();
  const again = await startTestAtrium({ dataDir: house.atrium.dataDir });
  t.teardown(() => again.stop());
  t.is(await bind({ ...house, atrium: again }, house.ada.dn, house.ada.password), 53);
});

test('one realm’s failures limit nobody in another', async (t) => {
  const house = await start(t);
  for (let i = 0; i < 20; i++) await bind(house, `uid=nobody${i},ou=people,${house.atrium.suffix}`, 'wrong');
  t.is(await bind(house, house.ada.dn, house.ada.password), 53);
  t.is(await bind(house, 'cn=elsewhere,o=other', 'wrong'), 53, 'what is in no realm is judged as in the default one');
  t.is((await ask(house.base, '/portal')).status, 303, 'nobody is kept from reading a page');
});
