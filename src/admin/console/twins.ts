import { type Change, rehearse } from '#client';
import { decodeBer, formatLdifRecord, type LdifChange } from '#ldap';
import type { WebRequest } from '#web';
import type { Operation } from '../operations/row.ts';
import { inputFrom, type Member, type Shape } from './forms.ts';
import type { Admin } from './gate.ts';
import { type ConsoleDeps, callOf } from './run.ts';
import { type Command, passwordCommand, requestCommand, writeCommand } from './terminal.ts';

/** Operations that do nothing beside what they ask of the directory: what they would ask is found by having them do it, with nothing sent. */
const directoryAlone: ReadonlySet<string> = new Set([
  ...['users.create', 'users.change', 'users.delete', 'users.disable', 'users.enable', 'users.restore', 'users.set-password'],
  ...['users.clear-key', 'users.clear-totp', 'users.clear-backup-codes', 'users.create-app-password', 'users.revoke-app-password'],
  ...['groups.create', 'groups.change', 'groups.delete', 'groups.restore', 'groups.add-members', 'groups.remove-members'],
  ...['applications.create', 'applications.change', 'applications.delete', 'applications.restore', 'applications.make-secret'],
  ...['entries.create', 'entries.change', 'entries.rename', 'entries.delete'],
  ...['access.create', 'access.change', 'access.delete', 'config.set', 'config.reset', 'keys.rotate', 'backup.create'],
  ...['policies.save-authn-policy', 'policies.reset-authn-policy', 'policies.save-password-policy', 'policies.reset-password-policy'],
  ...['realms.create', 'realms.change', 'realms.remove'],
]);

const passwordModifyOid = '1.3.6.1.4.1.4203.1.11.1';

/**
 * How directory tools do the same as an operation, request by request; nothing for one that is more than its requests to the directory, or that cannot be done
 * as it stands.
 *
 * @param given  what is known of its members; of what is needed beside it an example stands in
 */
export async function directoryCommands(
  deps: ConsoleDeps,
  request: WebRequest,
  admin: Admin,
  row: Operation,
  shape: Shape,
  given: Readonly<Record<string, string>>,
): Promise<readonly (Command | undefined)[]> {
  if (!directoryAlone.has(row.name) || admin.ldapUrl === undefined) return [];
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const examples = Object.fromEntries(
    shape.required
      .filter((name) => !Object.hasOwn(known, name))
      .map((name) => [name, exampleOf(name, shape.properties[name], request, admin)]),
  );
  const parsed = row.input.safeParse({ ...inputFrom(shape, known), ...examples });
  if (!parsed.success) return [];
  const { actor, changes } = rehearse(admin.actor);
  try {
    await row.run(callOf(deps, request, { ...admin, actor }), parsed.data);
  } catch {
    // It looks for what it has made, which is not there, or is refused for what stands in for a member: what it asked before is what is shown.
  }
  return commandsOf(admin, changes);
}

function commandsOf(admin: Admin, changes: readonly Change[]): readonly (Command | undefined)[] {
  const ldif = changes.flatMap((change) => recordOf(change) ?? []);
  const asked = changes.flatMap((change) => (change.kind === 'extendedRequest' ? [change] : []));
  return [
    ldif.length === 0 ? undefined : writeCommand(admin, ldif.map(formatLdifRecord).join('')),
    ...asked.map(({ oid, value }) => {
      if (oid !== passwordModifyOid) return requestCommand(admin, oid, value);
      const whose = value && decodeBer(value, (ber) => ber.sequence(() => [ber.string(0x80), ber.more ? ber.string(0x82) : ''] as const));
      return whose && passwordCommand(admin, whose[0].replace(/^dn:/, ''), whose[1] !== '');
    }),
  ];
}

function recordOf(change: Change): LdifChange | undefined {
  const common = { line: 0, controls: [] };
  switch (change.kind) {
    case 'addRequest':
      return { kind: 'add', ...common, dn: change.entry, attributes: change.attributes };
    case 'modifyRequest':
      return { kind: 'modify', ...common, dn: change.object, changes: change.changes };
    case 'delRequest':
      return { kind: 'delete', ...common, dn: change.entry };
    case 'modifyDNRequest': {
      const { newSuperior, newRdn, deleteOldRdn, entry } = change;
      return { kind: 'modrdn', ...common, dn: entry, newRdn, deleteOldRdn, ...(newSuperior === undefined ? {} : { newSuperior }) };
    }
    case 'extendedRequest':
      return undefined;
  }
}

/** What stands in for a member that has yet to be typed: its name in capitals. */
function exampleOf(name: string, member: Member | undefined, { realm }: WebRequest, { acting }: Admin): unknown {
  const word = name.toUpperCase();
  if (name === 'dn') return `cn=NAME,ou=people,${realm.suffix}`;
  if (name === 'members') return [acting.dn];
  if (name === 'newRdn') return 'cn=NEW NAME';
  if (member?.enum !== undefined) return member.enum[0];
  switch (member?.type) {
    case 'object':
      return { description: ['VALUE'] };
    case 'array':
      return [member.items?.enum?.[0] ?? word];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    default:
      return word;
  }
}
