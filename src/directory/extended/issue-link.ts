import { text } from '#base';
import { refuse } from '#catalogue';
import { emailFactorOf } from '#holdings';
import { type BerReader, decodeBer, encodeBer } from '#ldap';
import { isWithin } from '#schema';
import type { StoredEntry } from '#store';
import { accountOf, checkProtected, refuseRemoved } from '../account.ts';
import type { Call } from '../call.ts';
import type { LinkAsked } from '../desks.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { totpCredentialKey } from '../holders.ts';
import { find } from '../lookup.ts';
import { realmOfId } from '../named.ts';
import { write } from '../operations/write.ts';
import type { Realm } from '../realm.ts';
import { attributesOf } from '../record.ts';
import { done } from '../result.ts';
import { passwordKey } from '../write.ts';
import type { ExtendedKind } from './kind.ts';

const tags = { mail: 0x80, link: 0x80 } as const;
const kinds = ['activation', 'reset'] as const;

interface Asked {
  readonly kind: (typeof kinds)[number];
  readonly dn: string;
  readonly mail: boolean;
}

/**
 * Issues a link by which a person sets what they sign in with, once, without showing anything else. Asked for by whoever may set that person's password.
 *
 * An `activation` is of somebody who holds no second factor: they set a password or enrol a key or an authenticator app. A `reset` takes the person's
 * password away and signs them out everywhere; what else they hold stays, and is asked for at their next sign-in.
 *
 * Request: SEQUENCE { kind OCTET STRING (`activation` or `reset`), dn OCTET STRING, mail [0] BOOLEAN DEFAULT FALSE }. Answer: SEQUENCE { until OCTET STRING
 * (milliseconds since 1970, in digits), link [0] OCTET STRING OPTIONAL }: with `mail` it goes to the address of the entry, and is shown to nobody.
 *
 * @throws Refusal `linkMalformed` (2), `accessDenied` (50), `passwordUnprotected` (13), `linkImpossible` (53), `linkNotMailed` (51)
 */
export const issueLink: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.85',
  name: 'issue link',
  async perform(call, value, tell, about) {
    const asked = value && decodeBer(value, readAsked);
    if (asked === undefined) throw refuse(errors.linkMalformed);
    const { engine, asker, connection } = call;
    const { desks } = engine;
    const { kind, dn, mail } = asked;
    about({ action: 'person.link', subject: dn, what: `${article[kind]} link` });
    if (asker.identity.strength === 'anonymous') throw refuse(errors.accessDenied, { why: 'nobody asks for a link anonymously' });
    const snapshot = engine.store.snapshot();
    const realm = realmOfId(engine, snapshot, dn, 'dn');
    refuseRemoved(realm);
    // What is answered opens an account as a password does.
    checkProtected(call, realm);
    const { entry, rights } = find(engine, asker, snapshot, dn);
    const type = engine.schema.attributeType(passwordKey);
    if (type === undefined || !rights.mayWrite(type)) throw refuse(errors.accessDenied, { why: 'userPassword may not be changed' });
    // A session that is fresh for five minutes shall not become a link that is good for a day.
    if (asker.identity.uuid === entry.uuid && !rights.mayManage)
      throw refuse(errors.accessDenied, { why: 'nobody issues a link for themselves' });
    if (desks === undefined) throw refuse(errors.linkImpossible, { why: 'links are issued by a running service' });
    const order: LinkAsked = {
      ...{
        realm: realm.id,
        kind,
        dn: entry.dn,
        entryUuid: entry.uuid,
        hasPassword: accountOf(entry, engine.clock.nowMs()).passwordHash !== undefined,
      },
      mailTo: mail ? addressOf(engine, entry) : undefined,
      correlationId: connection.id,
      from: { door: connection.door, address: connection.address },
    };
    const hindrance = hindranceOf(engine, realm, entry, kind) ?? (await desks.links.hindrance(order));
    if (hindrance !== undefined) throw refuse(errors.linkImpossible, { why: hindrance });
    // First the password: a link that was never answered leaves nothing open that was closed.
    if (kind === 'reset' && order.hasPassword) await removePassword(call, entry.dn);
    const issued = await desks.links.issue(order);
    if (issued === undefined) throw refuse(errors.linkNotMailed);
    tell(`issued ${article[kind]} link for ${entry.dn}, ${mail ? 'mailed' : 'shown once'}`);
    const answer = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(String(issued.untilMs));
        if (issued.link !== undefined) ber.string(issued.link, tags.link);
      }),
    );
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

const article: Readonly<Record<Asked['kind'], string>> = { activation: 'an activation', reset: 'a reset' };

function readAsked(ber: BerReader): Asked {
  return ber.sequence(() => {
    const [word, dn] = [ber.string(), ber.string()];
    const kind = kinds.find((each) => each === word);
    if (kind === undefined) throw refuse(errors.linkMalformed);
    return { kind, dn, mail: ber.more && ber.boolean(tags.mail) };
  });
}

const bars = {
  disabled: 'the account is disabled',
  late: 'the account’s time is over',
  early: 'the account’s time has not begun',
} as const;

/** Why nobody gets such a link for an entry, as it is. */
function hindranceOf({ schema, clock }: Engine, realm: Realm, entry: StoredEntry, kind: Asked['kind']): string | undefined {
  const attributes = attributesOf(schema, entry);
  const isPerson = (attributes.get('objectclass')?.values ?? []).some((value) =>
    schema.objectClass(text(value) ?? '')?.lineage.some(({ name }) => name === 'person'),
  );
  if (!isPerson || !isWithin(entry.dnKey, realm.people.key)) return `it is not a person below ${realm.people.text}`;
  const { bar } = accountOf(entry, clock.nowMs());
  if (bar !== undefined) return `${bars[bar]}: a link would open nothing`;
  // Whoever has the link could put a factor of their own in the place of the one that protects the account.
  if (kind === 'activation' && [totpCredentialKey, 'stswebauthncredential'].some((key) => attributes.has(key)))
    return 'the person holds a security key or an authenticator app: a reset link gives them another password, and what is lost is removed first';
  return undefined;
}

/** The address that a mail to the person goes to; empty where there is none. */
function addressOf({ schema }: Engine, entry: StoredEntry): string {
  const attributes = attributesOf(schema, entry);
  const values = (attribute: string) => (attributes.get(attribute.toLowerCase())?.values ?? []).map((value) => text(value) ?? '');
  return emailFactorOf(values)?.address ?? '';
}

async function removePassword(call: Call, dn: string): Promise<void> {
  const changes = [{ operation: 'replace', attribute: { description: 'userPassword', values: [] } }] as const;
  await write(call, { kind: 'modifyRequest', object: dn, changes });
}
