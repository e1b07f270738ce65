import { ClientRefusal, type DirectoryClient, present } from '#client';
import { resultCodes } from '#ldap';

/** Entries of a realm that are looked at. */
const anchorsMax = 200;

/**
 * The certificates (DER) that a realm keeps below `ou=trustAnchors`, in `cACertificate` of whatever entries.
 *
 * @param suffix  of the realm
 */
export async function anchorsBelow(client: Pick<DirectoryClient, 'as'>, suffix: string): Promise<readonly Uint8Array[]> {
  try {
    const { entries } = await client.as('self').search({
      base: `ou=trustAnchors,${suffix}`,
      scope: 'sub',
      filter: present('cACertificate'),
      attributes: ['cACertificate'],
      sizeLimit: anchorsMax,
    });
    // With its option: RFC 4523 §2.2 has it transferred as `cACertificate;binary`.
    const isOne = (description: string) => description.split(';')[0]?.toLowerCase() === 'cacertificate';
    return entries.flatMap(({ attributes }) => attributes.flatMap(({ description, values }) => (isOne(description) ? values : [])));
  } catch (thrown) {
    // A realm without the place has none.
    if (thrown instanceof ClientRefusal && thrown.code === resultCodes.noSuchObject) return [];
    throw thrown;
  }
}
