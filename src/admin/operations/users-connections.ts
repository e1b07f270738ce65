import { z } from 'zod';
import type { Actor } from '#client';
import { decodeBer, encodeBer } from '#ldap';
import { findOne, peoplePlace } from './entries-found.ts';
import { operation } from './row.ts';
import { userMember } from './users-shape.ts';

const countConnectionsOid = '2.25.83716444157178576224225129172109131643.6.170';
const appPasswordsTag = 0xa0;

export const usersConnections = operation({
  name: 'users.connections',
  method: 'GET',
  path: '/admin-api/users/connections',
  scope: 'admin:read',
  summary: 'count the LDAP connections on which somebody is bound as a person: those that end when they are disabled or deleted',
  input: z.strictObject({
    user: userMember,
    appPassword: z.string().min(1).max(200).optional().describe('The id of an app password: only those that came in with it.'),
  }),
  output: z.strictObject({ dn: z.string(), connections: z.int().nonnegative() }),
  audit: 'LDAP connections of {user} counted',
  command: 'person connections',
  terminal: { examples: [{ line: 'atrium person connections dkhalil' }] },
  run: async (call, { user, appPassword }) => {
    const { dn } = await findOne(call, peoplePlace, user, ['1.1'], 'user');
    return { dn, connections: await connectionsOf(call.actor, dn, appPassword === undefined ? undefined : [appPassword]) };
  },
});

/**
 * How many LDAP connections there are as an entry, in all threads of the service.
 *
 * @param appPasswords  ids: only those that came in with one of these
 * @throws ClientRefusal  50 for who does not manage the entry
 */
export async function connectionsOf(actor: Pick<Actor, 'extended'>, dn: string, appPasswords?: readonly string[]): Promise<number> {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn);
      if (appPasswords !== undefined)
        ber.sequence(() => {
          for (const id of appPasswords) ber.string(id);
        }, appPasswordsTag);
    }),
  );
  const said = await actor.extended(countConnectionsOid, value);
  const count = said && decodeBer(said, (ber) => ber.sequence(() => ber.number()));
  if (count === undefined) throw new Error('the directory counted connections and did not say how many');
  return count;
}
