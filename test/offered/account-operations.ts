import { decodeBer } from '#ldap';
import { add, remove } from '../writes/table.ts';
import { ada, alan, control, extended, type Row, search, sequence, suffix, unfit } from './row.ts';

const restorePerson = '2.25.83716444157178576224225129172109131643.6.75';
const why = '2.25.83716444157178576224225129172109131643.6.76';
const rotateKeys = '2.25.83716444157178576224225129172109131643.6.101';
const showDeleted = '1.2.840.113556.1.4.417';

const restoring = (dn: string) =>
  extended(
    restorePerson,
    sequence((ber) => ber.string(dn)),
  );

/** Why somebody comes in, or does not; by the door of the directory. */
const asking = (who: string) =>
  extended(
    why,
    sequence((ber) => ber.string(who, 0x80)),
  );

const rotating = (realm: string, emergency?: string) =>
  extended(
    rotateKeys,
    sequence((ber) => {
      ber.string(realm);
      ber.string('ES256', 0x80);
      if (emergency !== undefined) ber.string(emergency, 0x81);
    }),
  );

/** What a rotation of one algorithm says: the key that signs now, and the one that did. */
const rotated = (value: Uint8Array | undefined) =>
  value &&
  decodeBer(value, (ber) =>
    ber.list(() =>
      ber.sequence(() => {
        const [algorithm, kid] = [ber.string(), ber.string()];
        return { algorithm, kid, previous: ber.tag === 0x80 ? ber.string(0x80) : undefined };
      }),
    ),
  )?.[0];

/** What brings deleted people back, explains sign-ins and rotates keys. */
export const accountOperationRows: readonly Row[] = [
  {
    id: restorePerson,
    name: 'restore person',
    async serves({ admin, unit }) {
      const dn = `cn=back,${await unit()}`;
      await admin.ask(add(dn, { objectClass: 'person', cn: 'back', sn: 'Back' }));
      await admin.ask(remove(dn));
      const { entries } = await admin.ask(search(suffix, `(stsDeletedDN=${dn})`), control(showDeleted));
      const { code } = await admin.ask(restoring(entries[0]?.dn ?? ''));
      return [
        [code, (await admin.ask(search(dn))).entries.length],
        [0, 1],
      ];
    },
    refuses: [
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(restorePerson, unfit))],
      ['of who was not deleted', 53, ({ admin }) => admin.ask(restoring(alan))],
      ['of nobody', 32, ({ admin }) => admin.ask(restoring(`uid=never,${suffix}`))],
      ['with a critical control that nobody knows', 12, ({ admin }) => admin.ask(extended(restorePerson), control('1.2.3.4'))],
    ],
  },
  {
    id: why,
    name: 'why',
    async serves({ admin }) {
      const { code, value } = await admin.ask(asking(ada));
      const rules =
        value &&
        decodeBer(value, (ber) =>
          ber.list(() => ber.sequence(() => [ber.string(), ber.string(), ber.string(), ber.string(), ber.string()])),
        );
      return [
        [code, (rules?.length ?? 0) > 3],
        [0, true],
      ];
    },
    refuses: [
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(why, unfit))],
      ['by a person', 50, (desk) => desk.ada.ask(asking(alan))],
      ['as nobody', 50, ({ nobody }) => nobody.ask(asking(ada))],
      ['of nobody', 32, ({ admin }) => admin.ask(asking(`uid=never,ou=people,${suffix}`))],
      ['with a critical control that nobody knows', 12, ({ admin }) => admin.ask(extended(why), control('1.2.3.4'))],
    ],
  },
  {
    id: rotateKeys,
    name: 'rotate signing keys',
    async serves({ admin }) {
      const first = rotated((await admin.ask(rotating(suffix))).value);
      const { code, value } = await admin.ask(rotating(suffix));
      const second = rotated(value);
      return [
        // By every other door, keys are rotated at the same time.
        [code, second?.algorithm, second?.previous !== undefined, second?.kid === first?.kid || second?.kid === second?.previous],
        [0, 'ES256', true, false],
      ];
    },
    refuses: [
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(rotateKeys, unfit))],
      ['by a person', 50, (desk) => desk.ada.ask(rotating(suffix))],
      ['as nobody', 50, ({ nobody }) => nobody.ask(rotating(suffix))],
      ['of what is no realm', 32, ({ admin }) => admin.ask(rotating(`ou=people,${suffix}`))],
      ['in an emergency without the word', 53, ({ admin }) => admin.ask(rotating(suffix, 'yes'))],
      ['with a critical control that nobody knows', 12, ({ admin }) => admin.ask(extended(rotateKeys), control('1.2.3.4'))],
    ],
  },
];
