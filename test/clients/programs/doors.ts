import { holds, step } from './steps.ts';
import { dnOf, memberLdif, passwordOf, suffix, type World } from './world.ts';

/** Tries to sign in through a program. @returns whether it let the person in */
export type Login = (name: string, password: string) => Promise<boolean>;

interface Door {
  readonly world: World;
  readonly login: Login;
  /** The name of the group whose members are let in; `ada` is in it already. */
  readonly group: string;
}

const refusedBy = (world: World, code: string, uid: string) =>
  world.atrium.audit.some(({ errorCode, subject }) => errorCode === code && subject.toLowerCase().includes(uid));

/** What every program must show: passwords, groups, app passwords, second factors and disabled accounts, at the very next attempt. */
export async function judgeDoor(door: Door): Promise<void> {
  await judgePasswords(door);
  door.world.heard?.();
  await judgeAppPasswords(door);
  await judgeLife(door);
}

async function judgePasswords({ world, login, group }: Door): Promise<void> {
  await world.change(memberLdif('add', `cn=${group},ou=groups,${suffix}`, 'grace', 'kurt', 'emmy', 'mary', 'rosa'));
  await step('somebody of the group is let in with their password', () => letIn(login, 'ada', passwordOf('ada')));
  await step('a wrong password is refused', () => refused(login, 'ada', 'Analytical-Engine-8-ada'));
  await step('no password at all is refused', () => refused(login, 'ada', ''));
  await step('somebody whom nobody knows is refused', () => refused(login, 'nobody-knows', passwordOf('ada')));
  await step('a name that would be a filter is refused', () => refused(login, '*', passwordOf('ada')));
  await step('somebody who is not in the group is refused with the right password', () => refused(login, 'alan', passwordOf('alan')));
}

async function judgeAppPasswords({ world, login }: Door): Promise<void> {
  await step('the own password of somebody with a second factor is refused, and the audit trail says why', async () => {
    await refused(login, 'grace', passwordOf('grace'));
    holds(refusedBy(world, 'STS-AUTHN-0213', 'grace'), 'no row with STS-AUTHN-0213');
  });
  let made: { readonly id: string; readonly value: string } | undefined;
  await step('an app password of theirs is let in, with its dashes', async () => {
    made = await world.appPassword('grace', 'the program', 'ldap');
    await letIn(login, 'grace', made.value);
  });
  await step('and without its dashes', () => letIn(login, 'grace', (made?.value ?? '').replaceAll('-', '')));
  await step('an app password beside the own password of somebody without a second factor: both are let in', async () => {
    const { value } = await world.appPassword('mary', 'the program', 'ldap');
    await letIn(login, 'mary', value);
    await letIn(login, 'mary', passwordOf('mary'));
  });
  await step('an app password that is for other doors is refused, and the audit trail says why', async () => {
    const { value } = await world.appPassword('grace', 'for provisioning', 'scim');
    await refused(login, 'grace', value);
    holds(refusedBy(world, 'STS-AUTHN-0214', 'grace'), 'no row with STS-AUTHN-0214');
  });
  await step('an app password of somebody else is refused', () => refused(login, 'rosa', made?.value ?? ''));
  await step('a revoked app password is refused at the next attempt', async () => {
    await world.revokeAppPassword('grace', made?.id ?? '');
    await refused(login, 'grace', made?.value ?? '');
  });
}

async function judgeLife({ world, login, group }: Door): Promise<void> {
  await step('a disabled person is refused at the next attempt, and let in when they are enabled again', async () => {
    await letIn(login, 'kurt', passwordOf('kurt'));
    await world.command('person', 'disable', 'kurt');
    await refused(login, 'kurt', passwordOf('kurt'));
    holds(refusedBy(world, 'STS-AUTHN-0200', 'kurt'), 'no row with STS-AUTHN-0200');
    await world.command('person', 'enable', 'kurt');
    await letIn(login, 'kurt', passwordOf('kurt'));
  });
  await step('who has left the group is refused at the next attempt', async () => {
    await letIn(login, 'emmy', passwordOf('emmy'));
    await world.change(memberLdif('delete', `cn=${group},ou=groups,${suffix}`, 'emmy'));
    await refused(login, 'emmy', passwordOf('emmy'));
  });
  await step('who is in a group inside the group is let in', async () => {
    const inner = `cn=inner,ou=groups,${suffix}`;
    await world.change(`dn: ${inner}\nobjectClass: groupOfNames\ncn: inner\nmember: ${dnOf('emmy')}\n`);
    await world.change(`dn: cn=${group},ou=groups,${suffix}\nchangetype: modify\nadd: member\nmember: ${inner}\n`);
    await letIn(login, 'emmy', passwordOf('emmy'));
  });
  await step('a password that was changed counts at the next attempt', async () => {
    await world.change(`dn: ${dnOf('rosa')}\nchangetype: modify\nreplace: userPassword\nuserPassword: Another-Engine-9-rosa\n`);
    await refused(login, 'rosa', passwordOf('rosa'));
    await letIn(login, 'rosa', 'Another-Engine-9-rosa');
  });
}

async function letIn(login: Login, name: string, password: string): Promise<void> {
  holds(await login(name, password), `${name} was refused`);
}

async function refused(login: Login, name: string, password: string): Promise<void> {
  holds(!(await login(name, password)), `${name} was let in`);
}
