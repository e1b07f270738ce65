import { z } from 'zod';

/** Whom an operation is about. */
export const userMember = z.string().min(1).max(1000).describe('The person: their uid, their entryUUID, or the DN of their entry.');

/** What is said of a person in a list and alone. */
export const userShape = z.strictObject({
  dn: z.string(),
  id: z.string().describe('The entryUUID, which never changes.'),
  uid: z.string().optional(),
  name: z.string().optional(),
  mail: z.array(z.string()),
  state: z
    .enum(['enabled', 'disabled', 'early', 'late'])
    .describe('Whether a door lets them in; early and late: it is not the time for it.'),
  mustChangePassword: z.boolean(),
  mfaRequired: z.boolean(),
  hasPassword: z.boolean(),
  keys: z.array(
    z.strictObject({
      id: z.string().describe('The credential id, base64url.'),
      name: z.string(),
      role: z.enum(['mfa', 'primary']),
      added: z.iso.datetime(),
      model: z.string().optional(),
      attestation: z.string().describe('What the statement of the key proved when it was registered.'),
    }),
  ),
  authenticatorApp: z.boolean(),
  recoveryCodesLeft: z.int().nonnegative().optional(),
  etag: z.string().describe('The entryCSN: for If-Match.'),
});
