export { createGate, type Gate, type TokenVerdict, type VerifyAccessToken } from './api/gate.ts';
export { apiRoutes, routeOf } from './api/routes.ts';
export { errors as adminErrors } from './errors.ts';
export type { OperationDeps } from './operations/deps.ts';
export { type Performed, perform } from './operations/perform.ts';
export { type Call, type Caller, type Operation, type OperationRow, operation, type Scope } from './operations/row.ts';
export { operations } from './operations/table.ts';
export { type FieldError, Unfit } from './operations/unfit.ts';
export { settings as adminSettings } from './settings.ts';
