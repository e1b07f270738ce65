import test from 'ava';
import { utf8 } from '#base';
import { Refusal } from '#catalogue';
import { attributesOf, ClientRefusal, clientErrors, connectOperators, equals, present } from '#client';
import { ada, person, suffix } from '../directory/driver.ts';
import { openWebLayer } from '../support/web-layer.ts';
import { rawDirectory, success } from './raw-directory.ts';

test('whoever may open the operators’ socket is the operator: SASL EXTERNAL', async (t) => {
  const { operatorsSocket } = await openWebLayer(t);
  await using operators = await connectOperators({ socketPath: operatorsSocket });
  await operators.actor.modify(person('ada'), [{ operation: 'replace', attribute: { description: 'sn', values: [utf8('King')] } }]);
  t.is((await operators.actor.read(person('ada')))?.one('sn'), 'King');
});

test('the web layer’s socket gives nobody the operators’ identity', async (t) => {
  const { webSocket } = await openWebLayer(t);
  await t.throwsAsync(connectOperators({ socketPath: webSocket }), { instanceOf: ClientRefusal });
});

test('without a service behind the socket it says so', async (t) => {
  const refusal = await t.throwsAsync<Refusal>(connectOperators({ socketPath: '/nonexistent/operators' }), { instanceOf: Refusal });
  t.is(refusal?.row, clientErrors.unreachable);
});

test('a search gives entries one by one; what the directory refuses ends it with the code', async (t) => {
  const { operatorsSocket } = await openWebLayer(t);
  await using operators = await connectOperators({ socketPath: operatorsSocket });
  const names: string[] = [];
  for await (const entry of operators.search({ base: suffix, scope: 'sub', filter: present('uid') })) names.push(entry.one('uid') ?? '');
  t.deepEqual(names.sort(), ['ada', 'admin', 'alan']);

  const missing = operators.search({ base: `dc=none,${suffix}`, scope: 'sub', filter: present('uid') });
  const refusal = await t.throwsAsync(missing.next(), { instanceOf: ClientRefusal });
  t.is(refusal?.code, 32);
});

test('many adds go out without waiting for each, in their order, and each refusal reaches its own', async (t) => {
  const { operatorsSocket } = await openWebLayer(t);
  await using operators = await connectOperators({ socketPath: operatorsSocket });
  const pipeline = operators.pipeline(16);
  const refused: (number | undefined)[] = [];
  const count = 200;
  for (let i = 0; i < count; i++) {
    const uid = i === 100 ? 'ada' : `p${i}`;
    await pipeline.add(person(uid), attributesOf({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid }), (refusal) => {
      refused[i] = refusal?.code;
    });
  }
  await pipeline.drain();
  t.deepEqual(
    refused.flatMap((code, i) => (code === undefined ? [] : [[i, code]])),
    [[100, 68]],
  );
  t.is(refused.length, count);
  t.deepEqual((await operators.actor.read(person('ada')))?.all('cn'), ada['cn']);
  t.truthy(await operators.actor.read(person(`p${count - 1}`)));
});

test('a superior that was added a moment before is there for what is added below it', async (t) => {
  const { operatorsSocket } = await openWebLayer(t);
  await using operators = await connectOperators({ socketPath: operatorsSocket });
  const pipeline = operators.pipeline(64);
  const refusals: unknown[] = [];
  const note = (refusal: unknown) => void (refusal !== undefined && refusals.push(refusal));
  let base = suffix;
  for (let i = 0; i < 10; i++) {
    base = `ou=level${i},${base}`;
    await pipeline.add(base, attributesOf({ objectClass: 'organizationalUnit', ou: `level${i}` }), note);
  }
  for (; base !== suffix; base = base.slice(base.indexOf(',') + 1)) await pipeline.delete(base, note);
  await pipeline.drain();
  t.deepEqual(refusals, []);
  t.is(await operators.actor.read(`ou=level0,${suffix}`), undefined);
});

test('leaving a search early abandons it, and the connection goes on', async (t) => {
  const { socketPath, requests } = await rawDirectory(t, ({ op }, send) => {
    if (op.kind === 'bindRequest') send({ kind: 'bindResponse', result: success });
    if (op.kind === 'searchRequest')
      send(...[1, 2, 3].map((i) => ({ kind: 'searchResultEntry', object: `cn=${i}`, attributes: [] }) as const));
    if (op.kind === 'delRequest') send({ kind: 'delResponse', result: success });
  });
  await using operators = await connectOperators({ socketPath });
  for await (const { dn } of operators.search({ base: '', scope: 'sub', filter: equals('a', 'b') })) {
    t.is(dn, 'cn=1');
    break;
  }
  await operators.actor.delete('cn=x');
  const search = requests.find(({ op }) => op.kind === 'searchRequest');
  t.true(requests.some(({ op }) => op.kind === 'abandonRequest' && op.messageId === search?.messageId));
});

test('a directory is read no faster than its entries are taken: memory stays bounded', async (t) => {
  const total = 3000;
  const value = utf8('x'.repeat(10_000));
  let sent = 0;
  const { socketPath } = await rawDirectory(t, ({ op, messageId }, send, socket) => {
    if (op.kind === 'bindRequest') return send({ kind: 'bindResponse', result: success });
    if (op.kind !== 'searchRequest') return;
    t.truthy(messageId);
    const pump = () => {
      while (sent < total) {
        send({ kind: 'searchResultEntry', object: `cn=${sent++}`, attributes: [{ description: 'cn', values: [value] }] });
        if (socket.writableNeedDrain) return void socket.once('drain', pump);
      }
      send({ kind: 'searchResultDone', result: success });
    };
    pump();
  });
  await using operators = await connectOperators({ socketPath });
  let taken = 0;
  let aheadMost = 0;
  for await (const { dn } of operators.search({ base: '', scope: 'sub', filter: present('cn') })) {
    t.is(dn, `cn=${taken++}`);
    // The peer gets its turns while this entry is looked at.
    if (taken % 50 === 0) await new Promise(setImmediate);
    aheadMost = Math.max(aheadMost, sent - taken);
  }
  t.is(taken, total);
  t.true(aheadMost < 1500, `${aheadMost} entries ahead`);
});

test('a pipeline whose directory goes says so at the next change and when it is drained', async (t) => {
  const { socketPath } = await rawDirectory(t, ({ op }, send, socket) => {
    if (op.kind === 'bindRequest') send({ kind: 'bindResponse', result: success });
    else socket.destroy();
  });
  await using operators = await connectOperators({ socketPath });
  const pipeline = operators.pipeline(1);
  await pipeline.delete('cn=1', () => t.fail('it was not answered'));
  await t.throwsAsync(
    pipeline.delete('cn=2', () => t.fail('it was not answered')),
    { instanceOf: Refusal },
  );
  await t.throwsAsync(pipeline.drain(), { instanceOf: Refusal });
});
