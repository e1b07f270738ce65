import { ok } from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { addPerson, asAdministrator } from '../flows/people.ts';
import type { Lane } from '../torture/lane.ts';
import { type Connected, connect, connectToEach, startWithWorkers } from './crew.ts';

const limits = { STS_SECURITY_RATE_PER_IDENTITY: '30', STS_SECURITY_RATE_PER_ADDRESS: '1000' };

function bindOf(name: string, password: string): Request {
  return { kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: utf8(password) } };
}

test.serial(
  'a bind that every thread would let in again is refused by the very next one at each of them, whatever was changed, at whichever of them',
  async (t) => {
    await using atrium = await startWithWorkers(2, { settings: limits });
    const connected = await connectToEach(atrium, 3, 2);
    // Of each thread one connection changes what there is, and the other binds.
    const writers = connected.filter((_, at) => at % 2 === 0).map(({ lane }) => lane);
    const binders = connected.filter((_, at) => at % 2 === 1).map(({ lane }) => lane);
    const bind = async (lane: Lane, dn: string, password: string) => (await lane.send(bindOf(dn, password)).answer)?.code;
    const replace = async (lane: Lane, dn: string, description: string, ...values: string[]) => {
      const changes = [{ operation: 'replace' as const, attribute: { description, values: values.map(utf8) } }];
      t.is((await lane.send({ kind: 'modifyRequest', object: dn, changes }).answer)?.code, 0);
    };
    const policy = `cn=default,ou=authnPolicies,${atrium.suffix}`;
    await asAdministrator(atrium, (client) => client.add(policy, { objectClass: 'stsAuthnPolicy', cn: 'default' }));
    for (const [at, writer] of writers.entries()) {
      const { dn, password } = await addPerson(atrium, `ada${at}`, 'Ada Lovelace');
      const everywhere = async (wanted: number, secret = password) => {
        const codes: (number | undefined)[] = [];
        for (const lane of binders) {
          // Twice, so that each thread has it settled.
          for (let time = 0; time < (wanted === 0 ? 2 : 1); time++) codes.push(await bind(lane, dn, secret));
          // Who is disabled loses their connections: this one is nobody's then.
          await bind(lane, '', '');
        }
        return codes.every((code) => code === wanted) ? 'all' : codes.join(' ');
      };
      t.is(await everywhere(0), 'all');
      await replace(writer, dn, 'pwdAccountLockedTime', '000001010000Z');
      t.is(await everywhere(49), 'all', 'disabled');
      await replace(writer, dn, 'pwdAccountLockedTime');
      t.is(await everywhere(0), 'all');
      await replace(writer, policy, 'stsRequireSecondFactor', 'always');
      t.is(await everywhere(49), 'all', 'the policy');
      await replace(writer, policy, 'stsRequireSecondFactor');
      t.is(await everywhere(0), 'all');
      await replace(writer, dn, 'userPassword', 'Difference-Engine-1822');
      t.is(await everywhere(49), 'all', 'another password');
      t.is(await everywhere(0, 'Difference-Engine-1822'), 'all');
      await replace(writer, dn, 'userPassword', 'Difference-Engine-1849');
      t.is(await everywhere(49, 'Difference-Engine-1822'), 'all');
      t.is(await everywhere(0, 'Difference-Engine-1849'), 'all');
    }
  },
);

test.serial('failures at one thread limit the very next bind at every other, also of who is let in again there', async (t) => {
  await using atrium = await startWithWorkers(2, { settings: limits });
  const binders = await connectToEach(atrium, 3, 1);
  const bind = async (lane: Lane, dn: string, password: string) => (await lane.send(bindOf(dn, password)).answer)?.code;
  for (const [at, { lane: guesser }] of binders.entries()) {
    const { dn, password } = await addPerson(atrium, `ada${at}`, 'Ada Lovelace');
    for (const { lane } of binders) for (let time = 0; time < 2; time++) t.is(await bind(lane, dn, password), 0);
    for (let failed = 0; failed < 30; failed++) {
      t.is(await bind(guesser, dn, 'wrong'), 49);
      if (failed === 28) for (const { lane } of binders) t.is(await bind(lane, dn, password), 0, 'one is left');
    }
    for (const { lane } of binders) t.is(await bind(lane, dn, password), 53);
  }
});

test.serial('what one thread has hashed no other hashes again', async (t) => {
  const slow = {
    STS_SECURITY_PASSWORD_HASH_LOG_N: '16',
    STS_SECURITY_PASSWORD_HASH_R: '8',
    STS_KEYS_HASH_QUEUE_MAX: '1',
    STS_SECURITY_RATE_PER_IDENTITY: '1000',
  };
  await using atrium = await startWithWorkers(2, { settings: { ...limits, ...slow } });
  const { dn, password } = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const [first, ...others] = await connectToEach(atrium, 3, 1);
  const busy = await Promise.all(Array.from({ length: availableParallelism() + 4 }, () => connect(atrium)));
  const send = ({ lane }: Connected, secret: string) => lane.send(bindOf(dn, secret)).answer;
  t.is((await (first && send(first, password)))?.code, 0);
  for (const other of others) {
    for (let times = 1; ; times++) {
      // More hashes than there may be at a time: once one is told that it is busy, so is whoever needs another.
      const hashing = busy.map((each) => send(each, 'wrong'));
      await Promise.any(hashing.map(async (answer) => ok((await answer)?.code === 51))).catch(() => undefined);
      const known = (await send(other, password))?.code;
      const unknown = (await (first && send(first, 'wrong')))?.code;
      await Promise.all(hashing);
      t.true(times < 20, `${known} ${unknown}`);
      if (unknown !== 51) continue;
      t.is(known, 0);
      break;
    }
  }
});
