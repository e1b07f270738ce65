import type { Holdings } from '#holdings';
import { fillText, relative } from '#web';
import { lacksCodes } from './mfa-pages.ts';
import { texts } from './texts.ts';

/** Something that a person had better do, and where. */
export interface Todo {
  readonly name: string;
  readonly words: string;
  readonly act: string;
  readonly path: string;
}

/** What it depends on. */
export interface TodoGiven {
  readonly holdings: Holdings;
  /** A second factor is required of the person. */
  readonly isRequired: boolean;
  /** What may be set up at this moment. */
  readonly offered: { readonly app: boolean; readonly key: boolean; readonly codes: boolean };
  /** The realm has a mail server. */
  readonly canMail: boolean;
  /** Wrong mailed codes in a row that turn that factor off. */
  readonly emailFailureLimit: number;
  /** When the password expires; `undefined` for one that does not. */
  readonly passwordExpiresMs: number | undefined;
  readonly nowMs: number;
}

/** From then on a password that expires is worth a word. */
const expiryMs = 14 * 86_400_000;
/** So few recovery codes that it is time for new ones. */
const fewCodes = 3;

/** What needs doing, the most pressing first. Nothing is said to need doing that cannot be done. */
export function todoOf(given: TodoGiven): readonly Todo[] {
  const { holdings, isRequired, offered, canMail, emailFailureLimit, passwordExpiresMs = Number.POSITIVE_INFINITY, nowMs } = given;
  const { keys, app, email, recoveryCodesLeft: left = 0 } = holdings;
  const todo: Todo[] = [];
  if (passwordExpiresMs - nowMs <= expiryMs) {
    const words = fillText(texts.todoExpiresWords, { when: relative(passwordExpiresMs, nowMs) });
    todo.push({ name: texts.todoExpires, words, act: texts.passwordAct, path: '/portal/password' });
  }
  const hasSecond = app !== undefined || keys.some(({ role }) => role === 'mfa');
  if (!hasSecond && (offered.app || offered.key)) {
    const [name, words] = isRequired ? [texts.todoRequired, texts.todoRequiredWords] : [texts.todoSecond, texts.todoSecondWords];
    todo.push({ name, words, act: texts.todoSecondAct, path: offered.app ? '/portal/mfa' : '/portal/keys' });
  }
  if (offered.codes && lacksCodes(holdings))
    todo.push({ name: texts.todoCodes, words: texts.todoCodesWords, act: texts.todoCodesAct, path: '/portal/mfa' });
  else if (offered.codes && hasSecond && left <= fewCodes)
    todo.push({ name: texts.todoFew, words: fillText(texts.todoFewWords, { count: left }), act: texts.todoCodesAct, path: '/portal/mfa' });
  if (canMail && email !== undefined) {
    const mail = { act: texts.todoMailAct, path: '/portal/mfa/email' };
    if (!email.verified) todo.push({ name: texts.todoMail, words: texts.todoMailWords, ...mail });
    else if (email.optedIn && email.failures >= emailFailureLimit)
      todo.push({ name: texts.todoMailOff, words: texts.todoMailOffWords, ...mail });
  }
  return todo;
}
