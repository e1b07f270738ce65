import { text } from '#base';
import { factorAttributes } from '#holdings';
import { parseDn } from '#ldap';
import { type Schema, typeOfKey } from '#schema';
import type { Reply, WebRequest } from '#web';
import type { Operation } from '../operations/row.ts';
import { type Admin, findAdmin, type GateDeps, type Needs } from './gate.ts';
import { readSchema } from './schema.ts';

/** What people sign in with, keys, rules of access, and files that may hold any of them. */
const names =
  /^(?:users\.(?:set-|setP|clear|issue|create-app|createApp|revoke-app|revokeApp)|keys\.|applications\.(?:setSecret|set-secret)|access\.|ldif\.)/;

/** Members that name an entry, or a part of its name. */
const naming = ['dn', 'newRdn', 'newSuperior'] as const;

/**
 * Whether an authentication of long ago does not do for a deed: whoever finds a browser open gets no way in by it that stays.
 *
 * @param given  of the page the address, of what is sent the form: a dry run writes nothing, and what is about any entry counts where it names a rule of access
 */
export function takesFresh({ name, scope }: Operation, given: URLSearchParams): boolean {
  if (scope !== 'admin:write' || given.get('dryRun') === 'true') return false;
  if (names.test(name)) return true;
  return name.startsWith('entries.') && naming.some((member) => given.getAll(member).some(isRuleName));
}

/** The same of what is sent, which may name attributes by which people sign in. */
export async function sendsFresh(row: Operation, given: URLSearchParams, { actor }: Pick<Admin, 'actor'>): Promise<boolean> {
  if (takesFresh(row, given)) return true;
  const attributes = row.method === 'PATCH' ? namesIn(given.get('attributes') ?? '') : [];
  return attributes.length > 0 && isWayIn(await readSchema(actor), attributes);
}

/** The way to the sign-in, for who has not just signed in; nothing for others. */
export async function freshSignIn(deps: GateDeps, request: WebRequest, needs: Needs): Promise<Reply | undefined> {
  const found = await findAdmin(deps, request, { ...needs, fresh: true });
  return found.kind === 'reply' ? found.reply : undefined;
}

/** Names of members of an object in JSON; none of anything else. */
function namesIn(json: string): readonly string[] {
  try {
    return Object.keys(Object(JSON.parse(json)));
  } catch {
    return [];
  }
}

/**
 * Whether an entry of this name would be a rule of access, or is what they stand below.
 *
 * @param dn  or a part of one; however it is spelled: what only looks alike counts, too
 */
export function isRuleName(dn: string): boolean {
  return (parseDn(dn) ?? []).slice(0, 2).some((rdn) => rdn.some(({ value }) => isRules(text(value) ?? '')));
}

/** Letters alone: the directory passes over cases, spaces and characters that nobody sees (RFC 4518 §2). */
function isRules(value: string): boolean {
  return value.normalize('NFKC').toLowerCase().replace(/\P{L}/gu, '') === 'accessrules';
}

/** Whether people sign in with what one of these attributes of theirs holds. A mail address is told to them when it changes, and lets nobody in by itself. */
export function isWayIn(schema: Schema, descriptions: readonly string[]): boolean {
  return descriptions.some((description) => {
    const type = schema.attributeType(typeOfKey(description.toLowerCase()));
    return type !== undefined && (type.secret || (type.name !== 'mail' && factorAttributes.includes(type.name)));
  });
}
