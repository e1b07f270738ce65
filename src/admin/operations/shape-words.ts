import type { z } from 'zod';

/**
 * What is wrong with a member, in words that go on from its name: `is missing`, `has more than 200 characters`. What the shape itself says of a member
 * comes before them.
 *
 * @returns nothing for a fault that has no words here: the library's own stand then
 */
export function shapeWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `is to be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in counted) return 'is empty';
      return `${counted[issue.origin] === undefined ? 'is less than' : 'has fewer than'} ${amount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `${counted[issue.origin] === undefined ? 'is more than' : 'has more than'} ${amount(issue.maximum, issue.origin)}`;
    case 'invalid_value':
      return `is to be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return formats[issue.format];
    case 'invalid_union':
      return 'has none of the forms that it takes. GET /admin-api/openapi.json shows them.';
  }
  return undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** What is counted of a member; of a number it is the number itself. */
const counted: Readonly<Record<string, string>> = { string: 'character', array: 'value' };

const formats: Readonly<Record<string, string>> = {
  datetime: 'is to be a time such as 2026-01-31T12:00:00Z',
  base64url: 'is not as it was given: it has other characters than base64url has',
};

function amount(bound: number | bigint, origin: string): string {
  const unit = counted[origin];
  return unit === undefined ? `${bound}` : `${bound} ${unit}${bound === 1 ? '' : 's'}`;
}
