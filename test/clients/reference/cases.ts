import type { Case } from './case.ts';
import { otherCases } from './other-cases.ts';
import { searchCases } from './search-cases.ts';
import { writeCases } from './write-cases.ts';

/** All of them, in the order in which they are made: later ones see what earlier ones changed. */
export const cases: readonly Case[] = [...searchCases, ...writeCases, ...otherCases];
