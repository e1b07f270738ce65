import test from 'ava';
import fc from 'fast-check';
import { furnishedHouse, suffix } from '../directory/driver.ts';
import { type Change, initial, modelled, type State, types } from './modify-model.ts';
import { mark, modify, oids } from './table.ts';

/** `MODIFY_SEED=1` changes other things, `MODIFY_ROUNDS=10000` more of them. */
const seed = Number(process.env['MODIFY_SEED'] ?? 20_261_121);
const rounds = Number(process.env['MODIFY_ROUNDS'] ?? 100);

const change: fc.Arbitrary<Change> = fc
  .constantFrom(...types, ...types.filter(({ name }) => name !== 'nothing'))
  .chain(({ name, values }) =>
    fc
      .tuple(fc.constantFrom('add', 'delete', 'replace', 'increment'), fc.array(fc.constantFrom(...values), { maxLength: 3, size: 'max' }))
      .map(([operation, given]): Change => [operation, name, ...given]),
  );
const step = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }), permissive: fc.boolean() });

const dn = `cn=named,ou=applications,${suffix}`;

test('RFC 4511 §4.6, RFC 4525: generated modifies do and are refused what a model in memory does and refuses, permissive or not', async (t) => {
  t.timeout(120_000);
  const codes = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }), async (steps) => {
      const house = await furnishedHouse(t);
      const operator = house.operator();
      const given = { objectClass: ['inetOrgPerson', 'extensibleObject'], ...Object.fromEntries(initial) };
      t.is((await operator.add(dn, given)).code, 0);
      let state: State = initial;
      for (const { changes, permissive } of steps) {
        const expected = modelled(state, changes, permissive);
        const { code, result } = await operator.ask(modify(dn, ...changes), permissive ? [mark(oids.permissive)] : []);
        const words = `${permissive ? 'permissive ' : ''}${JSON.stringify(changes)} of ${JSON.stringify([...state])}`;
        if (code !== expected.code) throw new Error(`${words}: ${code} (${result.diagnostic}), by the model ${expected.code}`);
        codes.set(code, (codes.get(code) ?? 0) + 1);
        state = expected.state;
        const found = (await operator.search(dn, '(objectClass=*)', { scope: 'base' })).entries[0];
        for (const { name } of types) {
          const [values, modelledValues] = [found?.all(name) ?? [], state.get(name) ?? []];
          if (values.join('\n') !== modelledValues.join('\n'))
            throw new Error(`${words}: ${name} is ${values}, by the model ${modelledValues}`);
        }
      }
      await house.engine.store.close();
    }),
    { numRuns: rounds, seed },
  );
  // Every answer that the model knows has come.
  t.deepEqual(
    [...codes.keys()].sort((a, b) => a - b),
    [0, 2, 16, 17, 19, 20, 21, 65, 67],
  );
  t.log(`${JSON.stringify([...codes])}; MODIFY_SEED=${seed} MODIFY_ROUNDS=${rounds} does it again`);
});
