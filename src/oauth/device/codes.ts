import { type Chance, type Clock, token } from '#base';
import type { Kept } from '#state';
import type { Application } from '../applications/application.ts';
import type { Issuer } from '../issuer.ts';
import { artifactKey } from '../provider/adapter.ts';
import { askedAt, scopesAt } from '../provider/resources.ts';
import type { KeptTokens } from '../tokens/kept.ts';
import type { ArtifactRecord, SetRecord } from '../tokens/records.ts';

/** A device that waits for somebody to let it in. */
export interface Waiting {
  readonly artifact: Kept<ArtifactRecord>;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What its tokens are to be for (RFC 8707). */
  readonly resources: readonly string[];
}

/** Who lets it in, and by which authentication. */
export interface LetIn {
  readonly entryUuid: string;
  readonly subject: string;
  readonly sid: string;
  readonly whenMs: number;
  readonly acr: string;
  readonly amr: readonly string[];
  readonly mechanisms?: readonly string[] | undefined;
  readonly password: string;
  readonly consented?: SetRecord['consented'];
}

const idOctets = 16;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** A code as it is kept: people write it as they like. */
export function normalCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z]/g, '');
}

/** The device that shows a code; `undefined` when none waits with it, or it was answered. */
export async function waitingWith(kept: KeptTokens, { realm, server }: Issuer, code: string): Promise<Waiting | undefined> {
  if (!/^[A-Z]{8}$/.test(code)) return undefined;
  const id = (await kept.artifact(realm.id, artifactKey(server, 'UserCode', code)))?.value.payload['id'];
  const artifact = typeof id === 'string' ? await kept.artifact(realm.id, artifactKey(server, 'DeviceCode', id)) : undefined;
  if (artifact === undefined || artifact.value.consumed === true) return undefined;
  const { payload } = artifact.value;
  const { clientId, params } = payload;
  if (typeof clientId !== 'string' || payload['accountId'] !== undefined || payload['error'] !== undefined) return undefined;
  const { scope, resource } = (params ?? {}) as { readonly scope?: unknown; readonly resource?: unknown };
  const resources = [resource ?? []].flat().map(String);
  return {
    artifact,
    clientId,
    scopes: String(scope ?? '')
      .split(' ')
      .filter((each) => each !== ''),
    resources,
  };
}

interface Desk {
  readonly kept: KeptTokens;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly grantTtlS: number;
}

/** Lets a device in: its tokens are a set of the person's, which no sign-out of a browser ends. @returns false when somebody else has answered */
export async function letIn(
  { kept, clock, chance, grantTtlS }: Desk,
  issuer: Issuer,
  { artifact, scopes, resources }: Waiting,
  application: Pick<Application, 'clientId' | 'holder' | 'scopes' | 'resources'>,
  { entryUuid, subject, sid, whenMs, acr, amr, mechanisms, password, consented }: LetIn,
): Promise<boolean> {
  const { realm, server, url } = issuer;
  const { clientId, holder, scopes: allowed } = application;
  const [nowMs, setId] = [clock.nowMs(), token(chance, idOctets)];
  // By the entry as it is now: what it may have no tokens for any more is left out.
  const audience = resources.filter((each) => scopesAt(issuer, application, each) !== undefined);
  const of = (resource: string) => scopes.filter((each) => scopesAt(issuer, application, resource)?.includes(each) === true);
  // What is asked for at a resource is granted there and nowhere else.
  const own = askedAt(issuer, application, { scopes, resources }).find(({ resource }) => resource === '')?.scopes ?? [];
  const scope = scopes.filter((each) => allowed.includes(each) || audience.some((resource) => of(resource).includes(each))).join(' ');
  const untilMs = nowMs + grantTtlS * 1000;
  const grant = {
    kind: 'Grant',
    accountId: subject,
    clientId,
    openid: { scope: own.filter((each) => allowed.includes(each)).join(' ') },
    resources: Object.fromEntries(audience.map((resource) => [resource, of(resource).join(' ')])),
    iat: Math.floor(nowMs / 1000),
    exp: Math.floor(untilMs / 1000),
  };
  const set: SetRecord = {
    ...{ id: setId, issuer: url },
    ...{
      server,
      clientId,
      holder,
      entryUuid,
      grant: deviceGrant,
      scope,
      audience,
      sid,
      bound: false,
      authenticatedMs: whenMs,
      acr,
      amr,
      password,
    },
    ...(consented === undefined ? {} : { consented }),
    ...(mechanisms === undefined ? {} : { mechanisms }),
    ...{ issuedAtMs: nowMs, payload: grant },
  };
  const answered = {
    accountId: subject,
    grantId: setId,
    scope,
    // As the library has it for codes: one is no list, and is meant where a token is asked for without naming any.
    ...(audience.length === 0 ? {} : { resource: audience.length === 1 ? audience[0] : audience }),
    acr,
    amr: [...amr],
    authTime: Math.floor(whenMs / 1000),
    sid,
  };
  // Before the device can ask for what came of it.
  await kept.beginSet(realm.id, set, untilMs);
  const isFirst = await kept.change(artifact, { ...artifact.value, payload: { ...artifact.value.payload, ...answered } });
  if (!isFirst) await kept.revoke(realm.id, setId, 'revoked');
  return isFirst;
}

/** Tells a device that it is not let in (RFC 8628 §3.5, access_denied). */
export async function turnAway(kept: KeptTokens, { artifact }: Waiting): Promise<boolean> {
  const denied = { error: 'access_denied', errorDescription: 'the person said no' };
  return kept.change(artifact, { ...artifact.value, payload: { ...artifact.value.payload, ...denied } });
}
