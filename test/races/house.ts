import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEnvironment } from '../support/atrium.ts';
import { type RunningCli, startCli } from '../support/cli.ts';

/** A service and a web process beside it, in processes of their own, on one folder. */
export interface TwoWebs extends AsyncDisposable {
  /** As the helpers of the flows know a running Atrium. */
  readonly addresses: { readonly ldap: string; readonly http: string };
  readonly suffix: string;
  readonly adminDn: string;
  readonly adminPassword: string;
  /** Of the service's own web, and of the process beside it. */
  readonly bases: readonly [string, string];
  readonly service: RunningCli;
  readonly web: RunningCli;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

const suffix = 'dc=example,dc=com';

/** The environment of both processes. */
export function twoWebsEnvironment(folder: string, settings: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { ...testEnvironment(folder), STS_LDAP_TLS_PORT: '', STS_HTTP_TLS_PORT: '', STS_HTTP_BESIDE_TLS_PORT: '', ...settings };
}

/** Starts both. They end with what is disposed of. */
export async function startTwoWebs(settings: Readonly<Record<string, string>> = {}): Promise<TwoWebs> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-webs-'));
  const environment = twoWebsEnvironment(folder, settings);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const begin = async (command: string) => {
    const running = startCli([command], environment);
    stack.defer(async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    });
    const said = await running.until('ready ');
    return { running, http: addressIn(said, 'http'), ldap: addressIn(said, 'ldap') };
  };
  const service = await begin('serve');
  const web = await begin('web');
  const open = stack.move();
  return {
    addresses: { ldap: service.ldap, http: service.http },
    suffix,
    adminDn: `uid=admin,ou=people,${suffix}`,
    adminPassword: environment['STS_ADMIN_BOOTSTRAP_PASSWORD'] ?? '',
    bases: [service.http, web.http],
    service: service.running,
    web: web.running,
    folder,
    environment,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** An address in the line that says that a process is ready. */
export function addressIn(said: string, scheme: string): string {
  return new RegExp(`ready .*?\\b(${scheme}://\\S+)`).exec(said)?.[1] ?? '';
}
