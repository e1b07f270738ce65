import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { addApplication } from '../oauth/house.ts';
import { openConsoleHouse } from './console-house.ts';

const house = await openConsoleHouse();
const { atrium, reader, get, base } = house;
const run = promisify(execFile);

test.after.always(() => house[Symbol.asyncDispose]());

/** What the page of an application shows under a heading, as it is copied. */
async function shownOf(name: string): Promise<ReadonlyMap<string, string>> {
  const list = await get(`/admin/applications?q=${name}`, reader);
  const path = /href="(\/admin\/applications\/[0-9a-f-]{36})"/.exec(list.body)?.[1] ?? '';
  const [body = ''] = (await get(path, reader)).body.split('ldapsearch');
  const plain = (html: string) =>
    html.replace(/&(lt|gt|quot|#39|amp);/g, (_, entity: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[entity] ?? '');
  return new Map(
    [...body.matchAll(/<h3>(.*?)<\/h3><pre[^>]*><code>(.*?)<\/code>/gs)].map(([, head = '', code = '']) => [head, plain(code)]),
  );
}

test('how to connect: what is shown to an application of a named server that pushes its requests leads to that server, and is taken there', async (t) => {
  const { secret } = await addApplication({ atrium }, 'pushes', { stsServer: 'ops', stsRequirePar: 'TRUE' });
  const shown = await shownOf('pushes');
  t.regex(shown.get('Any client') ?? '', new RegExp(`^Issuer +${base}/ops$`, 'm'));
  t.deepEqual([...shown.keys()], ['Any client', 'openid-client (Node)'], 'Apache’s module pushes no requests');
  const [code = ''] = (shown.get('openid-client (Node)') ?? '').replace('SECRET', secret).split('// Send the browser');
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', `${code}console.log(url.href);`]);
  t.regex(stdout, new RegExp(`^${base}/ops/oauth2/authorize\\?.*request_uri=`));
  const { pathname, search } = new URL(stdout.trim());
  t.regex((await get(pathname + search)).location, /\/authn\/login\?/);
});

test('how to connect: an application that acts for itself is shown no sign-in, and the line of shell gives it a token', async (t) => {
  const more = { stsGrantType: 'client_credentials', stsAllowedResource: 'urn:atrium:admin-api' };
  const { secret } = await addApplication({ atrium }, 'itself', more);
  const shown = await shownOf('itself');
  t.deepEqual([...shown.keys()], ['Any client', 'A token of its own, by curl']);
  const line = (shown.get('A token of its own, by curl') ?? '').replace('SECRET', secret);
  const { stdout } = await run('bash', ['-c', `${line} -s`]);
  t.like(JSON.parse(stdout), { token_type: 'Bearer', scope: 'admin:read admin:write' });
});

test('how to connect: a device is shown how it asks for its code', async (t) => {
  const more = { stsGrantType: 'urn:ietf:params:oauth:grant-type:device_code', stsTokenEndpointAuthMethod: 'none' };
  await addApplication({ atrium }, 'telly', more);
  const line = (await shownOf('telly')).get('A device without a browser, by curl') ?? '';
  const { stdout } = await run('bash', ['-c', `${line.split('\n')[0]} -s`]);
  t.truthy((JSON.parse(stdout) as { user_code?: string }).user_code);
});
