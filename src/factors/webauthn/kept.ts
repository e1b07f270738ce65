import { utf8 } from '#base';
import { type ErrorRow, refuse } from '#catalogue';
import { ClientRefusal, type DirectoryClient, equals, type SessionOf } from '#client';
import { factorAttributes, type Holdings, holdingsOf, parseSecurityKey, printSecurityKey, type SecurityKey } from '#holdings';
import { type Filter, type Modification, resultCodes } from '#ldap';
import { errors } from './errors.ts';

/** In whose name a person's keys are changed: their own, with the session they have or are about to have. */
export interface InName {
  readonly dn: string;
  readonly session: SessionOf;
}

type Client = Pick<DirectoryClient, 'as'>;

/** How often an entry may be changed by others while one more key is added to it. */
const triesMax = 5;

/**
 * Adds a key: its id, which no other entry of any realm may have, and what is kept of it, in one change.
 *
 * @param check  throws where what the person holds leaves no room for it. It holds at the moment of the commit: of two keys added at once the second is
 *               judged by what the first has made of the entry
 */
export async function addKey(client: Client, person: InName, key: SecurityKey, check: (holdings: Holdings) => void): Promise<void> {
  const value = printSecurityKey(key);
  // What could not be read back would be a key that nobody holds, with an id that nobody else may have.
  if (parseSecurityKey(value) === undefined) throw refuse(errors.registrationRefused, { why: 'it does not fit what is kept of a key' });
  const changes: readonly Modification[] = [
    { operation: 'add', attribute: { description: 'stsCredentialId', values: [idOf(key)] } },
    { operation: 'add', attribute: { description: 'stsWebauthnCredential', values: [utf8(value)] } },
  ];
  const rows = {
    [resultCodes.constraintViolation]: errors.credentialTaken,
    [resultCodes.attributeOrValueExists]: errors.credentialTaken,
  };
  for (let tries = 1; ; tries++) {
    const entry = await client.as('self').read(person.dn, ['entryCSN', ...factorAttributes]);
    const csn = entry?.one('entryCSN');
    if (entry === undefined || csn === undefined) throw refuse(errors.notWritten, { why: 'the entry is gone' });
    check(holdingsOf(entry));
    if (await change(client, person, changes, rows, equals('entryCSN', csn))) return;
    if (tries === triesMax) throw refuse(errors.notWritten, { why: 'the entry is changed by others all the time' });
  }
}

/**
 * Puts a key in the place of what it was when it was read. Of two who do so at once one is refused.
 *
 * @param gone  what the refusal is when it is not that any more
 */
export async function replaceKey(client: Client, person: InName, was: SecurityKey, is: SecurityKey, gone: ErrorRow): Promise<void> {
  const [before, after] = [utf8(printSecurityKey(was)), utf8(printSecurityKey(is))];
  await change(
    client,
    person,
    [
      { operation: 'delete', attribute: { description: 'stsWebauthnCredential', values: [before] } },
      { operation: 'add', attribute: { description: 'stsWebauthnCredential', values: [after] } },
    ],
    { [resultCodes.noSuchAttribute]: gone },
  );
}

/** Removes a key as it was read. */
export async function removeKey(client: Client, person: InName, key: SecurityKey): Promise<void> {
  await change(client, person, [
    { operation: 'delete', attribute: { description: 'stsWebauthnCredential', values: [utf8(printSecurityKey(key))] } },
    { operation: 'delete', attribute: { description: 'stsCredentialId', values: [idOf(key)] } },
  ]);
}

/** @returns false when what was asserted does not hold */
async function change(
  client: Client,
  { dn, session }: InName,
  changes: readonly Modification[],
  rows: Readonly<Record<number, ErrorRow>> = {},
  asserted?: Filter,
): Promise<boolean> {
  try {
    await client.as({ dn, session }).modify(dn, changes, asserted);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    if (asserted !== undefined && thrown.code === resultCodes.assertionFailed) return false;
    throw refuse(rows[thrown.code] ?? errors.notWritten, { why: thrown.message });
  }
}

function idOf({ id }: SecurityKey): Uint8Array {
  return new Uint8Array(Buffer.from(id, 'base64url'));
}
