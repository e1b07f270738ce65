import type { ErrorRow } from '#catalogue';

/** What the management API refuses. Its words to clients are those of the table in `api/answer.ts`; codes are for operators. */
export const errors = {
  tokenMissing: row('9000', 'a call came without an access token', 401),
  tokenRefused: row('9001', 'the access token is not good for this API: {why}', 401),
  scopeMissing: row('9002', 'the access token lacks the scope {scope}', 403),
  roleMissing: row('9003', 'the caller is in no group of the role that the call takes', 403),
  authNotRequired: row('9004', 'ADMIN_API_AUTH_REQUIRED is false: everybody who reaches the management API administers this service'),
  foreignPage: row('9005', 'without required tokens, a page of another origin may not call', 403),
  unfit: row('9006', 'what was sent is not of the shape of the operation: {what}', 400),
  absent: row('9007', 'there is no {what}', 404),
  forbidden: row('9008', 'the directory gives the caller no right to do it', 403),
  changedMeanwhile: row('9009', 'it was changed since the caller read it', 412),
  conflict: row('9010', 'it conflicts with what there is', 409),
  refusedAsUnfit: row('9011', 'the directory refuses it as unfit', 400),
  tooMuch: row('9012', 'it takes more than a search may: a narrower one is needed', 400),
  keyOfAnother: row('9014', 'an Idempotency-Key comes a second time with another call', 422),
  keyUnderWay: row(
    '9015',
    'an Idempotency-Key comes a second time while its first call is under way, or when what that said is told once',
    409,
  ),
  operatorAbsent: row('9300', 'the operators’ door acts as the built-in administrator, and there is no {uid} in the default realm', 403),
  keyNotNoted: row(
    '9240',
    'what a call with an Idempotency-Key made could not be noted: it is held in memory until the state can be written',
  ),
  busy: row('9013', 'the directory cannot do it now', 503),
  taskDenied: row(
    '9210',
    'more LDIF than one transaction holds is imported by a task, which those give who manage the service; send less at a time, or with continue',
    403,
  ),
  settingUnknown: row('9060', 'there is no setting {name}: see the list of settings', 400),
  nothingToReset: core('0007', 'there is nothing to reset: {name} was not set while the service runs', 400),
  nothingToClear: core('0016', 'there is nothing to reset: the realm does not set {name}', 400),
  // Of the console.
  notAdministrator: consoleRow('9000', 'somebody asked for the console whom no group of the roster gives Admin Read or Admin Write', 403),
  readOnly: consoleRow('9001', 'somebody with Admin Read alone asked the console to change something', 403),
  loginRequired: consoleRow('9004', 'the JSON form of a page of the console was asked for without a session', 401),
  thingAbsent: consoleRow('9002', 'the console was asked for what is not there, or what the directory does not show to who asked', 404),
  signInOld: consoleRow(
    '9850',
    'a form of the console takes a sign-in of the last minutes, and came with an older one: what was pasted into it stands in it again',
    403,
  ),
  formUnfit: consoleRow(
    '9003',
    'a form of the console does not fit the shape of its operation, or what it destroys was not confirmed',
    422,
  ),
} as const satisfies Record<string, ErrorRow>;

function core(digits: `${number}`, means: string, http: number): ErrorRow {
  return { code: `STS-CORE-${digits}`, means, sees: { http }, state: 'live' };
}

function row(digits: `${number}`, means: string, http?: number): ErrorRow {
  return { code: `STS-API-${digits}`, means, sees: http === undefined ? {} : { http }, state: 'live' };
}

function consoleRow(digits: `${number}`, means: string, http: number): ErrorRow {
  return { code: `STS-ADMIN-${digits}`, means, sees: { http }, state: 'live' };
}
