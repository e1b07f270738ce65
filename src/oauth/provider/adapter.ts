import type { Clock } from '#base';
import type { Kept } from '#state';
import type { KeptTokens } from '../tokens/kept.ts';
import type { ArtifactRecord } from '../tokens/records.ts';
import { isStructured, structuredOf } from './handles.ts';
import type { Adapter, AdapterPayload } from './library.ts';

export interface AdapterDeps {
  readonly kept: KeptTokens;
  readonly clock: Clock;
  readonly realm: string;
  readonly server: string;
  /** What a token for the server itself says in `aud`. */
  readonly audience: string;
  /** Metadata of a client of this server; `undefined` when there is none. */
  readonly clientOf: (clientId: string) => Promise<AdapterPayload | undefined>;
  /** The grant of a set that is good at this moment. */
  readonly grantOf: (setId: string) => Promise<AdapterPayload | undefined>;
  /** For whom something is made that belongs to no set yet, and whether they hold the client id still. */
  readonly madeFor: () => Promise<ArtifactRecord['madeFor']>;
  readonly isHeld: (madeFor: NonNullable<ArtifactRecord['madeFor']>) => Promise<boolean>;
  /** Told when something single-use is used again. It throws the protocol's refusal. */
  readonly usedTwice: (model: string, setId: string) => Promise<never>;
  /** Why the library revokes. */
  readonly revoke: (setId: string) => Promise<void>;
  /** The `jti` of a token of this server that is a JWT; `undefined` for one that is not. */
  readonly jtiOf: (jwt: string) => Promise<string | undefined>;
  /** An application's own token: its set begins with it. */
  readonly beginOwn: (id: string, payload: AdapterPayload, untilMs: number) => Promise<void>;
}

const nothing = async () => undefined;

/** How artifacts of tokens that are JWTs are found: by their `jti`, which is no secret and is worth nothing by itself. */
export const structuredModel = 'Structured';

/** The name under which something is kept: what one server has issued no other finds. */
export function artifactKey(server: string, model: string, id: string): string {
  return `${server}/${model}/${id}`;
}

/** The storage of oidc-provider for one authorization server: each of its models is a kind of record in the shared state. */
export function createAdapter(deps: AdapterDeps, model: string): Adapter {
  switch (model) {
    case 'Client':
      return { ...unused, find: deps.clientOf };
    // Sessions are this service's own, and the library's interactions are never come back to.
    case 'Session':
    case 'Interaction':
      return unused;
    case 'Grant':
      return { ...unused, find: deps.grantOf, destroy: deps.revoke };
    default:
      return artifactAdapter(deps, model);
  }
}

const unused: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

function artifactAdapter(deps: AdapterDeps, model: string): Adapter {
  const { kept, clock, realm, server } = deps;
  const keyOf = (id: string) => artifactKey(server, model, id);
  const found = async (id: string): Promise<Kept<ArtifactRecord> | undefined> => {
    const artifact = await kept.artifact(realm, keyOf(id));
    const { madeFor } = artifact?.value ?? {};
    return madeFor === undefined || (await deps.isHeld(madeFor)) ? artifact : undefined;
  };
  const readable = (artifact: Kept<ArtifactRecord> | undefined, id: string): AdapterPayload | undefined =>
    artifact && { ...artifact.value.payload, jti: id, ...(artifact.value.consumed === true ? { consumed: true } : {}) };
  const structured = async (jwt: string): Promise<AdapterPayload | undefined> => {
    const jti = await deps.jtiOf(jwt);
    const artifact = jti === undefined ? undefined : await kept.artifact(realm, artifactKey(server, structuredModel, jti));
    if (jti === undefined || artifact?.value.model !== model) return undefined;
    // An application's own has no grant that the library would ask about.
    return model === 'ClientCredentials' && (await deps.grantOf(artifact.value.setId)) === undefined ? undefined : readable(artifact, jti);
  };
  /** What is shown to userinfo: the library takes a token without an audience for one that may be shown there. */
  const own = (payload: AdapterPayload | undefined): AdapterPayload | undefined => {
    if (payload?.aud !== deps.audience) return payload;
    const { aud: _, ...rest } = payload;
    return rest;
  };
  return {
    ...unused,
    upsert: async (id, payload, expiresInS = 0) => {
      const nowMs = clock.nowMs();
      const untilMs = nowMs + expiresInS * 1000;
      // The token itself is on no disk: it comes with whoever shows it.
      const { jti: _, ...rest } = payload;
      const known = await found(id);
      if (known !== undefined) {
        await kept.change(known, { ...known.value, payload: rest }, untilMs);
        return;
      }
      if (model === 'ClientCredentials') await deps.beginOwn(id, payload, untilMs);
      const setId = model === 'ClientCredentials' ? id : (payload.grantId ?? '');
      const madeFor = setId === '' ? await deps.madeFor() : undefined;
      const record = { model, server, setId, payload: rest, atMs: nowMs, ...(madeFor === undefined ? {} : { madeFor }) };
      await kept.put(realm, keyOf(id), record, untilMs);
      if (payload.userCode !== undefined) {
        const code = { model: 'UserCode', server, setId: '', payload: { id }, atMs: nowMs };
        await kept.put(realm, artifactKey(server, 'UserCode', payload.userCode), code, untilMs);
      }
    },
    find: async (id) => {
      const jwt = structuredOf(id);
      if (jwt !== undefined) return structured(jwt);
      if (isStructured(id)) return own(await structured(id));
      const artifact = await found(id);
      if (artifact === undefined || model !== 'ClientCredentials') return readable(artifact, id);
      return (await deps.grantOf(artifact.value.setId)) === undefined ? undefined : readable(artifact, id);
    },
    findByUserCode: async (userCode) => {
      const code = await kept.artifact(realm, artifactKey(server, 'UserCode', userCode));
      const id = code?.value.payload['id'];
      return typeof id === 'string' ? readable(await found(id), id) : undefined;
    },
    consume: async (id) => {
      const artifact = await found(id);
      if (artifact === undefined) return deps.usedTwice(model, '');
      // Of two who come at once one is first; the other has shown something that was used.
      const isFirst = artifact.value.consumed !== true && (await kept.change(artifact, { ...artifact.value, consumed: true }));
      if (!isFirst) await deps.usedTwice(model, artifact.value.setId);
    },
    destroy: async (id) => {
      const artifact = (await found(id)) ?? (await kept.artifact(realm, artifactKey(server, structuredModel, id)));
      if (artifact === undefined) return;
      if (model === 'ClientCredentials') await deps.revoke(artifact.value.setId);
      else if (artifact.value.setId === '') await kept.remove(artifact);
    },
    revokeByGrantId: deps.revoke,
  };
}
