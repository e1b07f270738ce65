import test, { type ExecutionContext } from 'ava';
import { operations } from '#admin';
import { commands } from '#commands';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { type Ended, runCli } from '../support/cli.ts';

const atrium = await startTestAtrium();
test.after.always(() => atrium[Symbol.asyncDispose]());
const dnOf = (cn: string) => `cn=${cn},ou=applications,${atrium.suffix}`;

const run = (...args: readonly string[]): Promise<Ended> => runCli(args, testEnvironment(atrium.dataDir));

async function json(t: ExecutionContext, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { status, stdout, stderr } = await run(...args, '--json');
  t.is(status, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function token(clientId: string, secret: string): Promise<{ readonly status: number; readonly error: unknown }> {
  const response = await fetch(`${atrium.addresses.http}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'admin:read', resource: `${atrium.addresses.http}/admin-api` }),
  });
  const body = (await response.json()) as { error?: unknown };
  return { status: response.status, error: body.error };
}

test('atrium application: from nothing to a client that gets tokens, with a secret that is told once, changed, renewed and removed', async (t) => {
  const made = await json(
    t,
    ...['application', 'add', 'Reporting Tool', '--grant', 'client_credentials', '--description', 'numbers for Monday'],
    ...['--resource', 'urn:atrium:admin-api', '--scope', 'admin:read'],
  );
  t.deepEqual([made['dn'], made['clientId']], [dnOf('Reporting Tool'), 'reporting-tool']);
  const first = String(made['secret']);
  t.is((await token('reporting-tool', first)).status, 200);

  const shown = await run('application', 'show', 'reporting-tool');
  t.regex(shown.stdout, /^ {2}secret +it has one$/m);
  t.false(shown.stdout.includes(first), 'told once');
  for (const word of ['monday', 'ting-t']) t.regex((await run('application', 'list', word)).stdout, /^Reporting Tool {2}reporting-tool /m);

  const unasked = await run('application', 'secret', 'reporting-tool');
  t.deepEqual([unasked.status, /nothing was done/.test(unasked.stderr)], [2, true]);
  const second = String((await json(t, 'application', 'secret', 'reporting-tool', '--yes'))['secret']);
  t.deepEqual([(await token('reporting-tool', first)).status, (await token('reporting-tool', second)).status], [401, 200]);

  await json(t, 'application', 'change', 'Reporting Tool', '--grant', 'authorization_code', '--redirect-uri', 'https://r.example.com/back');
  t.is((await token('reporting-tool', second)).status, 400, 'in force at the next request');
  const unset = await json(t, 'application', 'change', 'reporting-tool', '--unset', 'description', '--grant', 'client_credentials');
  t.deepEqual(unset['changed'], ['stsGrantType', 'description']);
  t.is((await token('reporting-tool', second)).status, 200);
  const { attributes } = (await json(t, 'application', 'show', dnOf('Reporting Tool'))) as { attributes: Record<string, unknown> };
  t.deepEqual([attributes['stsGrantType'], attributes['description']], [['client_credentials'], undefined]);

  t.is((await run('application', 'remove', 'reporting-tool', '--yes')).stdout, `removed ${dnOf('Reporting Tool')}\n`);
  t.deepEqual((await token('reporting-tool', second)).error, 'invalid_client');
});

test('atrium application: one that can keep no secret gets none, and is refused one', async (t) => {
  const made = await json(t, 'application', 'add', 'Phone', '--auth', 'none', '--redirect-uri', 'com.example.phone:/back');
  t.deepEqual(made, { dn: dnOf('Phone'), clientId: 'phone' });
  const asked = await run('application', 'secret', 'phone', '--yes');
  t.deepEqual(
    [asked.status, asked.stderr],
    [1, `atrium: ${dnOf('Phone')} shows who it is by none, and takes no secret. See: atrium application change\n`],
  );
});

const mistakes: readonly (readonly [args: readonly string[], status: number, says: RegExp])[] = [
  [['add', '…'], 2, /no client id can be made of that name: give one with --client-id/],
  [['add', 'x', '--redirect-uri', 'https://*.example.com/'], 1, /was not added: .*a \* stands for nothing/],
  [['add', 'x', '--group', 'nobodies'], 3, /there is no group "nobodies"/],
  [['add', 'x', '--attribute', 'userPassword=secret'], 2, /--attribute takes no userPassword/],
  [['add', 'x', '--grant', 'implicit'], 2, /--grant is authorization_code, .*not "implicit"/],
  [['change', 'wiky'], 3, /there is no application "wiky"; wiki is meant, perhaps\. See: atrium application list/],
  [['change', 'wiki'], 2, /nothing is named that should change/],
  [['change', 'wiki', '--url', 'https://w.example.com', '--unset', 'url'], 2, /url is set and unset/],
  [['add', 'wiki', '--client-id', 'other'], 1, /is there already\. See: atrium application show "wiki"/],
  [['add', 'other', '--client-id', 'wiki'], 1, /was not added/],
];

test('atrium application: what cannot be done is told in plain words, and nothing is half done', async (t) => {
  await json(t, 'application', 'add', 'wiki', '--redirect-uri', 'https://wiki.example.com/back');
  for (const [args, status, says] of mistakes) {
    const ended = await run('application', ...args);
    t.is(ended.status, status, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
    t.regex(ended.stderr, says);
  }
  const list = await run('application', 'list');
  t.notRegex(list.stdout, /^(x|other) /m);
});

test('the command that an operation names is one that there is', (t) => {
  const names = new Set(Object.keys(commands));
  const unknown = operations.flatMap(({ name, command = 'why' }) => {
    const [noun = '', verb = ''] = command.split(' ');
    return names.has(noun) || names.has(`${noun} ${verb}`) ? [] : [`${name}: ${command}`];
  });
  t.deepEqual(unknown, []);
});
