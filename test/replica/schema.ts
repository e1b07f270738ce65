import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../bench/process.ts';

const ours = join(import.meta.dirname, '..', '..', 'schema');
/** Files of slapd's own that it needs to know itself by; what is Atrium's alone follows them. */
const stock = ['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`);
/** What slapd writes by itself in its own way: no entry of a copy has it from Atrium. */
const left = new Set(['operational.schema']);

/** The lines that give slapd the schema of Atrium: what it does not have already. */
export async function slapdSchema(folder: string): Promise<string[]> {
  const known = await knownOids(folder);
  const file = join(folder, 'atrium.schema');
  const definitions = readdirSync(ours)
    .sort()
    .filter((name) => name.endsWith('.schema') && !left.has(name))
    .flatMap((name) => definitionsOf(readFileSync(join(ours, name), 'utf8')));
  // Types before the classes that have them.
  const fresh = definitions.filter(({ oid }) => !known.has(oid)).sort((a, b) => Number(a.isClass) - Number(b.isClass));
  writeFileSync(file, fresh.map(({ text }) => `${text}\n`).join('\n'));
  return [...stock, `include ${file}`];
}

/** What a slapd with its own files defines, built in or read. */
async function knownOids(folder: string): Promise<ReadonlySet<string>> {
  const [config, written] = [join(folder, 'bare.conf'), join(folder, 'bare')];
  writeFileSync(config, `${stock.join('\n')}\n`);
  mkdirSync(written);
  await runProgram('/usr/sbin/slaptest', ['-f', config, '-F', written]);
  const top = join(written, 'cn=config');
  const files = [join(top, 'cn=schema.ldif'), ...readdirSync(join(top, 'cn=schema')).map((name) => join(top, 'cn=schema', name))];
  const oids = files.flatMap((name) =>
    [...readFileSync(name, 'utf8').matchAll(/^olc(?:AttributeTypes|ObjectClasses): (?:\{\d+\})?\( ([\d.]+)/gm)].map(([, oid]) => oid ?? ''),
  );
  return new Set(oids);
}

function definitionsOf(text: string) {
  // slapd takes no operational attributes from files: to a copy these are attributes like others.
  const plain = text.replace(/^#.*\n/gm, '').replace(/\bUSAGE \w+|\bNO-USER-MODIFICATION\b/g, '');
  return plain
    .split(/^(?=attributetype|objectclass)/im)
    .filter((each) => /^(attributetype|objectclass)/i.test(each))
    .map((each) => ({ text: each.trim(), oid: /\(\s*([\d.]+)/.exec(each)?.[1] ?? '', isClass: /^objectclass/i.test(each) }));
}
