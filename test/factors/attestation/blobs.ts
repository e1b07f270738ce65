import 'reflect-metadata';
import { KeyObject, sign } from 'node:crypto';
import { SubjectAlternativeNameExtension } from '@peculiar/x509';
import { type Made, makeCertificate } from './make.ts';

export interface BlobWish {
  readonly number?: unknown;
  readonly nextUpdate?: unknown;
  readonly entries?: unknown;
  readonly alg?: string;
  readonly x5c?: readonly string[];
}

/** Somebody who signs blobs, below a root. */
export async function makeSigner(root: Made, wish: Parameters<typeof makeCertificate>[0] & { readonly host?: string } = {}): Promise<Made> {
  const { host, ...rest } = wish;
  const names = host === undefined ? [] : [new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])];
  return await makeCertificate({ subject: 'CN=Metadata', issuer: root, extensions: names, ...rest });
}

/** A metadata blob (FIDO Metadata Service 3). */
export function makeBlob(signer: Made, { number = 7, nextUpdate = '2026-12-24', entries = [], alg = 'ES256', x5c }: BlobWish = {}): Buffer {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg, typ: 'JWT', x5c: x5c ?? [Buffer.from(signer.der).toString('base64')] });
  const body = part({ legalHeader: 'A test.', no: number, nextUpdate, entries });
  const key = KeyObject.from(signer.keys.privateKey);
  const signature = sign('sha256', Buffer.from(`${header}.${body}`), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return Buffer.from(`${header}.${body}.${signature}`);
}

/** An entry as the service publishes it. */
export function makeEntry(
  aaguid: string | undefined,
  statuses: readonly (string | readonly [status: string, date: string])[],
  roots: readonly Made[] = [],
  more: object = {},
) {
  return {
    ...(aaguid === undefined ? {} : { aaguid }),
    metadataStatement: {
      description: 'Test Key',
      attestationTypes: ['basic_full'],
      attestationRootCertificates: roots.map(({ der }) => Buffer.from(der).toString('base64')),
      icon: 'data:image/png;base64,AAAA',
      ...more,
    },
    statusReports: statuses.map((each) =>
      typeof each === 'string' ? { status: each, effectiveDate: '2026-01-01' } : { status: each[0], effectiveDate: each[1] },
    ),
    timeOfLastStatusChange: '2026-01-01',
  };
}
