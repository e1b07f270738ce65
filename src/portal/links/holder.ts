import type { Audit } from '#audit';
import type { ErrorRow } from '#catalogue';
import { sha256 } from '#keys';
import type { Person } from '#people';
import type { Sessions, Visit } from '#sessions';
import type { Claimed, LinkKind, Links } from '#state';
import type { Csrf, Reply, WebRealm, WebRequest } from '#web';
import { errors } from '../errors.ts';
import { type LinkHolder, linkField } from './held.ts';
import { gonePage, stalePage } from './pages.ts';

export interface HolderDeps {
  readonly links: Links;
  /** The person of a link, as the directory has them now. */
  readonly personOf: (realm: WebRealm, entryUuid: string) => Promise<Person | undefined>;
  readonly sessions: Pick<Sessions, 'endAll'>;
  readonly csrf: Csrf;
  readonly clock: { nowMs(): number };
  readonly audit: Pick<Audit, 'record'>;
  /** Whether people may have a link mailed to them that sets a new password. */
  readonly mailsLinks: (request: Pick<WebRequest, 'realm' | 'door'>) => boolean;
}

/** Who holds a link of these kinds; `undefined` for what opens nothing, and for a person who is gone or disabled. Nothing is spent. */
export async function findHolder(
  deps: HolderDeps,
  request: WebRequest,
  token: string,
  kinds: readonly LinkKind[],
): Promise<LinkHolder | undefined> {
  const { links, personOf, csrf, clock } = deps;
  const { realm, address, secure } = request;
  const link = await links.find(realm.id, token);
  if (link === undefined || !kinds.includes(link.kind)) return undefined;
  const person = await personOf(realm, link.entryUuid);
  if (person === undefined || person.disabled) return undefined;
  const session = { factors: 1, authenticatedMs: clock.nowMs(), address, isProtected: secure };
  const csrfToken = csrf.issue(subjectOf(realm, token));
  return { link, token, person, csrfToken, acting: { dn: person.dn, session }, visit: visitOf(request) };
}

/** Answers a form that a link's page has sent: whoever sends it holds the link. */
export async function posted(
  deps: HolderDeps,
  request: WebRequest,
  kinds: readonly LinkKind[],
  act: (holder: LinkHolder, form: URLSearchParams) => Promise<Reply>,
): Promise<Reply> {
  const { realm } = request;
  const { form, refused } = await request.openForm((given) => subjectOf(realm, given.get(linkField) ?? ''));
  if (refused !== undefined) return { kind: 'page', status: 403, page: stalePage(realm), error: refused };
  const holder = await findHolder(deps, request, form.get(linkField) ?? '', kinds);
  return holder === undefined ? gone(deps, request) : await act(holder, form);
}

/** The answer to a link that opens nothing. */
export function gone({ mailsLinks, audit }: HolderDeps, request: WebRequest): Reply {
  record(audit, request, '', errors.linkGone);
  return { kind: 'page', status: 410, page: gonePage(request.realm, mailsLinks(request)), error: errors.linkGone };
}

/** What is done while nobody else can use the link. `spent`: it was what the link is for. */
export interface Used {
  readonly reply: Reply;
  readonly spent: boolean;
}

/**
 * Uses a link. Once it is spent, every other link of the person ends with it.
 *
 * @param said  what was done, for the audit trail
 */
export async function using(
  deps: HolderDeps,
  request: WebRequest,
  { token, person, visit }: LinkHolder,
  said: string,
  act: (claimed: Claimed) => Promise<Used>,
): Promise<Reply> {
  const { links, audit } = deps;
  const claimed = await links.claim(request.realm.id, token);
  if (claimed === undefined) return gone(deps, request);
  let used: Used | undefined;
  try {
    used = await act(claimed);
  } finally {
    if (used?.spent === true) await claimed.spend();
    else await claimed.release();
  }
  if (!used.spent) return used.reply;
  await links.end(request.realm.id, person.entryUuid);
  const { kind } = claimed.link;
  audit.record({
    realm: request.realm.id,
    subject: person.dn,
    action: 'person.link.use',
    outcome: 'success',
    summary: `${words[kind]} was used: ${said}`,
    ...visit,
  });
  return used.reply;
}

/** Puts a refusal at a link into the audit trail. */
export function note({ audit }: HolderDeps, request: WebRequest, { person }: LinkHolder, error: ErrorRow): void {
  record(audit, request, person.dn, error);
}

function record(audit: HolderDeps['audit'], request: WebRequest, subject: string, error: ErrorRow): void {
  const event = { realm: request.realm.id, subject, action: 'person.link.use', ...visitOf(request) };
  audit.record({ ...event, outcome: 'refused', error, summary: error.means });
}

const words: Readonly<Record<LinkKind, string>> = {
  activation: 'an activation link',
  reset: 'a reset link',
  forgot: 'a reset link that was asked for',
};

/** Whose a ceremony is: nothing that is kept says the token. */
export function ceremonyHolder({ token }: LinkHolder): string {
  return `link ${Buffer.from(sha256(token)).toString('base64url')}`;
}

function subjectOf({ id }: WebRealm, token: string): string {
  return `link\0${id}\0${token}`;
}

export function visitOf({ door, address, correlationId }: WebRequest): Visit {
  return { door, address, correlationId };
}
