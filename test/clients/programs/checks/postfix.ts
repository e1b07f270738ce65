import { runHere } from '../apply.ts';
import { openDialogue } from '../dialogue.ts';
import { judgeDoor } from '../doors.ts';
import { holds, same, step, until } from '../steps.ts';
import { memberLdif, passwordOf, suffix, type World } from '../world.ts';
import { fetchMail } from './dovecot.ts';

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Sends a letter with name and password by port 587. @returns the last answer; without a letter that to the password */
async function send(name: string, password: string, letter?: Letter): Promise<string> {
  using smtp = await openDialogue(587, false);
  await smtp.hear(/^220 /);
  const answer = async (line: string) => (await smtp.say(line, /^\d{3} /)).at(-1) ?? '';
  await answer('EHLO test.example.com');
  await answer('STARTTLS');
  await smtp.secure();
  await answer('EHLO test.example.com');
  const judged = await answer(`AUTH PLAIN ${Buffer.from(`\0${name}\0${password}`).toString('base64')}`);
  if (letter === undefined || !judged.startsWith('235')) return judged;
  for (const line of [`MAIL FROM:<${letter.from}>`, `RCPT TO:<${letter.to}>`]) {
    const said = await answer(line);
    if (!said.startsWith('250')) return said;
  }
  await answer('DATA');
  return await answer(`From: <${letter.from}>\r\nTo: <${letter.to}>\r\nSubject: ${letter.text}\r\n\r\n${letter.text}\r\n.`);
}

async function login(name: string, password: string): Promise<boolean> {
  const judged = await send(name, password);
  holds(/^(235|535|501)/.test(judged), `Postfix could not ask: ${judged}`);
  return judged.startsWith('235');
}

export async function test(world: World, group: string): Promise<void> {
  const crew = `cn=crew,ou=groups,${suffix}`;
  await judgeDoor({ world, login, group });
  const ada = passwordOf('ada');
  await step('mail for a person arrives in their mailbox', async () => {
    const text = 'for Mary alone';
    holds((await send('ada', ada, { from: 'ada@example.com', to: 'mary@example.com', text })).startsWith('250'), 'not taken');
    await arrives('mary', passwordOf('mary'), text);
  });
  await step('mail for a group arrives in the mailbox of each member, those of groups in it among them', async () => {
    const inner = `cn=second row,ou=groups,${suffix}`;
    await world.change(`dn: ${inner}\nobjectClass: groupOfNames\ncn: second row\nmember: uid=kurt,ou=people,${suffix}\n`);
    await world.change(`${memberLdif('add', crew, 'mary')}member: ${inner}\n`);
    const text = 'for the whole crew';
    holds((await send('ada', ada, { from: 'ada@example.com', to: 'crew@example.com', text })).startsWith('250'), 'not taken');
    for (const uid of ['ada', 'mary', 'kurt']) await arrives(uid, passwordOf(uid), text);
  });
  await step('an address that nobody has is refused, and so is a group that is no list', async () => {
    for (const to of ['nobody@example.com', 'mail@example.com', 'alan@example.com']) {
      const said = await send('ada', ada, { from: 'ada@example.com', to, text: 'lost' });
      holds(said.startsWith('550'), `${to}: ${said}`);
    }
  });
  await step('nobody sends under the address of somebody else', async () => {
    const said = await send('ada', ada, { from: 'mary@example.com', to: 'mary@example.com', text: 'not from Mary' });
    holds(said.startsWith('553'), said);
  });
  await step('postmap finds what the page says', async () => {
    const find = async (key: string, map: string) => (await runHere('postmap', ['-q', key, `ldap:/etc/postfix/${map}.cf`])).said.trim();
    same(await find('ada@example.com', 'atrium-mailboxes'), 'ada', 'the mailbox of ada@example.com');
    same(await find('*@example.com', 'atrium-mailboxes'), '', 'the mailbox of *@example.com');
    same(
      (await find('crew@example.com', 'atrium-lists')).split(',').sort(),
      ['ada', 'kurt', 'mary'].map((uid) => `${uid}@example.com`),
      'crew',
    );
  });
}

async function arrives(uid: string, password: string, text: string): Promise<void> {
  await until(`mail for ${uid}`, async () => ((await fetchMail(uid, password))?.includes(text) ? true : undefined));
}
