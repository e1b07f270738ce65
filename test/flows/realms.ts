import { Attribute, Change, type Client } from 'ldapts';
import type { TestAtrium } from '../support/atrium.ts';
import { asAdministrator, type TestPerson } from './people.ts';

export interface TestRealm {
  readonly id: string;
  readonly suffix: string;
  readonly dn: string;
}

/** Makes a realm as an administrator does: by adding its entry. */
export async function addRealm(atrium: TestAtrium, id: string, more: Readonly<Record<string, string | string[]>> = {}): Promise<TestRealm> {
  const registry = `ou=realms,${atrium.suffix}`;
  const dn = `cn=${id},${registry}`;
  await asAdministrator(atrium, async (client) => {
    await client.add(dn, { objectClass: 'stsRealmEntry', cn: id, stsRealmId: id, ...more });
  });
  const domain = more['associatedDomain'];
  const suffix =
    typeof domain === 'string'
      ? domain
          .split('.')
          .map((label) => `dc=${label}`)
          .join(',')
      : `o=${id}`;
  return { id, suffix, dn };
}

/** Adds a person to a realm, with a password of the caller's. */
export async function addPersonTo(
  atrium: TestAtrium,
  { suffix }: TestRealm,
  uid: string,
  cn: string,
  password: string,
): Promise<TestPerson> {
  const dn = `uid=${uid},ou=people,${suffix}`;
  await asAdministrator(atrium, (client) =>
    client.add(dn, { objectClass: 'inetOrgPerson', uid, cn, sn: cn, displayName: cn, userPassword: password }),
  );
  return { uid, dn, password };
}

/** Replaces the values of an attribute of an entry; without values it goes. */
export function replaceValues(atrium: TestAtrium, dn: string, type: string, values: string[]): Promise<void> {
  return asAdministrator(atrium, (client: Client) =>
    client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values }) })),
  );
}
