import test from 'ava';
import { equals, present } from '#client';
import { openWebLayer } from '../support/web-layer.ts';
import { person, suffix } from './driver.ts';

const people = `ou=people,${suffix}`;

test('page behind: pages of a search together are what it finds, each once, whatever order it takes', async (t) => {
  const { client } = await openWebLayer(t);
  const self = client.as('self');
  for (const [base, scope, filter] of [
    [suffix, 'sub', present('objectClass')],
    [people, 'one', present('objectClass')],
    [people, 'sub', equals('objectClass', 'person')],
    [suffix, 'children', present('uid')],
  ] as const) {
    const all = (await self.search({ base, scope, filter, attributes: ['1.1'] })).entries.map(({ dn }) => dn);
    t.true(all.length > 2);
    const paged: string[] = [];
    let behind: Uint8Array | undefined;
    do {
      const page = await self.page({ base, scope, filter, attributes: ['1.1'], size: 2, ...(behind === undefined ? {} : { behind }) });
      t.true(page.entries.length <= 2);
      paged.push(...page.entries.map(({ dn }) => dn));
      behind = page.next;
    } while (behind !== undefined);
    t.deepEqual(paged.toSorted(), all.toSorted());
    t.is(new Set(paged).size, paged.length);
  }
});

test('page behind: it goes on from where it was though its entry is gone, and for who acts in another name', async (t) => {
  const { client } = await openWebLayer(t);
  const self = client.as('self');
  const search = { base: people, scope: 'sub', filter: equals('objectClass', 'person'), attributes: ['1.1'], size: 1 } as const;
  const first = await self.page(search);
  const [gone] = first.entries;
  t.not(first.next, undefined);
  const rest = await self.page({ ...search, size: 100, behind: first.next as Uint8Array });
  t.false(rest.entries.some(({ dn }) => dn === gone?.dn));
  t.is(rest.next, undefined);
  const ada = await client.as({ dn: person('ada') }).page({ ...search, size: 100, behind: first.next as Uint8Array });
  t.true(ada.entries.every(({ dn }) => rest.entries.some((each) => each.dn === dn)));
});

test('page behind: a place that is none is refused', async (t) => {
  const { client } = await openWebLayer(t);
  for (const place of ['x', 'i', 'i-1', 'i0', `i${'9'.repeat(40)}`, 'n'])
    await t.throwsAsync(
      client.as('self').page({ base: people, scope: 'sub', filter: present('uid'), size: 1, behind: Buffer.from(place) }),
      { message: /protocolError/ },
    );
});
