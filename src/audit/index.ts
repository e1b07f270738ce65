export { type Audit, type AuditOptions, createAudit } from './audit.ts';
export { errors as auditErrors } from './errors.ts';
export { oneLine } from './escape.ts';
export { createLog, type Log, type LogFields, type LogLevel, type LogOptions } from './log.ts';
export { createRepeats, type Repeated, type Repeats } from './repeats.ts';
export type { AuditEvent, AuditFilter, AuditRow, AuditSink, Outcome } from './row.ts';
