import { text, utf8 } from '#base';
import { decodeBer, type Filter, type Request } from '#ldap';
import { modify } from '../writes/table.ts';
import { accountOperationRows } from './account-operations.ts';
import { simpleBind } from './doors.ts';
import { linkOperationRows } from './link-operations.ts';
import { ada, alan, control, device, extended, type Row, search, sequence, unfit, whoAmI } from './row.ts';

const cut = (oid: string): Row['refuses'][number] => ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(oid, unfit))];
const critical = (oid: string): Row['refuses'][number] => [
  'with a critical control that nobody knows',
  12,
  ({ admin }) => admin.ask(extended(oid), control('1.2.3.4')),
];

const password = '1.3.6.1.4.1.4203.1.11.1';
const explain = '2.25.83716444157178576224225129172109131643.6.20';
const [makeApp, revokeApp] = ['70', '71'].map((number) => `2.25.83716444157178576224225129172109131643.6.${number}`) as [string, string];
const refresh = '1.3.6.1.4.1.1466.101.119.1';
const [start, end] = ['1.3.6.1.1.21.1', '1.3.6.1.1.21.3'];
const cancel = '1.3.6.1.1.8';
const startTls = '1.3.6.1.4.1.1466.20037';
const tags = { user: 0x80, old: 0x81, fresh: 0x82 } as const;

const refreshed = (dn: string, ttlS: number) =>
  extended(
    refresh,
    sequence((ber) => {
      ber.string(dn, 0x80);
      ber.number(ttlS, 0x81);
    }),
  );
const cancelled = (messageId: number) =>
  extended(
    cancel,
    sequence((ber) => ber.number(messageId)),
  );
/** Asks for an app password, or to revoke all. */
const appPasswordFor = (dn: string, scopes: readonly string[] = ['ldap']) =>
  extended(
    makeApp,
    sequence((ber) => {
      ber.string(dn);
      ber.string('Laptop');
      ber.sequence(() => {
        for (const scope of scopes) ber.string(scope);
      });
    }),
  );
const appPasswordsGone = (dn: string) =>
  extended(
    revokeApp,
    sequence((ber) => ber.string(dn)),
  );
/** Whether somebody may do something with an entry: as, entry, attribute, right. */
const explained = (as: string, entry: string) =>
  extended(
    explain,
    sequence((ber) => {
      ber.string(as, 0x80);
      ber.string(entry, 0x81);
      ber.string('cn', 0x84);
      ber.string('read', 0x85);
    }),
  );
/** A search that goes on until it is ended. */
const listen = control(
  '2.16.840.1.113730.3.4.3',
  sequence((ber) => {
    ber.number(15);
    ber.boolean(true);
    ber.boolean(true);
  }),
);

/** Everything under supportedExtension. */
export const extensionRows: readonly Row[] = [
  ...accountOperationRows,
  ...linkOperationRows,
  {
    id: '1.3.6.1.4.1.4203.1.11.3',
    name: 'Who am I?',
    serves: async (desk) => [text((await desk.ada.ask(whoAmI)).value ?? unfit), `dn:${ada}`],
    refuses: [
      ['a value', 2, ({ admin }) => admin.ask(extended('1.3.6.1.4.1.4203.1.11.3', utf8('x')))],
      critical('1.3.6.1.4.1.4203.1.11.3'),
    ],
  },
  {
    id: makeApp,
    name: 'make app password',
    async serves({ admin, another, unit }) {
      const dn = `cn=one,${await unit()}`;
      const { code, value } = await admin.ask(appPasswordFor(dn));
      const made = value && decodeBer(value, (ber) => ber.sequence(() => [ber.string(), ber.string()]));
      const bound = await (await another()).ask(simpleBind(dn, made?.[1] ?? 'nothing'));
      return [
        [code, bound.code],
        [0, 0],
      ];
    },
    refuses: [
      ['without a value', 2, ({ admin }) => admin.ask(extended(makeApp))],
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(makeApp, unfit))],
      ['for a door that there is not', 19, ({ admin }) => admin.ask(appPasswordFor(alan, ['imap']))],
      ['by who may not', 50, (desk) => desk.ada.ask(appPasswordFor(alan))],
      ['one’s own, by a bind alone', 50, (desk) => desk.ada.ask(appPasswordFor(ada))],
      ['by nobody', 32, ({ nobody }) => nobody.ask(appPasswordFor(alan))],
    ],
  },
  {
    id: revokeApp,
    name: 'revoke app password',
    async serves({ admin, unit }) {
      const dn = `cn=one,${await unit()}`;
      await admin.ask(appPasswordFor(dn));
      await admin.ask(appPasswordFor(dn));
      const { value } = await admin.ask(appPasswordsGone(dn));
      return [value && decodeBer(value, (ber) => ber.sequence(() => ber.number())), 2];
    },
    refuses: [
      ['without a value', 2, ({ admin }) => admin.ask(extended(revokeApp))],
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(revokeApp, unfit))],
      ['by who may not', 50, (desk) => desk.ada.ask(appPasswordsGone(alan))],
      ['by nobody', 32, ({ nobody }) => nobody.ask(appPasswordsGone(alan))],
    ],
  },
  {
    id: explain,
    name: 'explain access',
    async serves({ admin }) {
      const { value } = await admin.ask(explained(ada, alan));
      const said = decodeBer(value ?? unfit, (ber) =>
        ber.sequence(() => {
          const visible = ber.boolean();
          const decided = ber.sequence(() =>
            ber.sequence(() => [ber.string(), ber.string(), ber.boolean(), ber.string(), ber.string()].slice(0, 4)),
          );
          return [visible, ...decided];
        }),
      );
      return [said, [true, 'read', 'cn', true, 'built-in']];
    },
    refuses: [
      cut(explain),
      ['by a person', 50, (desk) => desk.ada.ask(explained(ada, alan))],
      ['of nobody', 32, ({ admin }) => admin.ask(explained(`uid=nobody-here,${ada}`, alan))],
      critical(explain),
    ],
  },
  {
    id: password,
    name: 'Password Modify',
    async serves({ admin, another, unit }) {
      const base = await unit();
      // A uid stands in one entry of the realm only.
      const uid = `someone ${base.replaceAll(/[^a-z0-9]/gi, ' ')}`;
      const dn = `uid=${uid},${base}`;
      const attributes = Object.entries({ objectClass: 'inetOrgPerson', uid, cn: 'x', sn: 'x' });
      await admin.ask({
        kind: 'addRequest',
        entry: dn,
        attributes: attributes.map(([description, value]) => ({ description, values: [utf8(value)] })),
      });
      const { value } = await admin.ask(
        extended(
          password,
          sequence((ber) => ber.string(dn, tags.user)),
        ),
      );
      const generated = decodeBer(value ?? unfit, (ber) => ber.sequence(() => ber.string(0x80))) ?? '';
      const mine = await another();
      return [
        [generated.length > 0, (await mine.ask(simpleBind(dn, generated))).code],
        [true, 0],
      ];
    },
    refuses: [
      cut(password),
      ['as nobody', 8, ({ nobody }) => nobody.ask(extended(password))],
      [
        'of another, by a person',
        50,
        (desk) =>
          desk.ada.ask(
            extended(
              password,
              sequence((ber) => ber.string(alan, tags.user)),
            ),
          ),
      ],
      [
        'a wrong old one',
        53,
        (desk) =>
          desk.ada.ask(
            extended(
              password,
              sequence((ber) => {
                ber.string('wrong', tags.old);
                ber.string('a new one, of some length', tags.fresh);
              }),
            ),
          ),
      ],
      critical(password),
    ],
  },
  {
    id: refresh,
    name: 'dynamic refresh',
    async serves({ admin, unit }) {
      const dn = `cn=dynamic,${await unit()}`;
      await admin.ask(device(dn, { objectClass: ['device', 'dynamicObject'] }));
      const { value } = await admin.ask(refreshed(dn, 1200));
      return [decodeBer(value ?? unfit, (ber) => ber.sequence(() => ber.number(0x81))), 1200];
    },
    refuses: [
      cut(refresh),
      ['of what is not dynamic', 65, ({ admin }) => admin.ask(refreshed(ada, 1200))],
      ['by who may not write', 50, (desk) => desk.ada.ask(refreshed(alan, 1200))],
    ],
  },
  {
    id: start,
    name: 'start of a transaction',
    async serves({ admin }) {
      const { code, value } = await admin.ask(extended(start));
      const ended = await admin.ask(
        extended(
          end,
          sequence((ber) => {
            ber.boolean(false);
            ber.octets(value ?? unfit);
          }),
        ),
      );
      return [
        [code, ended.code],
        [0, 0],
      ];
    },
    refuses: [
      ['a value', 2, ({ admin }) => admin.ask(extended(start, utf8('x')))],
      ['as nobody', 50, ({ nobody }) => nobody.ask(extended(start))],
    ],
  },
  {
    id: end,
    name: 'end of a transaction',
    async serves({ admin, unit }) {
      const dn = `cn=three,${await unit()}`;
      const { value = unfit } = await admin.ask(extended(start));
      await admin.ask(device(dn), control('1.3.6.1.1.21.2', value));
      const { code } = await admin.ask(
        extended(
          end,
          sequence((ber) => ber.octets(value)),
        ),
      );
      return [
        [code, (await admin.ask(search(dn))).entries.length],
        [0, 1],
      ];
    },
    refuses: [
      cut(end),
      [
        'of one that is none',
        53,
        ({ admin }) =>
          admin.ask(
            extended(
              end,
              sequence((ber) => ber.string('none')),
            ),
          ),
      ],
    ],
  },
  {
    id: cancel,
    name: 'Cancel',
    async serves({ admin }) {
      const listening = admin.begin(search(ada), listen);
      const { code } = await admin.ask(cancelled(listening));
      return [
        [code, (await admin.end(listening)).code],
        [0, 118],
      ];
    },
    refuses: [cut(cancel), ['of what is not there', 119, ({ admin }) => admin.ask(cancelled(1))], critical(cancel)],
  },
  {
    id: startTls,
    name: 'StartTLS',
    doors: ['ldap'],
    // That TLS begins then is what the door `StartTLS` shows.
    serves: async ({ another }) => [(await (await another()).ask(extended(startTls))).code, 0],
    refuses: [['a value', 2, async ({ another }) => (await another()).ask(extended(startTls, utf8('x')))], critical(startTls)],
  },
];

const whole = (filter: Filter): Request & { kind: 'searchRequest' } => ({
  ...(search(ada, '(cn=x)', { scope: 'base' }) as Request & { kind: 'searchRequest' }),
  filter,
});

/** Everything under supportedFeatures. */
export const featureRows: readonly Row[] = [
  {
    id: '1.3.6.1.4.1.4203.1.5.1',
    name: 'all operational attributes',
    async serves({ admin }) {
      const [entry] = (await admin.ask(search(ada, '(objectClass=*)', { scope: 'base', attributes: ['+'] }))).entries;
      return [
        [entry?.all('entryUUID').length, entry?.all('cn').length],
        [1, 0],
      ];
    },
    refuses: [['as nobody', 32, ({ nobody }) => nobody.ask(search(ada, '(objectClass=*)', { scope: 'base', attributes: ['+'] }))]],
  },
  {
    id: '1.3.6.1.4.1.4203.1.5.2',
    name: 'attributes of a class',
    async serves({ admin }) {
      const [entry] = (await admin.ask(search(ada, '(objectClass=*)', { scope: 'base', attributes: ['@person'] }))).entries;
      return [
        [entry?.all('sn').length, entry?.all('uid').length],
        [1, 0],
      ];
    },
    refuses: [['as nobody', 32, ({ nobody }) => nobody.ask(search(ada, '(objectClass=*)', { scope: 'base', attributes: ['@person'] }))]],
  },
  {
    id: '1.3.6.1.4.1.4203.1.5.3',
    name: 'filters that are true and false',
    async serves({ admin }) {
      const found = async (kind: 'and' | 'or') => (await admin.ask(whole({ kind, filters: [] }))).entries.length;
      return [
        [await found('and'), await found('or')],
        [1, 0],
      ];
    },
    refuses: [['as nobody', 32, ({ nobody }) => nobody.ask(whole({ kind: 'and', filters: [] }))]],
  },
  {
    id: '1.3.6.1.4.1.4203.1.5.4',
    name: 'language tags',
    async serves({ admin, unit }) {
      const dn = `cn=tagged,${await unit()}`;
      await admin.ask(device(dn, { 'description;lang-fr': 'premier' }));
      const found = async (filter: string) => (await admin.ask(search(dn, filter))).entries.length;
      return [
        [await found('(description;lang-fr=premier)'), await found('(description;lang-de=premier)')],
        [1, 0],
      ];
    },
    refuses: [['by who may not write', 50, (desk) => desk.ada.ask(modify(alan, ['add', 'description;lang-fr', 'x']))]],
  },
  {
    id: '1.3.6.1.4.1.4203.1.5.5',
    name: 'language ranges',
    async serves({ admin, unit }) {
      const dn = `cn=ranged,${await unit()}`;
      await admin.ask(device(dn, { 'description;lang-fr-CA': 'premier' }));
      const [entry] = (await admin.ask(search(dn, '(objectClass=*)', { attributes: ['description;lang-fr-'] }))).entries;
      return [entry?.all('description;lang-fr-CA'), ['premier']];
    },
    refuses: [['a range as the tag of a value', 17, ({ admin }) => admin.ask(modify(ada, ['add', 'description;lang-fr-', 'x']))]],
  },
  {
    id: '1.3.6.1.1.14',
    name: 'modify increment',
    async serves({ admin, unit }) {
      const dn = `cn=counter,${await unit()}`;
      await admin.ask(device(dn, { objectClass: ['device', 'extensibleObject'], gidNumber: '41' }));
      const { code } = await admin.ask(modify(dn, ['increment', 'gidNumber', '1']));
      return [
        [code, (await admin.ask(search(dn))).entries[0]?.all('gidNumber')],
        [0, ['42']],
      ];
    },
    refuses: [
      ['of what is not there', 16, ({ admin }) => admin.ask(modify(ada, ['increment', 'uidNumber', '1']))],
      ['of what is no number', 19, ({ admin }) => admin.ask(modify(ada, ['increment', 'cn', '1']))],
      ['without a number', 2, ({ admin }) => admin.ask(modify(ada, ['increment', 'uidNumber']))],
      ['by who may not write', 50, (desk) => desk.ada.ask(modify(alan, ['increment', 'uidNumber', '1']))],
    ],
  },
];
