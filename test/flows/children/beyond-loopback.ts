// Runs in a network namespace of its own, whose loopback interface has an address that is not a loopback address (RFC 5737): what connects to it
// comes from there, too, and so from beyond loopback as far as the service can tell. Prints what each door answered.
import { request } from 'node:http';
import { Client } from 'ldapts';
import { startTestAtrium } from '../../support/atrium.ts';
import { runLdapTool } from '../../support/ldap-utils.ts';

const outside = process.argv[2] ?? '';

function ask(port: string, method: string, path: string): Promise<{ readonly status: number; readonly location: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ host: outside, port, method, path, headers: { host: `id.example.com:${port}` } }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '' });
    });
    call.on('error', reject);
    call.end();
  });
}

await using atrium = await startTestAtrium({ settings: { STS_LDAP_HOST: '', STS_HTTP_HOST: '' } });
const port = (url: string | undefined) => new URL((url ?? '').replace(/^ldaps?/, 'http')).port;
const { addresses, adminDn: dn, adminPassword: password } = atrium;
const url = `ldap://${outside}:${port(addresses.ldap)}`;
const clear = await runLdapTool('ldapwhoami', { url, dn, password }, []);
const anonymous = await runLdapTool('ldapwhoami', { url }, []);
// The certificate is not for this address: that is not what is asked here.
const secure = new Client({ url: `ldaps://${outside}:${port(addresses.ldaps)}`, tlsOptions: { rejectUnauthorized: false } });
await secure.bind(dn, password);
await secure.unbind();
const http = port(addresses.http);
const seen = {
  httpsPort: port(addresses.https),
  get: await ask(http, 'GET', '/portal?a=1'),
  post: await ask(http, 'POST', '/authn/login'),
  clear: clear.status,
  words: clear.stderr,
  anonymous: anonymous.status,
  codes: atrium.audit.flatMap(({ errorCode }) => errorCode ?? []),
};
process.stdout.write(`${JSON.stringify(seen)}\n`);
