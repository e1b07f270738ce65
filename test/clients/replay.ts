import { utf8 } from '#base';
import {
  type Control,
  decodeBer,
  encodeBer,
  encodeMessage,
  formatLdifRecord,
  parseFilter,
  type Request,
  type Result,
  type SearchRequest,
} from '#ldap';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { runLdapTool } from '../support/ldap-utils.ts';
import { connectRaw } from '../support/raw-ldap.ts';
import { worldContent } from './lab/world.ts';

export const manageDsaIt: Control = { oid: '2.16.840.1.113730.3.4.2', critical: false };
export const pagedResults = '1.2.840.113556.1.4.319';

/** A search as a program sends it; what is not said is what a program sends that says nothing. */
export interface Asked {
  readonly base: string;
  readonly scope: SearchRequest['scope'];
  readonly filter: string;
  readonly attributes: readonly string[];
  readonly derefAliases?: SearchRequest['derefAliases'];
  readonly sizeLimit?: number;
  readonly controls?: readonly Control[];
}

export interface Told {
  readonly code: number;
  readonly matchedDN: string;
  /** By DN: the values of each attribute, named as they came. */
  readonly entries: ReadonlyMap<string, Readonly<Record<string, readonly string[]>>>;
  /** Of the final answer. */
  readonly controls: readonly Control[];
  /** Those that came with entries. */
  readonly entryControls: readonly Control[];
}

/** One connection of a program. */
export interface Program {
  /** @returns the result code */
  bind(dn: string, password: string): Promise<number>;
  ask(asked: Asked): Promise<Told>;
  /** All entries by pages of a size, as libldap asks for them. @returns the entries, and how many pages came */
  askPaged(asked: Asked, size: number): Promise<Told & { readonly pages: number }>;
}

/** Connects as a program does that brings its own library: each request is sent just as it is given. */
export async function connectProgram(atrium: TestAtrium): Promise<Program> {
  const client = await connectRaw({ port: Number(new URL(atrium.addresses.ldap ?? '').port), host: 'localhost' });
  let number = 0;
  const send = (op: Request, controls: readonly Control[] = []) => client.write(encodeMessage({ messageId: ++number, op, controls }));
  const ask = async (asked: Asked): Promise<Told> => {
    send(searchOf(asked), asked.controls);
    const entries = new Map<string, Record<string, string[]>>();
    const entryControls: Control[] = [];
    for (;;) {
      const message = await client.next();
      if (message === undefined) throw new Error('the server closed the connection');
      const { op, controls } = message;
      if (op.kind !== 'searchResultDone') entryControls.push(...controls);
      if (op.kind === 'searchResultEntry') {
        entries.set(op.object, Object.fromEntries(op.attributes.map(({ description, values }) => [description, values.map(text)])));
      } else if (op.kind === 'searchResultDone') {
        return { code: op.result.code, matchedDN: op.result.matchedDN, entries, controls, entryControls };
      }
    }
  };
  return {
    async bind(name, password) {
      send({ kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: utf8(password) } });
      const op = (await client.next())?.op as { readonly result?: Result } | undefined;
      return op?.result?.code ?? -1;
    },
    ask,
    async askPaged(asked, size) {
      const entries = new Map<string, Readonly<Record<string, readonly string[]>>>();
      let cookie: Uint8Array = new Uint8Array();
      for (let pages = 1; ; pages++) {
        const value = pageValue(size, cookie);
        const told = await ask({ ...asked, controls: [...(asked.controls ?? []), { oid: pagedResults, critical: false, value }] });
        for (const [dn, entry] of told.entries) entries.set(dn, entry);
        cookie = cookieOf(told);
        if (cookie.length === 0) return { ...told, entries, pages };
      }
    },
  };
}

/** An Atrium with some generated people, their groups and the lab's entries. */
export async function startPeopled(people: number): Promise<TestAtrium> {
  const atrium = await startTestAtrium();
  const ldif = [...worldContent(atrium.suffix, people)].map(formatLdifRecord).join('');
  const { status, stderr } = await runLdapTool('ldapadd', { url: atrium.addresses.operators ?? '', external: true }, [], ldif);
  if (status !== 0) throw new Error(stderr);
  return atrium;
}

function searchOf({ base, scope, filter, attributes, derefAliases = 'never', sizeLimit = 0 }: Asked): SearchRequest {
  const parsed = parseFilter(filter, { depthMax: 50 });
  if (parsed.kind !== 'filter') throw new Error(`no filter: ${filter}`);
  return {
    kind: 'searchRequest',
    baseObject: base,
    scope,
    derefAliases,
    sizeLimit,
    timeLimitS: 0,
    typesOnly: false,
    filter: parsed.filter,
    attributes,
  };
}

function pageValue(size: number, cookie: Uint8Array): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(size);
      ber.octets(cookie);
    }),
  );
}

function cookieOf({ controls }: Told): Uint8Array {
  const value = controls.find(({ oid }) => oid === pagedResults)?.value;
  const read =
    value === undefined ? undefined : decodeBer(value, (ber) => ber.sequence(() => ({ size: ber.number(), cookie: ber.octets() })));
  return read?.cookie ?? new Uint8Array();
}

function text(value: Uint8Array): string {
  return Buffer.from(value).toString();
}
