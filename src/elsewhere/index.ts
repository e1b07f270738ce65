export { convert, type Ground } from './convert.ts';
export { configuredDefinitions, neededDefinitions } from './definitions.ts';
export { type DialectName, dialects } from './dialect.ts';
export { createTally, type Note, type NoteKind, noteKinds, type Summary, type Tally } from './report.ts';
export { keyOf, type Survey, survey } from './survey.ts';
