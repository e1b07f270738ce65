import { z } from 'zod';
import { type Actor, type ClientEntry, ClientRefusal, present } from '#client';
import { signingAlgorithms } from '#keys';
import { resultCodes } from '#ldap';
import type { Operation } from './row.ts';
import { operation } from './row.ts';
import { Unfit } from './unfit.ts';

const attributes = ['stsKeyId', 'stsKeyAlgorithm', 'stsKeyState', 'stsKeySince', 'stsKeyUntil', 'stsPublicKey'];
const keysMax = 1000;

const keyShape = z.strictObject({
  kid: z.string(),
  algorithm: z.string(),
  state: z
    .string()
    .describe('next: published, not signing yet; current: signs; previous: published while tokens live; revoked: taken back.'),
  since: z.string().optional(),
  until: z.string().optional().describe('Of one that signs no more: how long it is published.'),
  publicKey: z.record(z.string(), z.unknown()).optional().describe('JWK (RFC 7517).'),
});

export const keyRows: readonly Operation[] = [
  operation({
    name: 'keys.list',
    method: 'GET',
    path: '/admin-api/keys',
    scope: 'admin:read',
    summary: 'list the keys by which tokens of the realm are signed; never their private halves',
    input: z.strictObject({}),
    output: z.strictObject({ keys: z.array(keyShape) }),
    audit: 'signing keys listed',
    command: 'key list',
    terminal: { list: { of: 'keys', columns: ['kid', 'algorithm', 'state', 'since', 'until'] }, examples: [{ line: 'atrium key list' }] },
    run: async ({ actor, realm }) => ({ keys: await keysOf(actor, realm.suffix) }),
  }),
  operation({
    name: 'keys.rotate',
    method: 'POST',
    path: '/admin-api/keys/rotate',
    scope: 'admin:write',
    summary: 'rotate signing keys: the next one signs from now on, the one before stays published while tokens live',
    more: 'In an emergency, with `confirm` equal to `compromised`, all keys made so far are taken back at once: every token that they signed is worth nothing.',
    input: z.strictObject({
      algorithm: z.enum(signingAlgorithms).optional().describe('One algorithm; all that the realm has, without.'),
      emergency: z.boolean().default(false).describe('The keys are known to others.'),
      confirm: z.string().max(40).optional().describe('`compromised`, in an emergency.'),
    }),
    output: z.strictObject({
      rotated: z.array(z.strictObject({ algorithm: z.string(), kid: z.string(), previous: z.string().optional() })),
    }),
    audit: 'signing keys rotated, emergency: {emergency}',
    console: {
      on: 'keys',
      title: 'Rotate signing keys',
      verb: 'Rotate',
      danger: 'New tokens are signed by new keys from now on. What was signed before stays good for as long as it was.',
    },
    command: 'key rotate',
    terminal: {
      examples: [
        { line: 'atrium key rotate --yes' },
        { line: 'atrium key rotate --emergency --confirm compromised --yes', does: 'every token that was signed so far is worth nothing' },
      ],
    },
    run: async ({ actor, realm }, { algorithm, emergency, confirm }) => {
      // Specification document 2, STS-KEYS: an emergency rotation needs `confirm` equal to `compromised`, else 400.
      if (emergency && confirm !== 'compromised') throw new Unfit({ field: 'confirm', message: 'type compromised to confirm' });
      if (!emergency && confirm !== undefined) throw new Unfit({ field: 'confirm', message: 'is for an emergency' });
      const asked = {
        suffix: realm.suffix,
        ...(algorithm === undefined ? {} : { algorithm }),
        ...(emergency ? { emergency: 'compromised' } : {}),
      };
      return { rotated: (await actor.rotateSigningKeys(asked)).map((each) => ({ ...each })) };
    },
  }),
];

/** The signing keys of a realm, what signs first. */
export async function keysOf(actor: Actor, suffix: string): Promise<z.input<typeof keyShape>[]> {
  const search = { base: `ou=signingKeys,${suffix}`, scope: 'one', filter: present('stsKeyId'), attributes, sizeLimit: keysMax } as const;
  try {
    return (await actor.search(search)).entries.map(keyOf).sort(byState);
  } catch (error) {
    // A realm whose keys nobody needed yet has none.
    if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return [];
    throw error;
  }
}

function keyOf(entry: ClientEntry): z.input<typeof keyShape> {
  const [since, until] = [timeOf(entry.one('stsKeySince')), timeOf(entry.one('stsKeyUntil'))];
  const publicKey = jwkOf(entry.one('stsPublicKey'));
  return {
    kid: entry.one('stsKeyId') ?? '',
    algorithm: entry.one('stsKeyAlgorithm') ?? '',
    state: entry.one('stsKeyState') ?? '',
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(publicKey === undefined ? {} : { publicKey }),
  };
}

const order = ['current', 'next', 'previous', 'revoked'];

function byState(one: { readonly state: string; readonly algorithm: string }, other: typeof one): number {
  return order.indexOf(one.state) - order.indexOf(other.state) || (one.algorithm < other.algorithm ? -1 : 1);
}

/** Generalized time (RFC 4517 §3.3.13) as RFC 3339 has it. */
function timeOf(text: string | undefined): string | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text ?? '');
  return parts === null ? text : `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}Z`;
}

function jwkOf(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const jwk: unknown = JSON.parse(text ?? '');
    return typeof jwk === 'object' && jwk !== null ? (jwk as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
