import test from 'ava';
import { ClientRefusal, type Subject } from '#client';
import { encodeBer } from '#ldap';
import { openWebLayer } from '../support/web-layer.ts';
import { person } from './driver.ts';

const oid = '2.25.83716444157178576224225129172109131643.6.170';
const asked = encodeBer((ber) => ber.sequence(() => ber.string(person('ada'))));

test('connections are counted on the web layer’s socket, for those who manage the entry; what cannot be read is refused', async (t) => {
  const layer = await openWebLayer(t);
  const code = async (subject: Subject, value: Uint8Array) => {
    const thrown = await t.throwsAsync(layer.client.as(subject).extended(oid, value), { instanceOf: ClientRefusal });
    return thrown?.code;
  };
  t.is(
    await code(
      'self',
      encodeBer((ber) => ber.number(1)),
    ),
    2,
  );
  t.is(await code({ dn: person('ada') }, asked), 50, 'of oneself neither: it is not a person’s own');
  t.is(
    await code(
      'self',
      encodeBer((ber) => ber.sequence(() => ber.string(person('nobody')))),
    ),
    32,
  );
  const outside = layer.house.connect('operators', { address: 'local' });
  t.is((await outside.ask({ kind: 'extendedRequest', oid, value: asked })).result.code, 2, 'there is no such operation at another door');
});
