import { refuse } from '#catalogue';
import { type BerReader, decodeBer, encodeBer } from '#ldap';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { nameOf } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

const tags = { list: 0x80, retry: 0xa1, id: 0x80 } as const;
/** Mails that one answer tells of. */
const shownMax = 1000;

type Asked =
  | { readonly kind: 'list'; readonly suffix: string; readonly limit: number }
  | { readonly kind: 'retry'; readonly suffix: string; readonly id: string | undefined };

/**
 * Tells those who manage a realm of its mails that wait or were given up, never what they say, and has them tried again.
 *
 * Request: SEQUENCE { suffix OCTET STRING, CHOICE { list [0] INTEGER (at most so many), retry [1] SEQUENCE { id [0] OCTET STRING OPTIONAL } } }; without `id`
 * all that failed. Answer to `list`: SEQUENCE OF SEQUENCE { id, state (`waiting` or `failed`), kind, subject OCTET STRING, written OCTET STRING (milliseconds
 * since 1970, in digits), attempts INTEGER, why OCTET STRING }; to `retry`: SEQUENCE { tried INTEGER, over INTEGER }, `over` those that say nothing good any
 * more.
 *
 * @throws Refusal `mailQueueMalformed` (2), `accessDenied` (50), `entryAbsent` (32) for what is no realm, `linkImpossible` (53) where no service runs
 */
export const mailQueue: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.86',
  name: 'mail queue',
  async perform(call, value, tell, about) {
    const asked = value && decodeBer(value, readAsked);
    if (asked === undefined) throw refuse(errors.mailQueueMalformed);
    about({ action: 'mail.queue', subject: asked.suffix, what: `mails of ${asked.suffix}` });
    const realm = managedRealm(call, asked.suffix);
    const { desks } = call.engine;
    if (desks === undefined) throw refuse(errors.linkImpossible, { why: 'a running service tells of its mails' });
    if (asked.kind === 'retry') {
      const { tried, over } = await desks.mails.retry(realm.id, asked.id);
      tell(`had ${tried} mails tried again`);
      return answer((ber) => {
        ber.number(tried);
        ber.number(over);
      });
    }
    const shown = await desks.mails.list(realm.id, Math.min(Math.max(asked.limit, 0), shownMax));
    return answer((ber) => {
      for (const { id, state, kind, subject, writtenMs, attempts, why } of shown) {
        ber.sequence(() => {
          for (const each of [id, state, kind, subject, String(writtenMs)]) ber.string(each);
          ber.number(attempts);
          ber.string(why);
        });
      }
    });
  },
};

function readAsked(ber: BerReader): Asked {
  return ber.sequence((): Asked => {
    const suffix = ber.string();
    if (ber.tag === tags.list) return { kind: 'list', suffix, limit: ber.number(tags.list) };
    return ber.sequence(() => ({ kind: 'retry', suffix, id: ber.more ? ber.string(tags.id) : undefined }), tags.retry);
  });
}

/** What one may not be told is refused before anything is looked at. */
function managedRealm({ engine, asker }: Call, suffix: string) {
  const snapshot = engine.store.snapshot();
  const { key } = nameOf(engine.schema, suffix);
  const realm = realmOf(engine, snapshot, key);
  if (!asker.rightsOnName((realm ?? engine.realms.default).suffix.key, snapshot).mayManage)
    throw refuse(errors.accessDenied, { why: 'mails are told of to those who manage the realm' });
  if (realm === undefined) throw refuse(errors.entryAbsent);
  return realm;
}

function answer(write: Parameters<typeof encodeBer>[0]) {
  return { kind: 'extendedResponse', result: done, value: encodeBer((ber) => ber.sequence(() => write(ber))) } as const;
}
