import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import { type Filter, formatDn, formatFilter, type Message, type Request } from '#ldap';
import { dn as anyDn, filter as anyFilter } from '../ldap/arbitraries.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { rawServer } from '../support/raw-ldap.ts';

const seed = Number(process.env['TEXTS_SEED'] ?? 20_261_121);
const again = `TEXTS_SEED=${seed} draws them again`;

type Search = Request & { readonly kind: 'searchRequest' };
const success = { code: 0, matchedDN: '', diagnostic: '' };

/** A server that keeps the searches that it is asked, and finds nothing. */
async function listen(t: ExecutionContext) {
  const asked: Search[] = [];
  const server = createServer((socket) => {
    rawServer(socket, ({ op }: Message, answer) => {
      if (op.kind === 'bindRequest') answer({ kind: 'bindResponse', result: success });
      if (op.kind !== 'searchRequest') return;
      asked.push(op);
      answer({ kind: 'searchResultDone', result: success });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `ldap://127.0.0.1:${address.port}`, asked };
}

/** What must be escaped, and what need not be. */
const value = fc
  .string({
    unit: fc.constantFrom('*', '(', ')', '\\', '\0', '\n', ' ', '=', ':', '&', '%', 'a', 'é', '漢', '🙂'),
    minLength: 1,
    maxLength: 6,
  })
  .map(utf8);
const special: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('equality' as const, 'approx' as const, 'lessOrEqual' as const),
    description: fc.constant('cn'),
    value,
  }),
  fc.record({
    kind: fc.constant('substrings' as const),
    description: fc.constant('cn'),
    initial: value,
    any: fc.array(value, { maxLength: 2 }),
    final: value,
  }),
  fc.record({
    kind: fc.constant('extensible' as const),
    description: fc.constant('cn'),
    rule: fc.constant('2.5.13.5'),
    value,
    dnAttributes: fc.boolean(),
  }),
);

withLdapUtils(test)('RFC 4515: filters that we write as text come back from ldapsearch as they were', async (t) => {
  const { url, asked } = await listen(t);
  const folder = mkdtempSync(join(tmpdir(), 'atrium-texts-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const texts = [...fc.sample(anyFilter, { numRuns: 400, seed }), ...fc.sample(special, { numRuns: 400, seed })].map(formatFilter);
  const file = join(folder, 'filters');
  writeFileSync(file, texts.map((each) => `${each.slice(1, -1)}\n`).join(''));
  // What begins with no bracket ldapsearch takes for the name of an attribute.
  const { status, stderr } = await runLdapTool('ldapsearch', { url }, ['-c', '-b', '', '-f', file, '(%s)', '1.1']);
  t.deepEqual([status, stderr], [0, '']);
  t.is(asked.length, texts.length);
  t.deepEqual(
    texts.filter((each, at) => each !== (asked[at] && formatFilter(asked[at].filter))),
    [],
    again,
  );
});

withLdapUtils(test)('RFC 4514: names that we write as text leave ldapsearch as they were', async (t) => {
  const { url, asked } = await listen(t);
  const names = fc.sample(anyDn, { numRuns: 25, seed }).map(formatDn);
  for (const name of names) t.is((await runLdapTool('ldapsearch', { url }, ['-b', name, '-s', 'base', '1.1'])).status, 0, name);
  t.deepEqual(
    asked.map(({ baseObject }) => baseObject),
    names,
    again,
  );
});
