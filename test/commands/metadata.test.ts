import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeBlob, makeEntry, makeSigner } from '../factors/attestation/blobs.ts';
import { makeCertificate, model } from '../factors/attestation/make.ts';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';

const root = await makeCertificate({ subject: 'CN=Metadata Root' });
const signer = await makeSigner(root);
const esc = String.fromCharCode(27);

test('metadata that were verified are installed, and shown with the models that they report', async (t) => {
  const { run, dataDir } = folder(t);
  const entries = [
    makeEntry(model, ['REVOKED'], [], { description: `A${esc}[2Jkey` }),
    makeEntry('00000000-0000-0000-0000-000000000001', []),
  ];
  const installed = await run(['metadata', 'install', 'blob.jwt'], makeBlob(signer, { number: 7, entries }));
  t.is(installed.status, 0, installed.stderr);
  t.is(
    installed.stdout,
    `Installed: number 7, the next one is due on 2026-12-24; 2 models, 1 of them reported.\n  REVOKED  ${model}  A [2Jkey\n`,
  );
  t.true(existsSync(join(dataDir, 'metadata', 'blob.jwt')));
  const shown = await run(['metadata', 'show', '--json']);
  t.deepEqual(JSON.parse(shown.stdout), {
    ...{ number: 7, nextUpdate: '2026-12-24', models: 2, installed: false },
    reported: [{ aaguid: model, description: 'A [2Jkey', status: 'REVOKED' }],
  });
});

test('metadata are not installed when their number goes back, and showing others changes nothing', async (t) => {
  const { run, dataDir } = folder(t);
  const file = join(dataDir, 'metadata', 'blob.jwt');
  t.is((await run(['metadata', 'install', 'blob.jwt'], makeBlob(signer, { number: 7 }))).status, 0);
  const before = readFileSync(file);
  t.is((await run(['metadata', 'show', 'blob.jwt'], makeBlob(signer, { number: 9 }))).status, 0);
  const back = await run(['metadata', 'install', 'blob.jwt'], makeBlob(signer, { number: 6 }));
  t.is(back.status, 1);
  t.regex(back.stderr, /its number is 6, and 7 was accepted before/);
  t.deepEqual(readFileSync(file), before);
  t.is((await run(['metadata', 'install', 'blob.jwt'], makeBlob(signer, { number: 8 }))).status, 0);
});

test('metadata of another root than the service’s are refused', async (t) => {
  const { run } = folder(t);
  const refused = await run(['metadata', 'install', 'blob.jwt'], makeBlob(await makeSigner(await makeCertificate())));
  t.is(refused.status, 1);
  t.regex(refused.stderr, /leads to none of the roots/);
  t.is((await run(['metadata', 'show'])).status, 3);
});

function folder(t: ExecutionContext) {
  const base = mkdtempSync(join(tmpdir(), 'atrium-metadata-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const dataDir = join(base, 'data');
  const roots = join(base, 'roots.pem');
  writeFileSync(roots, root.pem);
  const environment = { ...testEnvironment(dataDir), STS_RISK_MDS_ROOT_FILE: roots };
  const run = async (args: readonly string[], blob?: Buffer) => {
    if (blob !== undefined) writeFileSync(join(base, 'blob.jwt'), blob);
    return await runCli(
      args.map((each) => (each === 'blob.jwt' ? join(base, each) : each)),
      environment,
    );
  };
  return { run, dataDir };
}
