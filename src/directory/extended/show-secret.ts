import { empty } from '#base';
import { refuse } from '#catalogue';
import { constantTimeEqual } from '#keys';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

/** The web layer shows the secret of this start on its own socket. */
export const showSecret: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.1',
  name: 'show secret',
  offered: ({ door }) => door === 'web',
  perform({ engine, connection }, value) {
    const { webSecret } = engine;
    if (webSecret === undefined || webSecret.length === 0 || !constantTimeEqual(value ?? empty, webSecret))
      throw refuse(errors.webLayerRefused);
    connection.trusted = true;
    connection.identity = { dn: undefined, uuid: undefined, strength: 'webLayer' };
    return { kind: 'extendedResponse', result: done };
  },
};
