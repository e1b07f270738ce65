import { reserve } from './reserve.ts';

const plainRefusal = { http: 400 };

/** @see specification document 2, "STS-HTTP" and "STS-PROXY" */
export const front = [
  reserve('HTTP', 'reserved', [
    ['0001', 'no route has the path', { http: 404 }],
    ['0002', 'an answer of 400 to 499 whose cause no handler named; the failing place lacks a code of its own'],
    ['0003', 'an answer of 500 to 599 whose cause no handler named; the failing place lacks a code of its own'],
    ['0004', 'the body is larger than 5 MB', { http: 413 }],
    ['0010', 'a query parameter is called constructor, prototype or proto', plainRefusal],
    ['0011', 'a query value holds a control character', plainRefusal],
    ['0012', 'the charset or the content encoding of the body is not read here', { http: 415 }],
    ['0013', 'the body is cut off, or its length is not its Content-Length', { http: 400 }],
    ['0014', 'something before the router failed in a way nobody classified'],
    ['0015', 'a form that changes something came from a signed-in session without a CSRF token'],
    ['0016', 'the CSRF token belongs to another session, or to one that has ended'],
    ['0017', 'too many attempts for one identity within the window'],
    ['0018', 'too many attempts from one address within the window'],
    ['0019', 'a CORS preflight from an origin that is neither ours nor listed by any application', { http: 204 }],
    ['0020', 'a cross-origin request that names no client, from an origin that is not allowed'],
    ['0021', 'a cross-origin request that names a client the realm does not have'],
    ['0022', 'a cross-origin request from an origin that its client does not list'],
    ['0023', 'a value of global.corsOrigins is no origin and is ignored'],
  ]),
  reserve('PROXY', 'reserved', [
    ['0001', 'a connection from an address outside global.trustedProxies, told once per address and minute'],
    ['0002', 'a trusted proxy did not begin with the signature of version 2'],
    ['0003', 'a header of version 1, the text form, arrived'],
    ['0004', 'the header of version 2 is malformed'],
    ['0005', 'the header announces more than 4096 bytes of address and TLVs'],
    ['0006', 'the CRC32C of the header does not match'],
    ['0007', 'the header was not complete within global.proxyProtocolTimeoutMs'],
    ['0008', 'the connection ended within the header'],
    ['0009', 'startup refused: version 2 is asked for and global.trustedProxies holds no usable address'],
  ]),
];
