import type { ExecutionContext } from 'ava';
import { utf8 } from '#base';
import { type BerReader, type Control, decodeBer, encodeBer, encodeMessage, type Message, parseFilter, type Request } from '#ldap';
import type { TestAtrium } from './atrium.ts';
import { connectRaw, type RawClient } from './raw-ldap.ts';

/** What a search that goes on with changes was told. */
export type Heard =
  | {
      readonly kind: 'entry';
      readonly dn: string;
      readonly values: Readonly<Record<string, readonly string[]>>;
      /** RFC 4533. */
      readonly state?: string;
      readonly uuid?: string;
      readonly cookie?: string;
      /** Persistent search: what changed, and of a renamed entry its name before. */
      readonly change?: readonly [type: number, previousDn?: string];
    }
  | { readonly kind: 'info'; readonly tag: number; readonly cookie: string }
  | { readonly kind: 'done'; readonly code: number; readonly cookie?: string; readonly refreshDeletes?: boolean };

export type SearchPart = Partial<Request & { kind: 'searchRequest' }> & { readonly text?: string };

/** A connection on which a search goes on with changes, beside other requests. */
export interface Follower {
  readonly raw: RawClient;
  /** Sends a request; what comes is told by `next`, or by `ask`, which waits for its result. */
  send(op: Request, controls?: readonly Control[]): number;
  ask(op: Request): Promise<Heard & { kind: 'done' }>;
  search(base: string, part: SearchPart, ...controls: readonly Control[]): number;
  next(): Promise<Heard>;
  /** Everything up to the end of the search. */
  all(): Promise<Heard[]>;
}

export const oids = {
  sync: '1.3.6.1.4.1.4203.1.9.1.1',
  state: '1.3.6.1.4.1.4203.1.9.1.2',
  done: '1.3.6.1.4.1.4203.1.9.1.3',
  info: '1.3.6.1.4.1.4203.1.9.1.4',
  persistent: '2.16.840.1.113730.3.4.3',
  change: '2.16.840.1.113730.3.4.7',
} as const;

export function syncControl(mode: number, cookie?: string, reloadHint = false): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.enumerated(mode);
      if (cookie !== undefined) ber.string(cookie);
      if (reloadHint) ber.boolean(true);
    }),
  );
  return { oid: oids.sync, critical: true, value };
}

export function persistentControl(types: number, changesOnly: boolean, returnChanges: boolean): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(types);
      ber.boolean(changesOnly);
      ber.boolean(returnChanges);
    }),
  );
  return { oid: oids.persistent, critical: true, value };
}

/** Connects; binds when told as whom. */
export async function openFollower(t: ExecutionContext, atrium: TestAtrium, name?: string, password = ''): Promise<Follower> {
  const url = new URL(atrium.addresses.ldap ?? '');
  const follower = followerOn(await connectRaw({ host: url.hostname, port: Number(url.port) }));
  t.teardown(() => follower.raw.socket.destroy());
  if (name !== undefined) {
    const { code } = await follower.ask({
      kind: 'bindRequest',
      version: 3,
      name,
      authentication: { kind: 'simple', password: utf8(password) },
    });
    if (code !== 0) throw new Error(`bind as ${name}: ${code}`);
  }
  return follower;
}

export function openAdmin(t: ExecutionContext, atrium: TestAtrium): Promise<Follower> {
  return openFollower(t, atrium, atrium.adminDn, atrium.adminPassword);
}

function followerOn(raw: RawClient): Follower {
  let messageId = 0;
  const send: Follower['send'] = (op, controls = []) => {
    raw.write(encodeMessage({ messageId: ++messageId, op, controls }));
    return messageId;
  };
  const next = async () => heard(await raw.next());
  return {
    raw,
    send,
    next,
    async ask(op) {
      send(op);
      for (;;) {
        const told = await next();
        if (told.kind === 'done') return told;
      }
    },
    search(baseObject, { text = '(objectClass=*)', ...part }, ...controls) {
      const parsed = parseFilter(text, { depthMax: 20 });
      if (parsed.kind === 'bad') throw new Error(parsed.why);
      const op = { kind: 'searchRequest', baseObject, scope: 'sub', derefAliases: 'never', sizeLimit: 0, timeLimitS: 0 } as const;
      return send({ ...op, typesOnly: false, filter: parsed.filter, attributes: [], ...part }, controls);
    },
    async all() {
      const told: Heard[] = [];
      do told.push(await next());
      while (told.at(-1)?.kind !== 'done');
      return told;
    },
  };
}

function heard(message: Message | undefined): Heard {
  if (message === undefined) throw new Error('the connection has ended');
  const { op, controls } = message;
  const value = <T>(oid: string, read: (ber: BerReader) => T): T | undefined => {
    const control = controls.find((each) => each.oid === oid);
    return control?.value === undefined ? undefined : decodeBer(control.value, (ber) => ber.sequence(() => read(ber)));
  };
  if (op.kind === 'intermediateResponse') {
    const [tag, cookie] = decodeBer(op.value ?? new Uint8Array(0), readInfo) ?? [-1, ''];
    return { kind: 'info', tag, cookie };
  }
  if (op.kind === 'searchResultEntry') {
    const values = op.attributes.map(({ description, values: each }) => [description, each.map((one) => Buffer.from(one).toString())]);
    return {
      kind: 'entry',
      dn: op.object,
      values: Object.fromEntries(values),
      ...value(oids.state, (ber) => ({
        state: ['present', 'add', 'modify', 'delete'][ber.enumerated()] ?? '',
        uuid: Buffer.from(ber.octets()).toString('hex'),
        ...(ber.more ? { cookie: ber.string() } : {}),
      })),
      ...value(oids.change, (ber) => ({
        change: ber.more ? ([ber.enumerated(), ...(ber.more ? [ber.string()] : [])] as [number, string?]) : [0],
      })),
    } as Heard;
  }
  if (!('result' in op)) throw new Error(`not expected: ${op.kind}`);
  const done = value(oids.done, (ber) => ({ cookie: ber.string(), refreshDeletes: ber.more && ber.boolean() }));
  return { kind: 'done', code: op.result.code, ...done };
}

/** RFC 4533 §2.5: [0] a cookie alone, [1] and [2] a sequence that begins with one. */
function readInfo(ber: BerReader): [number, string] {
  const { tag } = ber;
  return [tag & 0x1f, tag === 0x80 ? ber.string(0x80) : ber.sequence(() => ber.string(), tag)];
}
