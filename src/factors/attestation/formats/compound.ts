import { isMap } from '../cbor.ts';
import { demand, type Format } from '../statement.ts';

/** Statements of a compound: §8.9 wants two, and nobody makes more than a few. */
const statementsMin = 2;
const statementsMax = 8;

/**
 * Several statements about one credential (WebAuthn Level 3 §8.9). Each of them must hold: one that is false makes the rest unbelievable.
 *
 * @param formats  those that may stand in it; a compound never stands in a compound
 */
export function compoundOf(formats: Readonly<Record<string, Format>>): Format {
  return (presented) => {
    const list = presented.statement.get('attestations');
    demand(Array.isArray(list) && list.length >= statementsMin && list.length <= statementsMax, 'it is no list of two to eight statements');
    return list.flatMap((each) => {
      demand(isMap(each), 'it holds what is no statement');
      const [name, statement] = [each.get('fmt'), each.get('attStmt')];
      const format = typeof name === 'string' && Object.hasOwn(formats, name) ? formats[name] : undefined;
      demand(format !== undefined && isMap(statement), 'it holds a statement of no known format');
      return format({ ...presented, statement });
    });
  };
}
