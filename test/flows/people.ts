import { Client } from 'ldapts';
import { parseDn } from '#ldap';
import type { TestAtrium } from '../support/atrium.ts';

/** A service that an administrator may write to, in this process or in another. */
export type Written = Pick<TestAtrium, 'addresses' | 'suffix' | 'adminDn' | 'adminPassword'>;

export interface TestPerson {
  readonly uid: string;
  readonly dn: string;
  readonly password: string;
}

/** Does something over LDAP as the administrator. */
export async function asAdministrator<T>(atrium: Written, act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  try {
    await client.bind(atrium.adminDn, atrium.adminPassword);
    return await act(client);
  } finally {
    await client.unbind();
  }
}

/** Adds a person over LDAP, as an administrator would. */
export async function addPerson(atrium: Written, uid: string, name: string): Promise<TestPerson> {
  const dn = `uid=${uid},ou=people,${atrium.suffix}`;
  if (parseDn(dn) === undefined) throw new Error(`no DN: ${dn}`);
  const password = `Analytical-Engine-1843-${uid}`;
  const [givenName = '', sn = ''] = name.split(' ');
  await asAdministrator(atrium, (client) =>
    client.add(dn, {
      objectClass: ['inetOrgPerson'],
      uid,
      cn: name,
      displayName: name,
      givenName,
      sn,
      mail: `${uid}@example.com`,
      title: 'Analyst',
      telephoneNumber: '+44 20 7946 0123',
      userPassword: password,
    }),
  );
  return { uid, dn, password };
}
