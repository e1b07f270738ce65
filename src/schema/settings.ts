import type { SettingRows } from '#catalogue';

export const settings = {
  'schema.folder': {
    env: 'STS_SCHEMA_FOLDER',
    kind: 'text',
    default: '',
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means:
      'folder of further schema files (.schema, .ldif), read at start behind the built-in ones; without one, schema in the data folder',
  },
} as const satisfies SettingRows;
