import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../../bench/process.ts';

/** Files of an authority in a folder, and what it signs. */
export interface Authority {
  readonly caFile: string;
  /** @param usage  `serverAuth` or `clientAuth` */
  sign(name: string, subject: string, usage: string, names?: string): Promise<{ readonly certFile: string; readonly keyFile: string }>;
}

/** Makes an authority with openssl. Its folder must be there. */
export async function makeAuthority(folder: string): Promise<Authority> {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) => runProgram('openssl', args, process.env);
  const key = (name: string) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at(`${name}.key`)];
  await openssl('req', '-x509', ...key('ca'), '-subj', '/CN=Authority of the lab', '-days', '2', '-out', at('ca.pem'));
  return {
    caFile: at('ca.pem'),
    async sign(name, subject, usage, names) {
      await openssl('req', ...key(name), '-subj', subject, '-out', at(`${name}.csr`));
      writeFileSync(at(`${name}.ext`), `extendedKeyUsage=${usage}\n${names === undefined ? '' : `subjectAltName=${names}\n`}`);
      const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', at(`${name}.ext`)];
      await openssl('x509', '-req', '-in', at(`${name}.csr`), ...signed, '-out', at(`${name}.pem`));
      return { certFile: at(`${name}.pem`), keyFile: at(`${name}.key`) };
    },
  };
}
