import { runHere } from '../apply.ts';
import { holds, same, step } from '../steps.ts';
import { passwordOf, type World } from '../world.ts';
import { judgeLinux, login, passwd } from './linux.ts';

const next = 'Quite-another-Engine-7';

export async function test(world: World, group: string): Promise<void> {
  await judgeLinux(world, group, () => runHere('sss_cache', ['-E']));
  const policy = (...changes: readonly string[]) =>
    world.change(['dn: cn=default,ou=passwordPolicies,dc=example,dc=com', 'changetype: modify', ...changes, ''].join('\n'));
  await step('whose password has expired is told so and let in no more; without grace passwd cannot set another', async () => {
    await policy('replace: pwdMaxAge', 'pwdMaxAge: 1', '-', 'replace: pwdExpireWarning');
    const { status, said } = await runHere('pamtester', ['other', 'mary', 'authenticate', 'acct_mgmt'], {
      input: `${passwordOf('mary')}\n`,
    });
    holds(status !== 0 && /new one required/.test(said), said);
    const changed = await passwd('mary', passwordOf('mary'), next);
    holds(changed.status !== 0 && changed.said.includes('only authenticated users may change passwords'), changed.said);
  });
  await step('with grace passwd sets another, with the old one', async () => {
    await policy('add: pwdGraceAuthNLimit', 'pwdGraceAuthNLimit: 5');
    const { status, said } = await passwd('mary', passwordOf('mary'), next);
    await policy('replace: pwdMaxAge', 'pwdMaxAge: 259200', '-', 'replace: pwdGraceAuthNLimit');
    same(status, 0, said);
    same([await login('mary', next), await login('mary', passwordOf('mary'))], [true, false], 'the new one and the old one');
  });
}
