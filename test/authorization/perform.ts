import { utf8 } from '#base';
import { type Control, decodeBer, encodeBer, type Request } from '#ldap';
import { type Answers, searchOf } from '../directory/driver.ts';
import { type Ask, controlsOf, oids, requestOf, type Search, type Transaction } from './asks.ts';
import type { Passwords } from './outcome.ts';
import type { Asker, PlainEntry, PlainWorld } from './plain.ts';

/** A directory under test. */
export interface Service {
  /** Takes away all that it holds, and puts other entries there. @throws Error for an entry that is refused */
  fill(world: PlainWorld, passwords: Passwords): Promise<void>;
  /** Performs a request as somebody. @param passwords  with which they come in */
  ask(asker: Asker, ask: Ask, passwords: Passwords): Promise<Answers>;
  /** What is stored, read past all rules. */
  stored(): ReadonlyMap<string, PlainEntry> | Promise<ReadonlyMap<string, PlainEntry>>;
  /** The same as long as nothing is stored. */
  state(): unknown;
  /** Lets time pass, where its clock can be moved by hand. */
  pass?(seconds: number): void;
}

/** A connection as somebody. */
export interface Asking {
  readonly ask: (op: Request, controls?: readonly Control[]) => Promise<Answers>;
  /** Of a search that goes on: what it has shown once it only waits; then it is abandoned. */
  readonly follow?: (op: Request, controls: readonly Control[]) => Promise<Answers>;
  /** With every request: as whom. */
  readonly controls: readonly Control[];
}

/** Performs a request, in all the steps that it takes. */
export async function performWith(asking: Asking, ask: Ask): Promise<Answers> {
  if (ask.op === 'transaction') return await transact(asking, ask);
  const own = [...controlsOf(ask), ...(ask.op === 'bind' ? [] : asking.controls)];
  if (ask.op === 'search' && ask.follow === 'persistent' && asking.follow !== undefined) return await asking.follow(requestOf(ask), own);
  const answers = await asking.ask(requestOf(ask), own);
  return ask.op === 'search' && ask.page !== undefined ? await remaining(asking, ask, answers) : answers;
}

/** The pages behind the first, all as one answer. */
async function remaining({ ask: send, controls }: Asking, ask: Search, first: Answers): Promise<Answers> {
  const entries = [...first.entries];
  let last = first;
  for (let cookie = cookieOf(first); cookie.length > 0; cookie = cookieOf(last)) {
    last = await send(requestOf(ask), [...controlsOf(ask, cookie), ...controls]);
    if (last.code !== 0 || (ask.page ?? 0) < last.entries.length) return last;
    entries.push(...last.entries);
  }
  return { ...last, entries, dns: entries.map(({ dn }) => dn), controls: [...first.controls, ...last.controls] };
}

function cookieOf({ controls }: Answers): Uint8Array {
  const value = controls.find(({ oid }) => oid === '1.2.840.113556.1.4.319')?.value ?? new Uint8Array(0);
  return decodeBer(value, (ber) => ber.sequence(() => [ber.number(), ber.octets()] as const))?.[1] ?? new Uint8Array(0);
}

/** RFC 5805: begun, its updates handed in, ended. The first refusal is the answer. */
async function transact({ ask, controls }: Asking, { updates }: Transaction): Promise<Answers> {
  const begun = await ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.1' }, controls);
  const identifier = begun.last.kind === 'extendedResponse' ? begun.last.value : undefined;
  if (begun.code !== 0 || identifier === undefined) return begun;
  for (const update of updates) {
    const queued = await ask(requestOf(update), [...controlsOf(update), { oid: oids.transaction, critical: true, value: identifier }]);
    if (queued.code !== 0) return queued;
  }
  const value = encodeBer((ber) => ber.sequence(() => ber.octets(identifier)));
  return await ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.3', value });
}

/**
 * Empties a directory and fills it, as an operator. Realms that are made stay, and their suffixes.
 *
 * @param stored  the names of what it holds
 * @param emptied  told when nothing of that is left
 */
export async function refill(
  ask: Asking['ask'],
  stored: Iterable<string>,
  { realms, entries }: PlainWorld,
  passwords: Passwords,
  emptied: () => void = () => undefined,
): Promise<void> {
  const must = ({ code, result }: Answers, dn: string, ...others: readonly number[]) => {
    if (![0, ...others].includes(code)) throw new Error(`${dn}: ${code} ${result.diagnostic}`);
  };
  const add = async (dn: string, attributes: PlainEntry['attributes']) => must(await ask(requestOf({ op: 'add', dn, attributes })), dn, 68);
  const [first, inner] = realms;
  const stays = (dn: string) => realms.some(({ suffix }) => suffix === dn) || dn.includes('ou=realms,');
  // Groups before those whom they name: a name that goes with its entry takes a number, and two directories would not count alike any more.
  const isGroup = (dn: string) => Number(/^cn=[^,]*,ou=groups,/.test(dn));
  const deepest = [...stored]
    .filter((dn) => !stays(dn))
    .sort((a, b) => isGroup(b) - isGroup(a) || b.split(',').length - a.split(',').length);
  for (const dn of deepest) must(await ask({ kind: 'delRequest', entry: dn }), dn);
  emptied();
  for (const [at, { dn, attributes }] of [...entries.values()].entries()) {
    const password = passwords.get(dn);
    const secret = password === undefined ? {} : { userPassword: [password] };
    await add(dn, { ...attributes, ...secret });
    if (at > 0 || inner === undefined || first === undefined) continue;
    await add(`ou=realms,${first.suffix}`, { objectClass: ['organizationalUnit'], ou: ['realms'] });
    const made = await ask(
      requestOf({
        op: 'add',
        dn: `cn=sub,ou=realms,${first.suffix}`,
        attributes: { objectClass: ['stsRealmEntry'], cn: ['sub'], stsRealmId: ['sub'], associatedDomain: ['sub.example.com'] },
      }),
    );
    must(made, inner.suffix, 68);
    // What a realm begins with goes, too.
    const begun =
      made.code === 0 ? await ask({ ...searchOf(inner.suffix, '(objectClass=*)'), scope: 'children', attributes: ['1.1'] }) : undefined;
    for (const each of [...(begun?.dns ?? [])].sort((a, b) => b.split(',').length - a.split(',').length))
      must(await ask({ kind: 'delRequest', entry: each }), each);
  }
}

/** RFC 4370 */
export function proxied(dn: string): Control {
  return { oid: oids.proxied, critical: true, value: utf8(`dn:${dn}`) };
}
