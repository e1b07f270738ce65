import { type Refusal, refuse } from '#catalogue';
import type { Definition } from './definitions.ts';
import { errors } from './errors.ts';

/** The refusal of a definition, saying where it stands. */
export function invalid({ file, line }: Definition, why: string): Refusal {
  return refuse(errors.schemaInvalid, { file, line, why });
}
