import { runHere } from '../apply.ts';
import { judgeDoor } from '../doors.ts';
import { holds, same, step, until } from '../steps.ts';
import { passwordOf, people, type World } from '../world.ts';

async function query(name: string, password: string, sql: string, sslmode = 'require') {
  const place = `host=localhost user='${name}' dbname=postgres sslmode=${sslmode}`;
  return runHere('psql', ['--no-psqlrc', '-wAt', '-c', sql, place], { environment: { PGPASSWORD: password, PGPASSFILE: '/nonexistent' } });
}

async function login(name: string, password: string): Promise<boolean> {
  const { status, said } = await query(name, password, 'select current_user');
  if (status === 0) return said.trim() === name;
  holds(/authentication failed|empty password|no password supplied/.test(said), `PostgreSQL could not ask: ${said}`);
  return false;
}

export async function test(world: World, group: string): Promise<void> {
  await until('PostgreSQL', async () =>
    (await runHere('runuser', ['-u', 'postgres', '--', 'psql', '-c', 'select 1'])).status === 0 ? true : undefined,
  );
  for (const uid of people) if (uid !== 'ada') await runHere('runuser', ['-u', 'postgres', '--', 'createuser', uid]);
  await judgeDoor({ world, login, group });
  await step('roles say what somebody may do', async () => {
    const { said } = await query('ada', passwordOf('ada'), "select pg_has_role('crew', 'member')");
    same(said.trim(), 't', 'member of crew');
  });
  await step('without TLS nobody is asked for a password', async () => {
    const { said } = await query('ada', passwordOf('ada'), 'select 1', 'disable');
    holds(said.includes('rejects connection'), said);
  });
}
