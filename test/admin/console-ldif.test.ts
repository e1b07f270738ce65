import test from 'ava';
import { openConsoleHouse } from './console-house.ts';

const house = await openConsoleHouse();
const { atrium, get, send, writer } = house;
test.after.always(() => house[Symbol.asyncDispose]());

const path = '/admin/do/ldif.import?in.dryRun=true&back=%2Fadmin%2Fldif';
const person = (uid: string, more = '') =>
  `dn: uid=${uid},ou=people,${atrium.suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${more}\n`;
const box = (body: string, name: string) => new RegExp(`<input type="checkbox"[^>]*name="${name}"[^>]*>`).exec(body)?.[0] ?? '';
const isThere = async (uid: string) =>
  (await get(`/admin/directory?${new URLSearchParams({ dn: `uid=${uid},ou=people,${atrium.suffix}` })}`, writer)).status === 200;

test('LDIF is tried first: the form says with the line what is wrong, keeps the text, and does it once it is right', async (t) => {
  const page = await get(path, writer);
  t.regex(box(page.body, 'dryRun'), / checked/);
  t.true(box(page.body, 'continue') !== '' && !box(page.body, 'continue').includes(' checked'));

  const broken = `${person('inn')}${person('out', 'nonsense: x\n')}`;
  const tried = await send(path, { dryRun: 'true', bodyText: broken }, writer);
  t.is(tried.status, 200);
  t.regex(tried.body, /This was a dry run: nothing was written/);
  t.regex(tried.body, /nonsense: attribute type undefined/);
  t.notRegex(box(tried.body, 'dryRun'), / checked/, 'the next step is to do it');
  t.regex(tried.body, /uid: inn[\s\S]*<\/textarea>/);

  const wrong = await send(path, { bodyText: broken }, writer);
  t.is(wrong.status, 422);
  t.regex(wrong.body, /Line 7: uid=out,[^<]*nonsense/);
  t.regex(wrong.body, /Nothing was added or changed/);
  t.regex(wrong.body, /uid: out[\s\S]*<\/textarea>/);
  t.false(await isThere('inn'));

  const right = await send(path, { bodyText: broken.replace('nonsense: x\n', '') }, writer);
  t.is(right.status, 200);
  t.regex(right.body, /Done\./);
  t.true(await isThere('inn'));
});

test('what goes by a task is told as such, with the way to see how far it is', async (t) => {
  const many = Array.from({ length: 600 }, (_, at) => person(`many${at}`)).join('');
  const { body } = await send(path, { dryRun: 'true', bodyText: many }, writer);
  t.regex(body, /A task does it/);
  const way = /href="(\/admin\/api-explorer\/tasks\.read\?[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  t.regex((await get(way, writer)).body, /import-[0-9a-f-]+\.ldif/);
});
