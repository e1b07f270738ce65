import type { ErrorRow } from '#catalogue';
import { type Mail, type MailAddress, parseMailAddress } from '#mail';
import type { People, Person } from '#people';
import { addressPlace, type Hourly } from '#state';
import { pathIn, type Reply, type WebRealm, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { linkField } from './held.ts';
import { type HolderDeps, visitOf } from './holder.ts';
import { forgotPage, offPage, sentPage, timeOf } from './pages.ts';
import { linkTexts as texts } from './texts.ts';

export interface ForgotDeps extends HolderDeps {
  readonly people: Pick<People, 'find' | 'nobody'>;
  readonly mail: Pick<Mail, 'send'>;
  /** Links that were mailed to a person within this hour, and asked for from an address. */
  readonly asked: { readonly perPerson: Hourly; readonly perAddress: Hourly };
  /** Where browsers reach the service by a door, as far as nobody but the operator says so. */
  readonly baseOf: (door: WebRequest['door']) => string | undefined;
  readonly settingsOf: (realm: string) => {
    readonly 'mail.resetRequiresVerifiedAddress': boolean;
    readonly 'security.passwordResetTtlMinutes': number;
    readonly 'security.forgotPerPersonPerHour': number;
    readonly 'security.forgotPerAddressPerHour': number;
  };
}

/** Longer names are nobody's. */
const nameLengthMax = 256;
/** Nobody is signed in here: the form's token keeps other services from sending it. */
const formSubject = ({ id }: WebRealm) => `forgot\0${id}`;
const hourS = 3600;

export function showForgot(deps: ForgotDeps, request: WebRequest): Reply {
  const { realm } = request;
  if (!deps.mailsLinks(request)) return { kind: 'page', status: 404, page: offPage(realm), error: errors.forgotOff };
  return { kind: 'page', page: forgotPage(realm, deps.csrf.issue(formSubject(realm))) };
}

/**
 * Mails a link to whom a name means, where an address of theirs counts. Answer and work are the same for who has none, for who was mailed too many, and for
 * nobody: as many searches, a link that opens nothing, and a mail that goes to nobody.
 *
 * @see specification document 1, "Passwords"
 */
export async function takeForgot(deps: ForgotDeps, request: WebRequest): Promise<Reply> {
  const { realm, address } = request;
  if (!deps.mailsLinks(request)) return { kind: 'page', status: 404, page: offPage(realm), error: errors.forgotOff };
  const csrfToken = deps.csrf.issue(formSubject(realm));
  const { form, refused } = await request.openForm(() => formSubject(realm));
  const typed = (form.get('username') ?? '').trim();
  const again = (words: string, field?: 'username') =>
    forgotPage(realm, csrfToken, field === undefined ? { words } : { words, field }, typed.slice(0, nameLengthMax));
  if (refused !== undefined) return { kind: 'page', status: 403, page: again(texts.forgotStale), error: refused };
  if (typed === '') return { kind: 'page', page: again(texts.forgotMissing, 'username') };
  const settings = deps.settingsOf(realm.id);
  if (!(await deps.asked.perAddress.enter(realm.id, addressPlace(address), settings['security.forgotPerAddressPerHour']))) {
    note(deps, request, undefined, errors.forgotLimited);
    return { kind: 'page', status: 429, retryAfterS: hourS, page: again(texts.forgotLimited), error: errors.forgotLimited };
  }
  await mailLink(deps, request, typed);
  return { kind: 'page', page: sentPage(realm, typed.slice(0, nameLengthMax), settings['security.passwordResetTtlMinutes']) };
}

async function mailLink(deps: ForgotDeps, request: WebRequest, typed: string): Promise<void> {
  const { people, links, mail, asked } = deps;
  const { realm, correlationId } = request;
  const settings = deps.settingsOf(realm.id);
  const person = typed.length > nameLengthMax ? undefined : await people.find(realm, typed);
  const found = addressOf(person, settings['mail.resetRequiresVerifiedAddress']);
  const identity = person?.entryUuid ?? people.nobody(realm, typed.slice(0, nameLengthMax));
  const isInTime = await asked.perPerson.enter(realm.id, identity, settings['security.forgotPerPersonPerHour']);
  const to = isInTime ? found : undefined;
  const { token, untilMs } = await links.issue(realm.id, { kind: 'forgot', entryUuid: to === undefined ? undefined : person?.entryUuid });
  const base = deps.baseOf(request.door) ?? '';
  const link = `${base}${pathIn(realm, '/portal/reset-password')}?${linkField}=${encodeURIComponent(token)}`;
  await mail.send({
    realm: realm.id,
    realmName: realm.name,
    to,
    counted: to ?? identity,
    kind: 'forgot',
    fill: { link, time: timeOf(untilMs - deps.clock.nowMs()) },
    untilMs,
    subject: person === undefined ? '' : `urn:uuid:${person.entryUuid}`,
    correlationId,
  });
  const error: ErrorRow | undefined = to !== undefined ? undefined : found === undefined ? errors.forgotNotMailed : errors.forgotTooOften;
  note(deps, request, person, error);
}

function note({ audit }: ForgotDeps, request: WebRequest, person: Person | undefined, error: ErrorRow | undefined): void {
  audit.record({
    realm: request.realm.id,
    subject: person?.dn ?? '',
    action: 'person.link.forgot',
    outcome: error === undefined ? 'success' : 'refused',
    ...(error === undefined ? {} : { error }),
    summary: error === undefined ? 'a reset link was asked for, and is on its way by mail' : error.means,
    ...visitOf(request),
  });
}

/** The address that a link which anybody can ask for goes to: never one that a request names. */
function addressOf(person: Pick<Person, 'disabled' | 'holdings'> | undefined, isVerified: boolean): MailAddress | undefined {
  const email = person?.holdings.email;
  if (person === undefined || person.disabled || email === undefined || (isVerified && !email.verified)) return undefined;
  return parseMailAddress(email.address);
}
