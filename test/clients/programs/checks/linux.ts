import { existsSync } from 'node:fs';
import { runHere } from '../apply.ts';
import { judgeDoor, type Login } from '../doors.ts';
import { holds, same, step, until } from '../steps.ts';
import { dnOf, passwordOf, suffix, type World } from '../world.ts';

/** Signs in as a program does that rests on Debian's `common-*` files of PAM. */
const pam = (name: string, acts: readonly string[], input: string) => runHere('pamtester', ['other', name, ...acts], { input });

export const login: Login = async (name, password) => {
  const { status, said } = await pam(name, ['authenticate', 'acct_mgmt'], `${password}\n`);
  if (status === 0) return true;
  holds(!/authentication information|service is unavailable/i.test(said), `PAM could not ask: ${said}`);
  return false;
};

const lookUp = async (...words: readonly string[]) => (await runHere('getent', words)).said.trim();

/**
 * What a Linux machine must show that knows Atrium's people, by whichever means.
 *
 * @param forget  has it ask anew for people and groups, where it remembers them
 */
export async function judgeLinux(world: World, group: string, forget: () => unknown = () => undefined): Promise<void> {
  await step('getent knows a person by name and by number, and nobody else', async () => {
    const ada = 'ada:*:20001:30001:Ada Example:/home/ada:/bin/bash';
    await until('people', async () => ((await lookUp('passwd', 'ada')) === '' ? undefined : true));
    same((await lookUp('passwd', 'ada')).replace(':x:', ':*:'), ada, 'ada');
    same((await lookUp('passwd', '20001')).replace(':x:', ':*:'), ada, '20001');
    same(await lookUp('passwd', 'nobody-knows'), '', 'nobody-knows');
  });
  await judgeDoor({ world, login, group });
  await judgeGroups(world, forget);
  await judgePasswordChange(world);
  await judgeExpiry(world);
  await step('a home directory is made at the first sign-in', async () => {
    const { status, said } = await pam('mary', ['authenticate', 'open_session', 'close_session'], `${passwordOf('mary')}\n`);
    same(status, 0, said);
    holds(existsSync('/home/mary'), 'there is none');
  });
  await step('without a password, as with an ssh key: members are let in, disabled people and others are not', async () => {
    const allowed = async (uid: string) => (await pam(uid, ['acct_mgmt'], '')).status === 0;
    same([await allowed('mary'), await allowed('alan')], [true, false], 'mary and alan');
    await world.command('person', 'disable', 'mary');
    same(await allowed('mary'), false, 'mary, disabled');
    await world.command('person', 'enable', 'mary');
    same(await allowed('mary'), true, 'mary, enabled');
  });
}

/** What Atrium says of a password along with the answer (draft-behera-ldap-password-policy). */
async function judgeExpiry(world: World): Promise<void> {
  await step('who must change their password first is refused with it, and let in with the next', async () => {
    await world.change(`dn: ${dnOf('rosa')}\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE\n`);
    holds(!(await login('rosa', 'Another-Engine-9-rosa')), 'rosa was let in');
    await world.change(
      `dn: ${dnOf('rosa')}\nchangetype: modify\nreplace: pwdReset\n-\nreplace: userPassword\nuserPassword: Third-Engine-10-rosa\n`,
    );
    holds(await login('rosa', 'Third-Engine-10-rosa'), 'rosa was refused');
  });
  await step('whose password is about to expire is let in and told', async () => {
    const days = ['pwdMaxAge: 259200', 'pwdExpireWarning: 259199'];
    await world.change(
      ['dn: cn=default,ou=passwordPolicies,dc=example,dc=com', 'objectClass: stsPasswordPolicy', 'cn: default', ...days, ''].join('\n'),
    );
    // Hers is older than the second that is no time of warning.
    const { status, said } = await pam('mary', ['authenticate', 'acct_mgmt'], `${passwordOf('mary')}\n`);
    same(status, 0, said);
    holds(/expire/i.test(said), `nothing of it in: ${said}`);
  });
}

async function judgeGroups(world: World, forget: () => unknown): Promise<void> {
  await step('groups have their members, those of groups in them among them, and a person has their groups', async () => {
    const group = (cn: string, gid: number, member: string) =>
      `dn: cn=${cn},ou=groups,${suffix}\nobjectClass: groupOfNames\nobjectClass: posixGroup\ncn: ${cn}\ngidNumber: ${gid}\nmember: ${member}\n`;
    await world.change(group('inner-circle', 40_002, dnOf('alan')));
    await world.change(group('circle', 40_001, `cn=inner-circle,ou=groups,${suffix}`));
    await world.change(group('crowd', 30_001, dnOf('ada')));
    await forget();
    same(await lookUp('group', 'inner-circle'), 'inner-circle:*:40002:alan', 'inner-circle');
    same(await lookUp('group', '40001'), 'circle:*:40001:alan', 'circle');
    same((await runHere('id', ['-Gn', 'alan'])).said.trim().split(' ').sort(), ['circle', 'crowd', 'inner-circle'], 'groups of alan');
  });
}

/** `passwd`, as a person calls it. */
export const passwd = (name: string, old: string, next: string) =>
  runHere('runuser', ['-u', name, '--', 'passwd'], { input: `${old}\n${next}\n${next}\n` });

async function judgePasswordChange(world: World): Promise<void> {
  await step('passwd changes a password, with the old one', async () => {
    const { status, said } = await passwd('kurt', passwordOf('kurt'), 'Quite-another-Engine-3');
    same(status, 0, said);
    holds(await login('kurt', 'Quite-another-Engine-3'), 'the new one is refused');
    holds(!(await login('kurt', passwordOf('kurt'))), 'the old one is taken');
  });
  await step('passwd refuses a password that the policy of Atrium refuses', async () => {
    const { status, said } = await passwd('mary', passwordOf('mary'), 'tooshortforit');
    holds(status !== 0, said);
    holds(await login('mary', passwordOf('mary')), 'the old one is refused');
  });
  await step('passwd refuses an app password as the old one', async () => {
    const { value } = await world.appPassword('grace', 'laptop', 'ldap');
    const { status, said } = await passwd('grace', value, 'Quite-another-Engine-4');
    holds(status !== 0, said);
    holds(await login('grace', value), 'the app password is refused now');
  });
}
