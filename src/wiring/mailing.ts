import { utf8 } from '#base';
import { allOf, ClientRefusal, type DirectoryClient, equals, type SessionOf } from '#client';
import { openChallenges, openEmailFactors, openEmailVerification, openFailures } from '#factors';
import { type HashCost, sealingKey } from '#keys';
import { type GivenText, type LetterKind, type Mail, openMail } from '#mail';
import type { People } from '#people';
import { verifiesPasswords } from '#policy';
import type { Realms } from '#realms';
import type { Limits, State } from '#state';
import { isLoopbackHost } from '#web';
import type { settings as rows } from '../settings.ts';
import type { Beneath } from './above.ts';
import type { Foundation } from './foundation.ts';

/**
 * The mail of the service. Whoever starts it has it stopped before the jobs are waited for: one of them may wait for a mail server.
 *
 * @param delivers  whether this process hands mails over; if not, they wait for the one that does
 */
export function mailOf(
  { settings, live, clock, chance, timers, log, audit, dataDir }: Foundation,
  state: State,
  realms: Realms<typeof rows>,
  { client, delivers }: { readonly client: DirectoryClient; readonly delivers: boolean },
): Mail {
  return openMail({
    state,
    ...(delivers ? {} : { wakeOther: () => client.wakeMails() }),
    clock,
    chance,
    timers,
    audit,
    log,
    dataDir,
    // Its password belongs to the server that the operator named: whoever sets another one while the service runs is not given it.
    service: live.given,
    settingsOf: realms.settingsOf,
    realmNow: async (id) => {
      const found = id === realms.standing.id ? realms.standing : await realms.find(id);
      return (
        found && {
          suffix: found.suffix,
          settings: realms.settingsOf(id),
          textOf: (kind) => textOf(client, found.suffix, kind),
        }
      );
    },
    // What was sealed before the key changed opens under the one before.
    keys: [settings['keys.kek'], settings['keys.previousKek']]
      .filter((key) => key !== '')
      .map((key) => sealingKey(utf8(key), 'mail that waits')),
  });
}

/** The words of a realm for a mail, read at each mail. */
async function textOf(client: DirectoryClient, suffix: string, kind: LetterKind): Promise<GivenText | undefined> {
  const filter = allOf(equals('objectClass', 'stsMailText'), equals('entryDN', `cn=${kind},ou=mailTexts,${suffix}`));
  const attributes = ['stsMailSubject', 'stsMailBody'];
  const [entry] = (await client.as('self').search({ base: suffix, scope: 'sub', filter, attributes, sizeLimit: 1 })).entries;
  return entry && { subject: entry.one('stsMailSubject') ?? '', body: entry.one('stsMailBody') ?? '' };
}

interface EmailParts {
  readonly foundation: Foundation;
  readonly below: Beneath;
  readonly limits: Limits;
  readonly client: DirectoryClient;
  readonly realms: Realms<typeof rows>;
  readonly people: People;
  readonly mail: Mail;
}

/** Emailed codes and links: as a factor, and to verify an address. */
export function emailOf({ foundation, below, limits, client, realms, people, mail }: EmailParts) {
  const { chance, audit, log, open } = foundation;
  const failures = openFailures({ client, audit, log });
  open.defer(() => failures.close());
  const challenges = openChallenges({
    state: below.state,
    hasher: below.hasher,
    chance,
    costOf: (realm) => costOf(realms.settingsOf(realm)),
    rowsMax: (realm) => realms.settingsOf(realm)['authn.maxPending'],
  });
  const common = { challenges, failures, mail, limits, audit };
  /** Writes in a person's name whether they want an emailed second factor. False when the directory does not let them. */
  const wantEmail = async (acting: { readonly dn: string; readonly session: SessionOf }, wants: boolean): Promise<boolean> => {
    const values = wants ? [utf8('TRUE')] : [];
    try {
      await client.as(acting).modify(acting.dn, [{ operation: 'replace', attribute: { description: 'stsEmailFactor', values } }]);
      return true;
    } catch (error) {
      if (error instanceof ClientRefusal) return false;
      throw error;
    }
  };
  return {
    factors: openEmailFactors({ ...common, personNow: (realm, entryUuid) => people.byUuid(realm, entryUuid) }),
    portal: { verification: openEmailVerification({ ...common, client }), canMail: mail.canSend, wantEmail },
  };
}

function costOf(settings: Foundation['settings']): HashCost {
  return {
    logN: settings['security.passwordHashLogN'],
    r: settings['security.passwordHashR'],
    p: settings['security.passwordHashP'],
  };
}

/** Where browsers reach the service, as far as nobody but the operator says so: by the setting, or because it listens to this machine alone. */
export function baseOf(settings: Foundation['settings'], address: string | undefined): string | undefined {
  const base = settings['global.publicBaseUrl'];
  if (base !== '') return base.replace(/\/$/, '');
  return address !== undefined && isLoopbackHost(new URL(address).host) ? address : undefined;
}

/** Whether that address may stand in a mail: who listens on every address, and has not said what it is called elsewhere, is known by no name but this machine's. */
export function mayBeMailed(settings: Foundation['settings']): boolean {
  const host = settings['http.host'];
  const isEverywhere = host === '0.0.0.0' || host === '::' || (host === '' && verifiesPasswords(settings['global.mode']));
  return settings['global.publicBaseUrl'] !== '' || !isEverywhere;
}
