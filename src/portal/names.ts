const nameLengthMax = 60;

/** What somebody calls a thing of theirs, as a form says it: on one line, and short enough to be shown. */
export function nameIn(form: URLSearchParams): string {
  const line = (form.get('name') ?? '')
    // What turns the direction of the words that follow would make one name look like another.
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
  return [...line].slice(0, nameLengthMax).join('');
}
