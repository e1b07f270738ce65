import { refuse } from '#catalogue';
import type { PasswordDoor } from '#credentials';
import { appPasswordScopes } from '#holdings';
import { decodeBer, encodeBer } from '#ldap';
import { errors } from '../errors.ts';
import { entryOfId } from '../named.ts';
import { realmOf } from '../realms.ts';
import { done } from '../result.ts';
import { whyOf } from '../why/explanation.ts';
import { originOf } from './explain-access.ts';
import type { ExtendedKind } from './kind.ts';

const tags = { who: 0x80, door: 0x81, from: 0x82, password: 0x83, application: 0x84 } as const;

/**
 * Says rule by rule what lets a person through a door, or keeps them out, to those who manage the realm and to operators. No counter moves.
 *
 * Request: SEQUENCE { who [0], door [1], from [2], password [3], application [4] OCTET STRING OPTIONAL }. `who` is a DN, or `u:` and a uid; `door` one of the
 * scopes of app passwords or `browser` (by default `ldap`); `from` an address or `this-machine`, and `+protected` behind it; `application` the client id of
 * the one that they sign in to, at the door `browser`. Answer: SEQUENCE OF SEQUENCE { rule, verdict, words, code, change OCTET STRING }, `verdict` one of
 * passes, refuses, says.
 *
 * @throws Refusal `whyMalformed` (2), `accessOfNobody` (32) for nobody whom one may see, `accessDenied` (50), `hashQueueFull` (51)
 */
export const why: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.76',
  name: 'why',
  async perform(call, value, tell) {
    const { engine, asker, connection } = call;
    const asked =
      value &&
      decodeBer(value, (ber) =>
        ber.sequence(() => {
          const perhaps = (tag: number) => (ber.tag === tag ? ber.string(tag) : undefined);
          return {
            who: ber.string(tags.who),
            door: perhaps(tags.door),
            from: perhaps(tags.from),
            password: ber.tag === tags.password ? ber.octets(tags.password) : undefined,
            application: perhaps(tags.application),
          };
        }),
      );
    const door = asked && doorNamed(asked.door ?? 'ldap');
    if (asked === undefined || door === undefined || (asked.application !== undefined && door !== 'browser'))
      throw refuse(errors.whyMalformed);
    const snapshot = engine.store.snapshot();
    const entry = entryOfId(engine, snapshot, asked.who, 'dn');
    const realm = entry && realmOf(engine, snapshot, entry.dnKey);
    const { suffix } = realm ?? engine.realms.default;
    if (!asker.rightsOnName(suffix.key, snapshot).mayManage)
      throw refuse(errors.accessDenied, { why: 'sign-ins are explained to those who manage the realm' });
    if (entry === undefined || realm === undefined) throw refuse(errors.accessOfNobody, { who: asked.who.replace(/^(?:u|dn):/i, '') });
    const origin = originOf(asked.from, connection);
    const { password, application } = asked;
    const rows = await whyOf(call, { realm, entry, door, origin, password, application });
    // A password that is tried is told of: nothing else counts it.
    if (asked.password !== undefined) tell(`had a password of ${entry.dn} judged`);
    const answer = encodeBer((ber) =>
      ber.sequence(() => {
        for (const { rule, verdict, words, code, change } of rows)
          ber.sequence(() => {
            for (const each of [rule, verdict, words, code, change]) ber.string(each);
          });
      }),
    );
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

function doorNamed(name: string): PasswordDoor | undefined {
  return name === 'browser' ? 'browser' : appPasswordScopes.find((scope) => scope === name);
}
