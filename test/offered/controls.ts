import { utf8 } from '#base';
import { decodeBer } from '#ldap';
import { dereferenced, dereferencesOf, matching, paged, pageOf, session, sortedBy, viewed, viewOf } from '../directory/control-values.ts';
import { add, asserting, compare, equals, modify, oids, reading, remove } from '../writes/table.ts';
import { ada, alan, control, device, extended, type Row, search, sequence, suffix, unfit, whoAmI } from './row.ts';

const who = search(ada, '(objectClass=*)', { scope: 'base', attributes: ['cn', 'sn'] });
const children = (base: string) => search(base, '(objectClass=*)', { scope: 'one', attributes: ['cn'] });
const comparison = compare(ada, 'sn', 'Lovelace');
const cut = (oid: string, title = 'a value that cannot be read'): Row['refuses'][number] => [
  title,
  2,
  ({ admin }) => admin.ask(who, control(oid, unfit)),
];
/** Critical, with an operation that it is not for. */
const foreign = (oid: string, value?: Uint8Array): Row['refuses'][number] => [
  'critical with a comparison',
  12,
  ({ admin }) => admin.ask(comparison, control(oid, value)),
];
const foreignToSearch = (oid: string, value?: Uint8Array): Row['refuses'][number] => [
  'critical with a search',
  12,
  ({ admin }) => admin.ask(who, control(oid, value)),
];

const proxied = '2.16.840.1.113730.3.4.18';
const tracking = '1.3.6.1.4.1.21008.108.63.1';
const copy = '1.3.6.1.1.22';
const manage = '2.16.840.1.113730.3.4.2';
const subentriesOid = '1.3.6.1.4.1.4203.1.10.1';

const ofAll: readonly Row[] = [
  {
    id: proxied,
    name: 'proxied authorization',
    async serves({ admin }) {
      const { value } = await admin.ask(whoAmI, control(proxied, 'u:ada'));
      return [Buffer.from(value ?? []).toString(), `dn:${ada}`];
    },
    refuses: [
      ['not critical', 2, ({ admin }) => admin.ask(whoAmI, control(proxied, 'u:ada', false))],
      ['without the right', 123, (desk) => desk.ada.ask(who, control(proxied, 'u:alan'))],
      ['as nobody', 123, ({ nobody }) => nobody.ask(who, control(proxied, 'u:ada'))],
    ],
  },
  {
    id: tracking,
    name: 'session tracking',
    serves: async ({ admin }) => [(await admin.ask(who, { ...session('192.0.2.1', 'host', '1.2.3', 'ada'), critical: true })).code, 0],
    refuses: [cut(tracking), ['without a value', 2, ({ admin }) => admin.ask(who, control(tracking))]],
  },
  {
    id: oids.assertion,
    name: 'assertion',
    serves: async ({ admin }) => [(await admin.ask(who, asserting(equals('sn', 'Lovelace')))).entries.length, 1],
    refuses: [
      ['one that is not true', 122, ({ admin }) => admin.ask(who, asserting(equals('sn', 'Turing')))],
      cut(oids.assertion),
      ['critical with an extended operation', 12, ({ admin }) => admin.ask(whoAmI, asserting(equals('sn', 'x')))],
    ],
  },
  {
    id: manage,
    name: 'ManageDsaIT',
    async serves({ admin, unit }) {
      const dn = `ou=elsewhere,${await unit()}`;
      const attributes = ['referral', 'extensibleObject'].map(utf8);
      await admin.ask(
        {
          kind: 'addRequest',
          entry: dn,
          attributes: [
            { description: 'objectClass', values: attributes },
            { description: 'ref', values: [utf8('ldap://x.example')] },
          ],
        },
        control(manage),
      );
      const [without, beside] = [await admin.ask(search(dn)), await admin.ask(search(dn), control(manage))];
      return [
        [without.code, beside.code, beside.entries.map((entry) => entry.dn)],
        [10, 0, [dn]],
      ];
    },
    refuses: [
      ['a value', 2, ({ admin }) => admin.ask(who, control(manage, 'x'))],
      ['twice', 2, ({ admin }) => admin.ask(who, control(manage), control(manage))],
    ],
  },
  {
    id: copy,
    name: 'dontUseCopy',
    serves: async ({ admin }) => [(await admin.ask(who, control(copy))).entries.length, 1],
    refuses: [
      ['not critical', 2, ({ admin }) => admin.ask(who, control(copy, undefined, false))],
      ['a value', 2, ({ admin }) => admin.ask(who, control(copy, 'x'))],
      ['critical with a delete', 12, ({ admin }) => admin.ask(remove(ada), control(copy))],
    ],
  },
];

const policy = '1.3.6.1.4.1.42.2.27.8.5.1';

const showDeleted = '1.2.840.113556.1.4.417';

const ofTheDeleted: readonly Row[] = [
  {
    id: showDeleted,
    name: 'show deleted',
    async serves({ admin, unit }) {
      const dn = `cn=gone,${await unit()}`;
      await admin.ask(add(dn, { objectClass: 'person', cn: 'gone', sn: 'Gone' }));
      await admin.ask(remove(dn));
      const kept = search(suffix, `(stsDeletedDN=${dn})`);
      const [without, beside] = [await admin.ask(kept), await admin.ask(kept, control(showDeleted))];
      return [
        [without.entries.length, beside.entries.length],
        [0, 1],
      ];
    },
    refuses: [['a value', 2, ({ admin }) => admin.ask(who, control(showDeleted, 'x'))], foreign(showDeleted)],
  },
];

const ofPasswords: readonly Row[] = [
  {
    id: policy,
    name: 'password policy',
    async serves({ admin }) {
      const short = modify(alan, ['replace', 'userPassword', 'Short-7']);
      const { code, controls } = await admin.ask(short, control(policy));
      const value = controls.find(({ oid }) => oid === policy)?.value;
      const error = value && decodeBer(value, (ber) => ber.sequence(() => ber.number(0x81)));
      // draft-behera-ldap-password-policy §6.2: passwordTooShort.
      return [
        [code, error],
        [19, 6],
      ];
    },
    refuses: [
      ['a value', 2, ({ admin }) => admin.ask(modify(alan, ['replace', 'sn', 'Turing']), control(policy, 'x'))],
      ['critical with a comparison', 12, ({ admin }) => admin.ask(comparison, control(policy))],
    ],
  },
];

const page = '1.2.840.113556.1.4.319';
const sort = '1.2.840.113556.1.4.473';
const view = '2.16.840.1.113730.3.4.9';
const matched = '1.2.826.0.1.3344810.2.3';
const dereference = '1.3.6.1.4.1.4203.666.5.16';

const ofSearches: readonly Row[] = [
  {
    id: subentriesOid,
    name: 'subentries',
    async serves({ admin, unit }) {
      const base = await unit();
      const dn = `cn=policy,${base}`;
      const attributes = { objectClass: 'subentry', subtreeSpecification: '{ }' };
      await admin.ask(device(dn, attributes));
      const { entries } = await admin.ask(search(base), control(subentriesOid, Uint8Array.of(1, 1, 255)));
      return [entries.map((entry) => entry.dn), [dn]];
    },
    refuses: [
      cut(subentriesOid),
      ['without a value', 2, ({ admin }) => admin.ask(who, control(subentriesOid))],
      foreign(subentriesOid, Uint8Array.of(1, 1, 255)),
    ],
  },
  {
    id: page,
    name: 'paged results',
    async serves({ admin, unit }) {
      const request = children(await unit());
      const first = await admin.ask(request, paged(1));
      const second = await admin.ask(request, paged(1, pageOf(first)?.cookie));
      const names = [first, second].flatMap(({ entries }) => entries.flatMap((entry) => entry.all('cn')));
      return [
        [names, pageOf(second)?.cookie.length],
        [['one', 'two'], 0],
      ];
    },
    refuses: [
      cut(page),
      ['a cookie of nobody', 53, ({ admin }) => admin.ask(who, paged(1, new Uint8Array(16)))],
      foreign(page, paged(1).value),
    ],
  },
  {
    id: sort,
    name: 'sorting',
    async serves({ admin, unit }) {
      const { entries } = await admin.ask(children(await unit()), sortedBy('-cn:caseIgnoreOrderingMatch'));
      return [entries.flatMap((entry) => entry.all('cn')), ['two', 'one']];
    },
    refuses: [
      cut(sort),
      ['by a type that nobody knows', 12, ({ admin }) => admin.ask(who, sortedBy('nothing'))],
      foreign(sort, sortedBy('cn').value),
    ],
  },
  {
    id: view,
    name: 'virtual list view',
    async serves({ admin, unit }) {
      const answers = await admin.ask(children(await unit()), sortedBy('cn:caseIgnoreOrderingMatch'), viewed(0, 0, [2, 0]));
      return [
        [answers.entries.flatMap((entry) => entry.all('cn')), viewOf(answers)?.count],
        [['two'], 2],
      ];
    },
    refuses: [
      cut(view),
      ['without an order', 76, ({ admin }) => admin.ask(who, viewed(0, 0, [1, 0]))],
      ['an offset of none', 76, ({ admin }) => admin.ask(who, sortedBy('cn:caseIgnoreOrderingMatch'), viewed(0, 0, [99, 0]))],
      foreign(view, viewed(0, 0, [1, 0]).value),
    ],
  },
  {
    id: matched,
    name: 'matched values',
    serves: async ({ admin }) => [(await admin.ask(who, matching('(cn=*King)'))).entries[0]?.all('cn'), ['Ada King']],
    refuses: [cut(matched), foreign(matched, matching('(cn=x)').value)],
  },
  {
    id: dereference,
    name: 'dereference',
    async serves({ admin }) {
      const { entries } = await admin.ask(search(alan, '(objectClass=*)', { scope: 'base' }), dereferenced({ manager: ['sn'] }));
      const [first] = entries;
      const found = dereferencesOf(first && { ...first, attributes: [], names: [] });
      return [found, [['manager', ada, { sn: ['Lovelace'] }]]];
    },
    refuses: [
      cut(dereference),
      ['what is no name', 2, ({ admin }) => admin.ask(who, dereferenced({ cn: ['sn'] }))],
      foreign(dereference, dereferenced({ manager: ['sn'] }).value),
    ],
  },
];

const sync = '1.3.6.1.4.1.4203.1.9.1.1';
const persistent = '2.16.840.1.113730.3.4.3';
const refreshOnly = sequence((ber) => ber.enumerated(1));
const changes = (types: number) =>
  sequence((ber) => {
    ber.number(types);
    ber.boolean(true);
    ber.boolean(true);
  });

const thatLast: readonly Row[] = [
  {
    id: sync,
    name: 'content synchronisation',
    async serves({ admin, unit }) {
      const { entries, controls } = await admin.ask(children(await unit()), control(sync, refreshOnly));
      const stated = entries.map((entry) => entry.controls.map(({ oid }) => oid));
      return [
        [stated, controls.map(({ oid }) => oid)],
        [[[`${sync.slice(0, -1)}2`], [`${sync.slice(0, -1)}2`]], [`${sync.slice(0, -1)}3`]],
      ];
    },
    refuses: [
      cut(sync),
      [
        'a mode that is none',
        2,
        ({ admin }) =>
          admin.ask(
            who,
            control(
              sync,
              sequence((ber) => ber.enumerated(2)),
            ),
          ),
      ],
      ['in pages', 53, ({ admin }) => admin.ask(who, control(sync, refreshOnly), paged(1))],
      foreign(sync, refreshOnly),
    ],
  },
  {
    id: persistent,
    name: 'persistent search',
    async serves({ admin, unit }) {
      const base = await unit();
      const listening = admin.begin(children(base), control(persistent, changes(15)));
      await admin.ask(device(`cn=three,${base}`));
      const { dn, controls } = await admin.entryOf(listening);
      const kind = decodeBer(controls[0]?.value ?? unfit, (ber) => ber.sequence(() => ber.enumerated()));
      admin.begin({ kind: 'abandonRequest', messageId: listening });
      return [
        [dn, kind],
        [`cn=three,${base}`, 1],
      ];
    },
    refuses: [
      cut(persistent),
      ['of no changes', 2, ({ admin }) => admin.ask(who, control(persistent, changes(0)))],
      foreign(persistent, changes(15)),
    ],
  },
];

const described = (dn: string, how: 'add' | 'delete', value: string) => modify(dn, [how, 'description', value]);

const ofWrites: readonly Row[] = [
  {
    id: oids.preRead,
    name: 'pre-read',
    async serves({ admin, unit }) {
      const { controls } = await admin.ask(described(`cn=one,${await unit()}`, 'add', 'third'), reading(oids.preRead, 'description'));
      return [texts(controls[0]?.value), ['second']];
    },
    refuses: [
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(remove(ada), control(oids.preRead, unfit))],
      ['critical with an add', 12, ({ admin }) => admin.ask(device(`cn=x,${ada}`), reading(oids.preRead, 'cn'))],
      foreignToSearch(oids.preRead, reading(oids.preRead, 'cn').value),
    ],
  },
  {
    id: oids.postRead,
    name: 'post-read',
    async serves({ admin, unit }) {
      const { controls } = await admin.ask(described(`cn=one,${await unit()}`, 'add', 'third'), reading(oids.postRead, 'description'));
      return [texts(controls[0]?.value), ['third']];
    },
    refuses: [
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(described(ada, 'add', 'x'), control(oids.postRead, unfit))],
      ['critical with a delete', 12, ({ admin }) => admin.ask(remove(ada), reading(oids.postRead, 'cn'))],
    ],
  },
  {
    id: oids.permissive,
    name: 'permissive modify',
    async serves({ admin, unit }) {
      const change = described(`cn=one,${await unit()}`, 'add', 'first');
      return [
        [(await admin.ask(change)).code, (await admin.ask(change, control(oids.permissive))).code],
        [20, 0],
      ];
    },
    refuses: [
      ['a value', 2, ({ admin }) => admin.ask(described(ada, 'add', 'x'), control(oids.permissive, 'x'))],
      ['by who may not write', 50, (desk) => desk.ada.ask(described(alan, 'add', 'x'), control(oids.permissive))],
      foreignToSearch(oids.permissive),
    ],
  },
  {
    id: oids.treeDelete,
    name: 'tree delete',
    async serves({ admin, unit }) {
      const base = await unit();
      const [without, beside] = [await admin.ask(remove(base)), await admin.ask(remove(base), control(oids.treeDelete))];
      return [
        [without.code, beside.code, (await admin.ask(search(base))).code],
        [66, 0, 32],
      ];
    },
    refuses: [
      ['a value', 2, async ({ admin, unit }) => admin.ask(remove(await unit()), control(oids.treeDelete, 'x'))],
      ['by who may not delete', 50, (desk) => desk.ada.ask(remove(alan), control(oids.treeDelete))],
      foreignToSearch(oids.treeDelete),
    ],
  },
  {
    id: oids.relax,
    name: 'relax rules',
    async serves({ admin, unit }) {
      const change = modify(`cn=one,${await unit()}`, ['replace', 'createTimestamp', '20010101000000Z']);
      return [
        [(await admin.ask(change)).code, (await admin.ask(change, control(oids.relax))).code],
        [19, 0],
      ];
    },
    refuses: [
      ['by a person', 50, (desk) => desk.ada.ask(modify(ada, ['replace', 'createTimestamp', '20010101000000Z']), control(oids.relax))],
      ['a value', 2, ({ admin }) => admin.ask(described(ada, 'add', 'x'), control(oids.relax, 'x'))],
      foreignToSearch(oids.relax),
    ],
  },
  {
    id: oids.transaction,
    name: 'transaction specification',
    async serves({ admin, unit }) {
      const dn = `cn=one,${await unit()}`;
      const identifier = (await admin.ask(extended('1.3.6.1.1.21.1'))).value ?? unfit;
      const { code } = await admin.ask(described(dn, 'add', 'third'), control(oids.transaction, identifier));
      const read = async () => (await admin.ask(search(dn))).entries[0]?.all('description').includes('third');
      const before = await read();
      const ended = await admin.ask(
        extended(
          '1.3.6.1.1.21.3',
          sequence((ber) => ber.octets(identifier)),
        ),
      );
      return [
        [code, before, ended.code, await read()],
        [0, false, 0, true],
      ];
    },
    refuses: [
      ['of a transaction that is none', 53, ({ admin }) => admin.ask(described(ada, 'add', 'x'), control(oids.transaction, 'none'))],
      ['not critical', 2, ({ admin }) => admin.ask(described(ada, 'add', 'x'), control(oids.transaction, 'none', false))],
      foreignToSearch(oids.transaction, utf8('x')),
    ],
  },
];

/** The last value of the first attribute of what pre- and post-read answer with. */
function texts(value: Uint8Array = unfit): readonly string[] | undefined {
  return decodeBer(value, (ber) =>
    ber.sequence(() => {
      ber.string();
      const values: string[] = [];
      ber.list(() =>
        ber.sequence(() => {
          ber.string();
          ber.list(() => void values.push(ber.string()), 0x31);
        }),
      );
      return values.slice(-1);
    }, 0x64),
  );
}

/** Everything under supportedControl. */
export const controlRows: readonly Row[] = [...ofAll, ...ofTheDeleted, ...ofPasswords, ...ofSearches, ...thatLast, ...ofWrites];
