import { utf8 } from '#base';
import { type ClientEntry, ClientRefusal, type OperatorsClient } from '#client';
import { resultCodes } from '#ldap';
import { askPassword } from './ask-secret.ts';
import type { Context } from './command.ts';
import { confirm } from './confirm.ts';
import { withDirectory } from './directory.ts';
import { Failure } from './exits.ts';
import type { Given } from './given.ts';
import { need, people } from './lookup.ts';
import { explain } from './operators.ts';
import { membershipsOf } from './person-show.ts';

/** Locked until somebody unlocks it (draft-behera-ldap-password-policy §5.3.3). */
const lockedForGood = '000001010000Z';
/** More groups are not named in a question. */
const namedMax = 10;

/** Finds the person of the call and does something to them. */
export async function withPerson(
  given: Given,
  context: Context,
  act: (person: ClientEntry, client: OperatorsClient, suffix: string) => Promise<void>,
  within: typeof withDirectory = withDirectory,
): Promise<number> {
  return await within(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const person = await need(client, suffix, people, given.need('PERSON'), ['uid', 'cn', 'memberOf', 'pwdAccountLockedTime']);
    await act(person, client, suffix);
    return 0;
  });
}

export function answer(given: Given, { stdout }: Context, words: string, object: object): void {
  stdout.write(given.flag('json') ? `${JSON.stringify(object)}\n` : `${words}\n`);
}

export async function setPassword(given: Given, context: Context): Promise<number> {
  return await withPerson(given, context, async ({ dn }, { actor }) => {
    const replace = (description: string, ...values: string[]) =>
      ({ operation: 'replace', attribute: { description, values: values.map(utf8) } }) as const;
    // What an operator sets is good at once, unless they say otherwise.
    const reset = replace('pwdReset', ...(given.flag('must-change') ? ['TRUE'] : []));
    const password = given.flag('generate') ? undefined : await askPassword(`New password of ${dn}`, context);
    let generated: string | undefined;
    try {
      if (password === undefined) {
        // The directory knows the policy. A mark that is set comes first, one that is taken away last: neither password is good for longer than it should be.
        if (given.flag('must-change')) await actor.modify(dn, [reset]);
        generated = await actor.generatePassword(dn);
        if (!given.flag('must-change')) await actor.modify(dn, [reset]);
      } else await actor.modify(dn, [replace('userPassword', password), reset]);
    } catch (error) {
      if (error instanceof ClientRefusal) throw new Failure(`the password was not set: ${explain(error)}`);
      throw error;
    }
    answer(given, context, generated === undefined ? `password set: ${dn}` : `password ${generated}`, {
      dn,
      ...(generated === undefined ? {} : { password: generated }),
    });
  });
}

export async function disablePerson(given: Given, context: Context): Promise<number> {
  return await lock(given, context, true);
}

export async function enablePerson(given: Given, context: Context): Promise<number> {
  return await lock(given, context, false);
}

async function lock(given: Given, context: Context, disabled: boolean): Promise<number> {
  return await withPerson(given, context, async (person, { actor }) => {
    const changed = person.has('pwdAccountLockedTime') !== disabled;
    const values = disabled ? [utf8(lockedForGood)] : [];
    // Of one who is locked for a time it is made for good.
    if (changed || disabled)
      await actor.modify(person.dn, [{ operation: 'replace', attribute: { description: 'pwdAccountLockedTime', values } }]);
    const state = disabled ? 'disabled' : 'enabled';
    answer(given, context, changed ? `${state}: ${person.dn}` : `${state} already: ${person.dn}`, { dn: person.dn, disabled, changed });
  });
}

export async function removePerson(given: Given, context: Context): Promise<number> {
  return await withPerson(given, context, async (person, client, suffix) => {
    const { direct } = await membershipsOf(client, suffix, person);
    const named = direct.slice(0, namedMax).map((dn) => `  ${dn}`);
    const more = direct.length > namedMax ? [`  and ${direct.length - namedMax} more`] : [];
    const memberships = direct.length === 0 ? [] : ['They are taken out of these groups:', ...named, ...more];
    const uid = person.one('uid') ?? person.dn;
    await confirm(
      [`This removes ${person.dn} (${person.one('cn') ?? uid}) with all that the entry holds.`, ...memberships].join('\n'),
      uid,
      given,
      context,
    );
    try {
      await client.actor.delete(person.dn);
    } catch (error) {
      if (!(error instanceof ClientRefusal) || error.code !== resultCodes.notAllowedOnNonLeaf) throw error;
      throw new Failure(`${person.dn} has entries below it: remove those first. See: atrium search objectClass=* 1.1 --base ${person.dn}`);
    }
    answer(given, context, [`removed ${person.dn}`, ...direct.map((dn) => `no longer member of ${dn}`)].join('\n'), {
      dn: person.dn,
      groups: direct,
    });
  });
}
