/**
 * Reads the criteria of search guides by recursive descent.
 *
 * @returns whether the text is a Guide, or an EnhancedGuide when `enhanced`
 * @see RFC 4517 §3.3.14 (Guide), §3.3.10 (Enhanced Guide)
 */
export function isGuide(text: string, enhanced: boolean): boolean {
  const parts = text.split('#');
  if (!enhanced) {
    if (parts.length > 2) return false;
    const [first = '', second] = parts;
    return second === undefined ? isCriteria(first) : oid.test(first.trim()) && isCriteria(second);
  }
  const [objectClass = '', criteria = '', subset = ''] = parts;
  return (
    parts.length === 3 &&
    oid.test(objectClass.trim()) &&
    isCriteria(criteria.trim()) &&
    /^(?:baseobject|oneLevel|wholeSubtree)$/i.test(subset.trim())
  );
}

/** How deep parentheses may nest in a guide. */
const depthMax = 20;
const oid = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)$/;
const leaf = /^(?:\?true|\?false|(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)\$(?:EQ|SUBSTR|GE|LE|APPROX))/i;

function isCriteria(text: string): boolean {
  return criteriaEnd(text, 0, 0) === text.length;
}

/** The offset behind criteria that begin at `at`, or -1. */
function criteriaEnd(text: string, at: number, depth: number): number {
  let end = termEnd(text, at, depth);
  while (end > 0 && (text[end] === '|' || text[end] === '&')) end = termEnd(text, end + 1, depth);
  return end;
}

function termEnd(text: string, at: number, depth: number): number {
  let from = at;
  while (text[from] === '!') from++;
  if (text[from] === '(') {
    if (depth === depthMax) return -1;
    const end = criteriaEnd(text, from + 1, depth + 1);
    return end > 0 && text[end] === ')' ? end + 1 : -1;
  }
  const found = leaf.exec(text.slice(from));
  return found === null ? -1 : from + found[0].length;
}
