import { spawn } from 'node:child_process';
import { type LdapTool, type LdapUtilsTarget, type Ran, runLdapTool, toolCommand } from '../../support/ldap-utils.ts';
import type { Case, Lasting } from './case.ts';
import { simpleBind, type World } from './worlds.ts';

/** Runs a case on one of the servers, once more where slapd was not there any more: each case may be made twice. */
export async function ask(world: World, made: Case): Promise<Ran> {
  const ran = await askOnce(world, made);
  if (world.startAgain === undefined || !ran.stderr.includes("Can't contact LDAP server")) return ran;
  await world.startAgain();
  return await askOnce(world, made);
}

async function askOnce(world: World, { tool, as = 'admin', door = 'ldap', args = [], input = '', lasts }: Case): Promise<Ran> {
  const target = targetOf(world, as, door);
  const all = [...(door === 'StartTLS' ? ['-ZZ'] : []), ...(tool === 'ldapsearch' ? ['-o', 'ldif-wrap=no'] : []), ...args];
  if (lasts !== undefined) return await follow(world, target, all, lasts);
  let ran = await runLdapTool(tool, target, all, input);
  // slapd is busy with a sorted search until a moment after it has answered it: a fast client's next one may come too early.
  for (let tries = 0; /^result: 51 /m.test(ran.stdout) && tries < 50; tries++) ran = await runLdapTool(tool, target, all, input);
  return ran;
}

function targetOf(world: World, as: Case['as'], door: Case['door']): LdapUtilsTarget {
  const url = door === 'ldaps' || door === 'ldapi' ? world[door] : world.ldap;
  const reached = { url, caFile: world.caFile };
  if (typeof as === 'string') return { ...reached, ...simpleBind(as) };
  const { certificate, ...sasl } = as ?? {};
  return { ...reached, ...sasl, ...(certificate === true && { certFile: world.certFile, keyFile: world.keyFile }) };
}

/**
 * A search that goes on: when it has printed one thing another tool changes something, when it has printed the next thing it is ended. One that is
 * interrupted is so while it prints, since ldapsearch looks for interrupts only between two answers.
 */
function follow(world: World, target: LdapUtilsTarget, args: readonly string[], { until, meanwhile, and }: Lasting): Promise<Ran> {
  const { command, environment } = toolCommand('ldapsearch', target, args);
  return new Promise((resolve, reject) => {
    // Its lines shall come as they are printed.
    const child = spawn('stdbuf', ['-oL', ...command], { env: environment });
    let [stdout, stderr] = ['', ''];
    let waitsFor: 'first' | 'second' | 'end' = 'first';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (waitsFor === 'first' && stdout.includes(until)) {
        waitsFor = 'second';
        if (meanwhile === 'interrupt') {
          child.stdout.pause();
          child.kill('SIGINT');
          setImmediate(() => child.stdout.resume());
        } else
          void change(world, ...meanwhile).catch((error) => {
            child.kill('SIGTERM');
            reject(error);
          });
      }
      if (waitsFor === 'second' && and !== undefined && stdout.includes(and)) {
        waitsFor = 'end';
        child.kill('SIGTERM');
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status: waitsFor === 'end' ? 0 : (status ?? -1), stdout, stderr }));
  });
}

async function change(world: World, tool: LdapTool, args: readonly string[], input = ''): Promise<void> {
  const { status, stderr } = await runLdapTool(tool, targetOf(world, 'admin', 'ldap'), args, input);
  if (status !== 0) throw new Error(stderr);
}
