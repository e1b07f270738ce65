import { utf8 } from '#base';
import { decodeBer } from '#ldap';
import { issueLinkOid, linkOrder, readIssued } from '../flows/link-orders.ts';
import { ada, alan, control, extended, type Row, sequence, suffix, unfit } from './row.ts';

const mailQueue = '2.25.83716444157178576224225129172109131643.6.86';

/** At most so many mails of a realm. */
const listed = (of: string, limit = 10) =>
  extended(
    mailQueue,
    sequence((ber) => {
      ber.string(of);
      ber.number(limit, 0x80);
    }),
  );

/** What rooms above the LDAP interface do for an operation below it. */
export const linkOperationRows: readonly Row[] = [
  {
    id: issueLinkOid,
    name: 'issue link',
    async serves({ admin }) {
      const { code, value } = await admin.ask(extended(issueLinkOid, linkOrder('activation', alan)));
      const { link = '', untilMs } = readIssued(value);
      return [
        [code, new URL(link).pathname, untilMs > Date.now()],
        [0, '/portal/activate', true],
      ];
    },
    refuses: [
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(issueLinkOid, unfit))],
      ['of another kind', 2, ({ admin }) => admin.ask(extended(issueLinkOid, linkOrder('party', alan)))],
      ['as nobody', 50, ({ nobody }) => nobody.ask(extended(issueLinkOid, linkOrder('activation', alan)))],
      ['of another, by a person', 50, (desk) => desk.ada.ask(extended(issueLinkOid, linkOrder('activation', alan)))],
      ['of oneself', 50, (desk) => desk.ada.ask(extended(issueLinkOid, linkOrder('activation', ada)))],
      ['of what is no person', 53, ({ admin }) => admin.ask(extended(issueLinkOid, linkOrder('reset', suffix)))],
      ['by mail where there is no mail server', 53, ({ admin }) => admin.ask(extended(issueLinkOid, linkOrder('reset', alan, true)))],
      ['with a critical control that nobody knows', 12, ({ admin }) => admin.ask(extended(issueLinkOid), control('1.2.3.4'))],
    ],
  },
  {
    id: mailQueue,
    name: 'mail queue',
    async serves({ admin }) {
      const { value } = await admin.ask(listed(suffix));
      return [value && decodeBer(value, (ber) => ber.list(() => ber.octets())), []];
    },
    refuses: [
      ['a value that cannot be read', 2, ({ admin }) => admin.ask(extended(mailQueue, utf8('x')))],
      ['by a person', 50, (desk) => desk.ada.ask(listed(suffix))],
      ['of no realm', 32, ({ admin }) => admin.ask(listed('dc=nowhere'))],
      ['with a critical control that nobody knows', 12, ({ admin }) => admin.ask(extended(mailQueue), control('1.2.3.4'))],
    ],
  },
];
