import type { ErrorRow } from '#catalogue';

/** @see specification document 2, "STS-HTTP" */
export const errors = {
  noRoute: row('0001', 'no route has the path', 404),
  clientErrorUnclassified: row('0002', 'an answer of 400 to 499 whose cause no handler named; the failing place lacks a code of its own'),
  serverErrorUnclassified: row('0003', 'an answer of 500 to 599 whose cause no handler named; the failing place lacks a code of its own'),
  bodyTooLarge: row('0004', 'the body is larger than http.bodyOctetsMax, counted after decompression', 413),
  queryNameRefused: row('0010', 'a query parameter is called constructor, prototype, proto or __proto__', 400),
  queryControlCharacter: row('0011', 'a query value holds a control character', 400),
  bodyNotRead: row('0012', 'the charset or the content encoding of the body is not read here', 415),
  bodyBroken: row('0013', 'the body is cut off, its length is not its Content-Length, or its compression is broken', 400),
  beforeRouter: row('0014', 'what arrived is no request that could be handed to the router: {why}'),
  csrfMissing: row('0015', 'a form that changes something came without a CSRF token', 403),
  csrfForeign: row('0016', 'the CSRF token belongs to another session, or to one that has ended', 403),
  identityLimited: row(
    '0017',
    'too many failed attempts for one identity within the window (security.rateLimitPerIdentity, security.rateLimitWindowS)',
    429,
  ),
  addressLimited: row(
    '0018',
    'too many failed attempts from one address within the window (security.rateLimitPerAddress, security.rateLimitWindowS)',
    429,
  ),
  corsPreflight: row('0019', 'a CORS preflight from an origin that is neither ours nor listed by any application', 204),
  corsNoClient: row('0020', 'a cross-origin request that names no client, from an origin that is not allowed'),
  corsNoApplication: row('0021', 'a cross-origin request that names a client the realm does not have'),
  corsNotListed: row('0022', 'a cross-origin request from an origin that its client does not list'),
  corsOriginUnfit: row('0023', 'a value of global.corsOrigins is no origin and is ignored: {value}'),

  hostRefused: row('9001', 'the Host header names no host that this service answers for', 421),
  targetMalformed: row('9002', 'the request target is not a path with well-formed escapes', 400),
  methodNotAllowed: row('9003', 'the path has no route of this method', 405),
  mediaTypeNotRead: row('9004', 'the body is not a form', 415),
  protectionNeeded: row('9005', 'product mode: a form came unprotected from beyond this machine', 403),
  formMalformed: row('9006', 'the form has too many fields, or is not UTF-8', 400),
  notListening: row(
    '9007',
    'startup refused: the web cannot listen on {address}: {why}; http.port, http.tlsPort and http.host say where it listens, and ports below 1024 take a privilege',
  ),
  jsonTypeNotRead: row('9520', 'the body is not of the media type that the route reads', 415),
  jsonMalformed: row('9521', 'the body is no JSON text in UTF-8', 400),
  jsonRefused: row('9522', 'the body nests too deep, or has a member called __proto__, constructor or prototype', 400),
  replyBroken: row('9523', 'an answer that is sent as it is made broke off: {why}'),
  realmUnknown: { code: 'STS-CORE-9110', means: 'the path names a realm that there is not', sees: { http: 404 }, state: 'live' },
  realmRemoved: {
    code: 'STS-CORE-0121',
    means: 'a sign-in or an issuance is refused: its realm is being removed',
    sees: { http: 503 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;

function row(digits: `${number}`, means: string, http?: number): ErrorRow {
  return { code: `STS-HTTP-${digits}`, means, sees: http === undefined ? {} : { http }, state: 'live' };
}
