import { readFileSync } from 'node:fs';
import { readAttestationObject } from './src/factors/attestation/object.ts';
import { formats } from './src/factors/attestation/formats/table.ts';
import { findPath, readCertificate, sha256 } from '#keys';
const v = JSON.parse(readFileSync('/tmp/h-attest-vectors.json','utf8'));
const root = readCertificate(Buffer.from(v.root,'hex'))!;
for (const x of v.vectors) {
  try {
  const o = readAttestationObject(Buffer.from(x.registration.attestationObject,'hex'));
  const b = formats[o.format]!({ statement: o.statement, data: o.data, clientDataHash: sha256(Buffer.from(x.registration.clientDataJSON,'hex')), nowMs: Date.parse('2026-01-01')});
  console.log(x.name, o.format, b.map(k => k.kind === 'chain' ? findPath(k.chain, [root], Date.parse('2026-01-01')).kind + ' ' + k.chain.length : k.kind));
  } catch (e) { console.log(x.name, e); }
}
