import { mkdirSync, writeFileSync } from 'node:fs';
import { judgeDoor } from '../doors.ts';
import { holds, same, step, until } from '../steps.ts';
import { passwordOf, type World } from '../world.ts';

const page = 'what only readers see';

async function ask(name: string, password: string): Promise<{ readonly status: number; readonly text: string }> {
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const answer = await fetch('http://localhost/wiki/', { headers: name === '' ? {} : { authorization } });
  return { status: answer.status, text: await answer.text() };
}

async function login(name: string, password: string): Promise<boolean> {
  const { status, text } = await until('Apache', () => ask(name, password));
  holds([200, 401].includes(status), `Apache answered ${status}: ${text}`);
  return text.includes(page);
}

export async function test(world: World, group: string): Promise<void> {
  mkdirSync('/var/www/html/wiki', { recursive: true });
  writeFileSync('/var/www/html/wiki/index.html', page);
  await step('who says no name is asked for one', async () => same((await until('Apache', () => ask('', ''))).status, 401, 'status'));
  await judgeDoor({ world, login, group });
  await step('thirty requests at once with a password are all answered', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask('ada', passwordOf('ada'))));
    same([...new Set(answers.map(({ status }) => status))], [200], 'status');
  });
}
