import type { SettingRows } from '#catalogue';

export const settings = {
  'log.level': {
    env: 'STS_LOG_LEVEL',
    kind: 'choice',
    default: 'info',
    values: ['error', 'warn', 'info', 'debug'],
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'the least important lines that the log shows',
  },
  'log.format': {
    env: 'STS_LOG_FORMAT',
    kind: 'choice',
    default: 'auto',
    values: ['auto', 'human', 'json'],
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'how a line of the log is written; auto writes for people on a terminal and JSON otherwise',
  },
  'audit.fieldLengthMax': {
    env: 'STS_AUDIT_FIELD_LENGTH_MAX',
    kind: 'integer',
    default: 1024,
    min: 64,
    max: 65_536,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'characters kept of each text of an audit row or a line of the log',
  },
} as const satisfies SettingRows;
