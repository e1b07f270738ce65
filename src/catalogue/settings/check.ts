import { settingErrors } from './errors.ts';
import type { SettingRow } from './rows.ts';

export type Checked =
  | { readonly kind: 'fit'; readonly value: number | boolean | string | readonly string[] | undefined }
  | { readonly kind: 'unfit'; readonly code: SettingFault; readonly why: string };

type SettingFault = typeof settingErrors.settingInvalid.code | typeof settingErrors.settingWithoutValue.code;

const textLengthMax = 4096;
const quotedLengthMax = 40;

/**
 * Holds what was given against a setting's row. The same check serves whatever door a value comes through.
 *
 * @param given  text, as the environment has it, or a value as JSON has it
 * @returns the value to use, or what is wrong with it, without repeating a secret
 */
export function checkSetting(row: SettingRow, given: unknown): Checked {
  if (given === null || given === undefined) return without('null is no value');
  switch (row.kind) {
    case 'integer':
      return checkInteger(row, given);
    case 'boolean':
      return checkBoolean(given);
    case 'choice':
      return checkChoice(row, given);
    case 'list':
      return checkList(row, given);
    case 'text':
    case 'secret':
      return checkText(row, given);
  }
}

function checkInteger(row: SettingRow, given: unknown): Checked {
  if (given === '') return row.mayBeEmpty ? accept(undefined) : without('it is empty, and an integer is needed');
  const value = typeof given === 'string' && /^-?[0-9]{1,15}$/.test(given) ? Number(given) : given;
  const min = row.min ?? Number.MIN_SAFE_INTEGER;
  const max = row.max ?? Number.MAX_SAFE_INTEGER;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return accept(value);
  const bounds = row.max !== undefined ? ` from ${min} to ${max}` : row.min !== undefined ? ` of at least ${min}` : '';
  return reject(`must be an integer${bounds}${row.mayBeEmpty ? ', or empty' : ''}, not ${quote(given)}`);
}

function checkBoolean(given: unknown): Checked {
  if (given === true || given === 'true') return accept(true);
  if (given === false || given === 'false') return accept(false);
  return given === '' ? without('it is empty; true or false is needed') : reject(`must be true or false, not ${quote(given)}`);
}

function checkChoice(row: SettingRow, given: unknown): Checked {
  const values = row.values ?? [];
  if (typeof given === 'string' && values.includes(given)) return accept(given);
  const offered = `one of ${values.join(', ')}`;
  return given === '' ? without(`it is empty; ${offered} is needed`) : reject(`must be ${offered}, not ${quote(given)}`);
}

/** From the environment a list is written with commas. */
function checkList(row: SettingRow, given: unknown): Checked {
  const items: unknown[] | undefined =
    typeof given === 'string'
      ? given
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== '')
      : Array.isArray(given)
        ? given
        : undefined;
  if (items === undefined) return reject(`must be a list, not ${quote(given)}`);
  const texts: string[] = [];
  for (const item of items) {
    const text = checkText(row, item);
    if (text.kind === 'unfit') return text;
    if (typeof item !== 'string') return reject('must be a list of texts');
    if (row.values !== undefined && !row.values.includes(item)) {
      return reject(`may hold ${row.values.join(', ')}, not ${quote(item)}`);
    }
    texts.push(item);
  }
  return new Set(texts).size === texts.length ? accept(texts) : reject('names something twice');
}

function checkText(row: SettingRow, given: unknown): Checked {
  if (typeof given !== 'string') return reject(`must be a text, not ${typeof given}`);
  if (given === '') return (row.min ?? 0) > 0 ? without('it is empty, and a text is needed') : accept('');
  const max = row.max ?? textLengthMax;
  if (given.length > max) return reject(`is longer than ${max} characters`);
  if (row.min !== undefined && given.length < row.min) return reject(`is shorter than ${row.min} characters`);
  if (/\p{Cc}/u.test(given)) return reject('holds a control character');
  const wrong = row.check?.(given);
  return wrong === undefined ? accept(given) : reject(wrong);
}

function accept(value: number | boolean | string | readonly string[] | undefined): Checked {
  return { kind: 'fit', value };
}

function reject(why: string): Checked {
  return { kind: 'unfit', code: settingErrors.settingInvalid.code, why };
}

function without(why: string): Checked {
  return { kind: 'unfit', code: settingErrors.settingWithoutValue.code, why };
}

/** What was given, short and on one line. Never called for the text of a secret. */
function quote(given: unknown): string {
  if (typeof given === 'object') return Array.isArray(given) ? 'a list' : 'an object';
  const text = String(given);
  return JSON.stringify(text.length > quotedLengthMax ? `${text.slice(0, quotedLengthMax)}…` : text);
}
