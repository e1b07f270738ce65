import { text } from '#base';
import { bindByScram } from '../support/scram.ts';
import { type Peer, saslBind } from './doors.ts';
import { ada, type Row, unfit, whoAmI } from './row.ts';

export const passwordOf = (uid: string) => `The 1st password of ${uid}`;

const who = async (peer: Peer) => text((await peer.ask(whoAmI)).value ?? unfit);

async function scram(peer: Peer, mechanism: string, name: string, password: string, authzId = ''): Promise<{ readonly code: number }> {
  const step = async (_: string, credentials: string) => {
    const { code, value } = await peer.ask(saslBind(mechanism, credentials));
    return { code, said: text(value ?? new Uint8Array(0)) ?? '' };
  };
  return await bindByScram(step, name, password, { mechanism, authzId });
}

const byScram = (mechanism: string): Row => ({
  id: mechanism,
  name: mechanism,
  async serves({ another }) {
    const peer = await another();
    const { code } = await scram(peer, mechanism, 'ada', passwordOf('ada'));
    return [
      [code, await who(peer)],
      [0, `dn:${ada}`],
    ];
  },
  refuses: [
    ['a wrong password', 49, async ({ another }) => scram(await another(), mechanism, 'ada', 'x')],
    ['somebody who is not there', 49, async ({ another }) => scram(await another(), mechanism, 'none', 'x')],
    ['as another', 50, async ({ another }) => scram(await another(), mechanism, 'ada', passwordOf('ada'), 'u:alan')],
    ['what cannot be read', 2, async ({ another }) => (await another()).ask(saslBind(mechanism, 'x'))],
  ],
});

/** Everything under supportedSASLMechanisms. */
export const mechanismRows: readonly Row[] = [
  {
    id: 'EXTERNAL',
    name: 'EXTERNAL',
    doors: ['ldapi', 'certificate'],
    async serves({ another, door }) {
      const peer = await another();
      const { code } = await peer.ask(saslBind('EXTERNAL'));
      return [
        [code, await who(peer)],
        [0, door === 'ldapi' ? 'u:operator' : `dn:${ada}`],
      ];
    },
    refuses: [['as somebody who is not there', 50, async ({ another }) => (await another()).ask(saslBind('EXTERNAL', 'u:none'))]],
  },
  byScram('SCRAM-SHA-256'),
  byScram('SCRAM-SHA-1'),
  {
    id: 'PLAIN',
    name: 'PLAIN',
    doors: ['ldaps', 'StartTLS', 'ldapi', 'certificate'],
    async serves({ another }) {
      const peer = await another();
      const { code } = await peer.ask(saslBind('PLAIN', `\0ada\0${passwordOf('ada')}`));
      return [
        [code, await who(peer)],
        [0, `dn:${ada}`],
      ];
    },
    refuses: [
      ['a wrong password', 49, async ({ another }) => (await another()).ask(saslBind('PLAIN', '\0ada\0x'))],
      ['as another', 50, async ({ another }) => (await another()).ask(saslBind('PLAIN', `u:alan\0ada\0${passwordOf('ada')}`))],
      ['what cannot be read', 2, async ({ another }) => (await another()).ask(saslBind('PLAIN', 'x'))],
    ],
  },
];
