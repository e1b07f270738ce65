import type { ClientAuthMethod, GrantType } from '#policy';

/** Grants as one types them, and as entries have them. */
export const grantWords = {
  authorization_code: 'authorization_code',
  refresh_token: 'refresh_token',
  client_credentials: 'client_credentials',
  device_code: 'urn:ietf:params:oauth:grant-type:device_code',
} as const satisfies Record<string, GrantType>;

/** How an application shows who it is. */
export const authWords = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const satisfies readonly ClientAuthMethod[];
