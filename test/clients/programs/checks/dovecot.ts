import { statSync } from 'node:fs';
import { runHere } from '../apply.ts';
import { openDialogue } from '../dialogue.ts';
import { judgeDoor } from '../doors.ts';
import { holds, same, step } from '../steps.ts';
import { dnOf, passwordOf, type World } from '../world.ts';

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Fetches mail by IMAP over TLS. @returns what came with the newest letter; `undefined` for who is refused */
export async function fetchMail(name: string, password: string): Promise<string | undefined> {
  using imap = await openDialogue(993, true);
  await imap.hear(/^\* OK/);
  const answer = (await imap.say(`a login ${quoted(name)} ${quoted(password)}`, /^a /)).at(-1) ?? '';
  if (!answer.startsWith('a OK')) {
    holds(answer.includes('AUTHENTICATIONFAILED'), `Dovecot could not ask: ${answer}`);
    return undefined;
  }
  await imap.say('b select inbox', /^b OK/);
  const lines = await imap.say('c fetch * body[]', /^c /);
  return lines.join('\n');
}

const login = async (name: string, password: string) => (await fetchMail(name, password)) !== undefined;

export async function test(world: World, group: string): Promise<void> {
  await step('who signs in by their address has the same mailbox, which belongs to vmail', async () => {
    holds(await login('ada@example.com', passwordOf('ada')), 'refused');
    const owner = statSync('/var/vmail/ada/Maildir').uid;
    holds(owner !== 0 && owner === statSync('/var/vmail').uid, `it belongs to ${owner}`);
  });
  await judgeDoor({ world, login, group });
  await step('Dovecot lists those who have a mailbox, and nobody else', async () => {
    const { said } = await runHere('doveadm', ['user', '*']);
    same(said.trim().split('\n').sort(), ['ada', 'emmy', 'grace', 'kurt', 'mary', 'rosa'], 'people with a mailbox');
  });
  await step('while Atrium does not take the account of Dovecot nobody is let in, and everybody again when it does', async () => {
    await world.change(
      `dn: uid=mail,ou=services,dc=example,dc=com\nchangetype: modify\nreplace: userPassword\nuserPassword: Not-what-they-know-1\n`,
    );
    // Dovecot keeps the connection that it has; a new start must sign in anew.
    await runHere('systemctl', ['restart', 'dovecot']);
    let trouble = '';
    await fetchMail('ada', passwordOf('ada')).catch((error: Error) => {
      trouble = error.message;
    });
    holds(trouble !== '', `${dnOf('ada')} was judged without an account to look them up`);
    await world.change(
      `dn: uid=mail,ou=services,dc=example,dc=com\nchangetype: modify\nreplace: userPassword\nuserPassword: Looks-up-mailboxes-1\n`,
    );
    await runHere('systemctl', ['restart', 'dovecot']);
    holds(await login('ada', passwordOf('ada')), 'refused');
  });
}
