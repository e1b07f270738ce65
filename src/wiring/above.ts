import { join } from 'node:path';
import { type Clock, hex, utf8 } from '#base';
import { type AppPasswordAsked, connectDirectory, type DirectoryClient, type SessionOf } from '#client';
import type { Addresses } from '#commands';
import type { DesksToCome, Life } from '#directory';
import {
  type Attestation,
  anchorsBelow,
  boundedFetch,
  type Changing,
  createRevocations,
  factorsErrors,
  openAppEnrolments,
  openAttestation,
  openRecovery,
  openWebauthn,
  removeApp,
  type Webauthn,
} from '#factors';
import { type Hasher, hmacSha256, type SealingKey, sealingKey } from '#keys';
import { type Oauth, openApplications, openConsents } from '#oauth';
import { openPeople, type People } from '#people';
import { createPortalHandlers, openParties, portalRoutes } from '#portal';
import { createRemoval, type Obligation, openRealms, type Realms } from '#realms';
import { openSessions, type Sessions } from '#sessions';
import { createSigninHandlers, openRisk, signinRoutes } from '#signin';
import type { Ending, Limits, LimitsOptions, Networks, Notices, State } from '#state';
import { bindRoutes, createCsrf, startWeb, type Web, type WebOptions, type WebRealm, type WebRoute } from '#web';
import { offersIn, settings as rows } from '../settings.ts';
import { oauthOf } from './authorizing.ts';
import type { LiveCertificate } from './certificate.ts';
import { describingOf } from './describing.ts';
import type { Foundation } from './foundation.ts';
import { startJobs } from './jobs.ts';
import { linksOf } from './linking.ts';
import { storedSettings } from './live-settings.ts';
import { exchangeFolder, metadataFolder } from './locate.ts';
import { baseOf, emailOf, mailOf, mayBeMailed } from './mailing.ts';
import { managementOf } from './managing.ts';
import { markProcess } from './process-mark.ts';

/** Sessions, and links, that end in one turn of the event loop when their realm is removed. */
const endedAtOnce = 200;

/** What the web layer is given of what stands below the LDAP interface: a socket to speak LDAP over with the secret that opens it, and what is shared. Nothing else. */
export interface Beneath {
  readonly suffix: string;
  /** What is short-lived and shared: both sides of the LDAP interface have one, and every web process. */
  readonly state: State;
  /** From where people have signed in. */
  readonly networks: Networks;
  /** Moves when anything changes that says what holds for others, together with what a search finds. Absent in a process beside the service. */
  readonly governing?: () => number;
  /** Failed attempts, counted at every door. */
  readonly limitsBy: (settingsOf: LimitsOptions['settingsOf']) => Limits;
  /** The one queue of scrypt of this process: what is mailed is hashed in it, too. */
  readonly hasher: Hasher;
  readonly certificate: LiveCertificate | undefined;
  /** `shared`: what all web processes of one start have in common, and nobody else. */
  readonly web: { readonly socketPath: string; readonly secret: Uint8Array; readonly shared: Uint8Array };
  /** Where programs reach the directory. */
  readonly ldapUrl?: string | undefined;
  /** Ends what ends with an account: told what there is, and begun then. Absent in a process beside the service, which shares the state. */
  readonly life?: Pick<Life, 'ends' | 'begin'>;
  /** What operations below ask of what stands above; absent in a process beside the service. */
  readonly desks?: DesksToCome;
  /** Ends the LDAP connections over which somebody is bound as a person; who comes back with an app password is let in. */
  readonly endConnections?: (entryUuid: string) => Promise<number>;
  /** What is done below by itself; absent in a process beside the service, which runs the jobs of its process alone. */
  readonly jobs?: {
    /** Deletes the dynamic entries whose time is over. */
    readonly expire: () => Promise<string>;
    /** Deletes what is kept of deleted people for long enough. */
    readonly purge: () => Promise<string>;
    /** Seals what is to be sealed, or sealed anew. */
    readonly reseal: () => Promise<string>;
    /** Goes on with the removal of realms. */
    readonly removeRealms: () => Promise<string>;
    /** Removes what uploads that broke off have left. */
    readonly sweepUploads: () => Promise<string>;
    /** What people are to be told of their accounts. */
    readonly notices: Notices;
  };
}

/** Starts all that stands above the LDAP interface and reaches the directory through it alone. */
export async function startAbove(foundation: Foundation, below: Beneath): Promise<Addresses> {
  const { settings, clock, chance, log, audit, open } = foundation;
  const { state } = below;
  const client = connectDirectory({ ...below.web, clock, settings, log });
  open.defer(() => client.close());
  const { told, stored } = toldOf(foundation, below);
  const realms = openRealms({ client, suffix: below.suffix, rows, settings, log, ...stored, ...told });
  const people = openPeople({ client, administratorUid: settings['admin.bootstrapUsername'], clock, ...told });
  const sessions = openSessions({ state, clock, chance, audit, settingsOf: realms.settingsOf });
  const limits = below.limitsBy(realms.settingsOf);
  const mail = mailOf(foundation, state, realms, { client, delivers: below.jobs !== undefined });
  let [reached, mounted]: [Addresses, Web['mounted']] = [{}, () => []];
  const base = (door?: 'http' | 'https') => baseOf(settings, door === undefined ? (reached.http ?? reached.https) : reached[door]);
  const linking = linksOf({ foundation, below, client, realms, people, sessions, mail, baseOf: base });
  const csrf = createCsrf(csrfKeyOf(foundation, below));
  const oauth = oauthOf({ foundation, below, client, realms, people, sessions, csrf });
  const removal = removalOf(foundation, below, client, [
    { name: 'tokens', deliver: oauth.drop },
    { name: 'sessions', deliver: (realm) => endSessions(sessions, realm) },
    { name: 'links', deliver: (realm) => linking.links.drop(realm, endedAtOnce) },
    { name: 'mail', deliver: mail.drop },
  ]);
  const attestation = attestationOf(foundation, realms, client);
  startJobs(foundation, below, { sessions, attestation, mail, removal, realms, oauth });
  // Before the jobs are waited for: one of them may wait for a mail server.
  open.use(mail);
  const webauthn = webauthnOf(foundation, below, client, realms, attestation);
  const email = emailOf({ foundation, below, limits, client, realms, people, mail });
  const shared = { sessions, webauthn, limits, csrf, clock, ...sharedOf(foundation, below, client, realms) };
  const signin = createSigninHandlers({
    ...shared,
    registry: people,
    judge: (presented) => client.judge(presented),
    setPassword: (subject, password) => client.as(subject).setPassword(subject.dn, password),
    realmNow: realms.now,
    offersOf: (realm) => offersIn(realms.settingsOf(realm), base('https') !== undefined && mayBeMailed(settings)),
    email: email.factors,
    baseOf: base,
    mailsLinks: linking.portal.mailsLinks,
    chance,
    audit,
  });
  const own = { ...ownOf(clock, below, client, people, realms), revokeConsent: oauth.sets.revokeConsent };
  const portal = createPortalHandlers({ ...shared, ...email.portal, ...linking.portal, ...own });
  const operating = {
    ...{ client, realms, people, sessions, state, audit, log, clock, chance, settingsOf: realms.settingsOf, tokens: oauth.sets },
    ...{ settings, exchange: join(foundation.dataDir, exchangeFolder) },
    ...(await describingOf(foundation, below, () => mounted())),
  };
  const verify = oauth.verifyAccessToken;
  const management = managementOf({ foundation, below, deps: operating, csrf, verify, origin: base });
  const routes: readonly WebRoute[] = [
    ...bindRoutes(signinRoutes, signin),
    ...bindRoutes(portalRoutes, portal),
    ...oauth.routes,
    ...management.routes,
  ];
  const endings = [...sessions.endings, ...oauth.endings, linking.links.ending, shared.apps.ending, shared.recovery.ending];
  await beginLife(foundation, below, endings, oauth);
  const given = { settings, realms, routes, ...management.operators, apiPath: '/admin-api', csrf, audit, log, chance } as const;
  const web = await startShowing(below, given);
  open.defer(() => web.stop());
  [reached, mounted] = [web.addresses, web.mounted];
  return reached;
}

/** Starts the web, which shows whatever certificate is in force. */
async function startShowing({ certificate }: Beneath, given: Omit<WebOptions, 'tls'>): Promise<Web> {
  if (certificate === undefined) return await startWeb(given);
  const tls = certificate.shown;
  const web = await startWeb({ ...given, tls });
  certificate.follow(tls, web.showCertificate);
  return web;
}

/** Where the directory is in this process, it says by itself what is in force. */
function toldOf({ live, log }: Foundation, { governing }: Beneath) {
  return governing === undefined ? { told: {}, stored: { stored: storedSettings(live, log) } } : { told: { governing }, stored: {} };
}

/** Before a browser can come: what was locked while the service stood still has no sessions. */
async function beginLife({ open }: Foundation, { life, jobs }: Beneath, endings: readonly Ending[], oauth: Oauth): Promise<void> {
  for (const row of endings) life?.ends(row);
  await life?.begin();
  if (jobs === undefined) return;
  const begun = oauth.begin();
  // It asks the directory: at an end that comes early it is waited for.
  open.defer(() => begun);
}

/** What the portal's pages of people's own need of the directory. */
function ownOf(clock: Clock, below: Beneath, client: DirectoryClient, people: People, realms: Realms<typeof rows>) {
  return {
    readOwn: people.readOwn,
    personOf: people.byUuid,
    ldapUrl: () => below.ldapUrl,
    makeAppPassword: (acting: Acting, asked: Omit<AppPasswordAsked, 'dn'>) =>
      client.as(acting).makeAppPassword({ ...asked, dn: acting.dn }),
    revokeAppPassword: ({ dn, session }: Acting, id: string | undefined) =>
      client.as({ dn, session }).revokeAppPassword({ dn, ...(id === undefined ? {} : { id }) }),
    parties: openParties(client),
    consents: openConsents({ client, clock }),
    applications: openApplications({ client, clock }),
    changePassword: client.changePassword,
    passwordPolicyOf: async (realm: WebRealm) => (await realms.passwordPolicy(realm)).value,
  };
}

/** What both the sign-in and the portal need of factors, policies and settings. */
function sharedOf(
  { settings, clock, chance, audit }: Foundation,
  { state, networks, web }: Beneath,
  client: DirectoryClient,
  realms: Realms<typeof rows>,
) {
  const { settingsOf } = realms;
  const waiting = (what: string) => ({ state, clock, chance, settingsOf, key: waitingKeyOf(settings, web.shared, what) });
  return {
    settingsOf,
    risk: openRisk({ networks, settingsOf }),
    policyOf: async (realm: WebRealm) => (await realms.authnPolicy(realm)).value,
    verify: client.verify,
    mark: markProcess(hex(hmacSha256(web.shared, 'start of the service')).slice(0, 32), chance),
    apps: openAppEnrolments(waiting('authenticator apps')),
    removeApp: (changing: Changing) => removeApp({ client, audit }, changing),
    recovery: openRecovery({ ...waiting('recovery codes'), client, audit }),
  };
}

/** A person, and the session in which they act. */
interface Acting {
  readonly dn: string;
  readonly session: SessionOf;
}

/** What is owed to a realm that is removed. */
function removalOf(
  { settings, audit, log, clock }: Foundation,
  { suffix }: Beneath,
  client: DirectoryClient,
  obligations: readonly Obligation[],
): () => Promise<string> {
  return createRemoval({ client, suffix, obligations, settings, audit, log, clock });
}

function attestationOf({ clock, log, dataDir }: Foundation, realms: Realms<typeof rows>, client: DirectoryClient): Attestation {
  const folder = join(dataDir, metadataFolder);
  const { settingsOf, standing } = realms;
  const anchorsIn = async (id: string) => {
    const realm = id === standing.id ? standing : await realms.find(id);
    return realm === undefined ? [] : anchorsBelow(client, realm.suffix);
  };
  const revocations = createRevocations(boundedFetch);
  return openAttestation({ settingsOf, anchorsIn, folder, revocations, fetch: boundedFetch, clock, log });
}

function webauthnOf(
  { clock, chance, log, audit }: Foundation,
  { state }: Beneath,
  client: DirectoryClient,
  { settingsOf }: Realms<typeof rows>,
  attestation: Attestation,
): Webauthn {
  const warn = (why: string) => log.warn(factorsErrors.relyingPartyUnfit, why);
  return openWebauthn({ client, state, settingsOf, attestation, audit, clock, chance, warn });
}

/** What secrets lie under that wait to be proved or confirmed. Without a key-encryption key they are lost with the end of this start. */
function waitingKeyOf(settings: Foundation['settings'], shared: Uint8Array, what: string): SealingKey {
  const kek = settings['keys.kek'];
  return sealingKey(kek === '' ? shared : utf8(kek), `${what} that wait`);
}

/** The same after a restart, so that a page left open goes on working; without a key-encryption key only until the end of this start. */
function csrfKeyOf({ settings }: Foundation, { web }: Beneath): Uint8Array {
  const kek = settings['keys.kek'];
  return hmacSha256(kek === '' ? web.shared : utf8(kek), 'form tokens');
}

/** Ends all of a realm's sessions; the audit row of each is the notice of its end. Nothing is ever left of them. */
async function endSessions(sessions: Sessions, realm: string): Promise<number> {
  const visit = { door: 'service', address: '', correlationId: '' };
  while ((await sessions.clear(realm, endedAtOnce, visit)) > 0) await new Promise(setImmediate);
  return 0;
}
