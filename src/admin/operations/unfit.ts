import type { z } from 'zod';

/** What is wrong with one member, in words for whoever sent it. */
export interface FieldError {
  /** `mail[0]`; absent when it is about the whole. */
  readonly field?: string;
  readonly message: string;
}

/** What was sent is not fit, member by member. */
export class Unfit extends Error {
  readonly fields: readonly FieldError[];
  constructor(...fields: readonly FieldError[]) {
    super(fields.map(({ field, message }) => `${field ?? 'all'}: ${message}`).join('; '));
    this.fields = fields;
  }
}

/** What was sent is fit, and conflicts with what there is, member by member. */
export class Conflicting extends Unfit {}

/** As many faults as are told of one call. */
const toldMax = 50;

/** The faults that a shape found, member by member. What was sent is not repeated: a secret may be among it. */
export function fieldErrorsOf({ issues }: z.ZodError): readonly FieldError[] {
  return issues.slice(0, toldMax).flatMap((issue): readonly FieldError[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys
        .slice(0, toldMax)
        .map((key) => ({ field: nameOf([...issue.path, shortened(key)]), message: 'there is no such member' }));
    const field = nameOf(issue.path);
    return [{ ...(field === '' ? {} : { field }), message: issue.message }];
  });
}

const nameLengthMax = 100;

function shortened(name: string): string {
  return name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name;
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`)).join('');
}
