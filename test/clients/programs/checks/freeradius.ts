import { writeFileSync } from 'node:fs';
import { runHere } from '../apply.ts';
import { judgeDoor, type Login } from '../doors.ts';
import { holds, step, until } from '../steps.ts';
import { passwordOf, type World } from '../world.ts';

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Asks as a VPN gateway does (PAP). @returns the answer of the server, in the words of radclient */
async function ask(name: string, password: string): Promise<string> {
  const input = `User-Name = ${quoted(name)}\nUser-Password = ${quoted(password)}\nMessage-Authenticator = 0x00\n`;
  const { said } = await runHere('radclient', ['-x', '-r', '1', '-t', '20', 'localhost', 'auth', 'testing123'], { input });
  return said;
}

const login: Login = async (name, password) => {
  const said = await until('FreeRADIUS', async () => {
    const answer = await ask(name, password);
    return answer.includes('Received Access-') ? answer : undefined;
  });
  return said.includes('Received Access-Accept');
};

/** Joins a Wi-Fi as a device does: EAP-TTLS with PAP inside, by wpa_supplicant's own client. */
async function join(name: string, password: string, inner = 'PAP'): Promise<boolean> {
  const lines = ['ssid="test"', 'key_mgmt=WPA-EAP', `eap=${inner === 'MSCHAPV2' ? 'PEAP' : 'TTLS'}`, `phase2="auth=${inner}"`];
  const network = [...lines, 'anonymous_identity="anonymous"', `identity=${quoted(name)}`, `password=${quoted(password)}`];
  writeFileSync('/root/wifi.conf', `network={\n${network.join('\n')}\n}\n`);
  const { said } = await runHere('eapol_test', ['-c', '/root/wifi.conf', '-a', '127.0.0.1', '-s', 'testing123', '-t', '20']);
  holds(/^(SUCCESS|FAILURE)$/m.test(said), said.slice(-1000));
  return /^SUCCESS$/m.test(said);
}

export async function test(world: World, group: string): Promise<void> {
  await judgeDoor({ world, login, group });
  await step('members of a second group get a network of their own, and nobody else', async () => {
    holds(/Tunnel-Private-Group-Id:0 = "20"/.test(await ask('ada', passwordOf('ada'))), 'ada got none');
    holds(!(await ask('mary', passwordOf('mary'))).includes('Tunnel-Private-Group-Id'), 'mary got one');
  });
  await step('Wi-Fi: a device joins by EAP-TTLS with PAP, and is refused with a wrong password', async () => {
    holds(await join('ada', passwordOf('ada')), 'ada was refused');
    holds(!(await join('ada', 'Analytical-Engine-8-ada')), 'a wrong password was taken');
  });
  await step('Wi-Fi: an app password joins, and the own password of somebody with a second factor does not', async () => {
    const { value } = await world.appPassword('grace', 'Wi-Fi', 'ldap');
    holds(await join('grace', value), 'the app password was refused');
    holds(!(await join('grace', passwordOf('grace'))), 'the own password was taken');
  });
  await step('Wi-Fi: somebody who is not in the group does not join', async () => {
    holds(!(await join('alan', passwordOf('alan'))), 'alan joined');
  });
  await step('Wi-Fi: PEAP with MSCHAPv2 does not work, as the page says', async () => {
    holds(!(await join('ada', passwordOf('ada'), 'MSCHAPV2')), 'it did');
  });
}
