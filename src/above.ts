import type { Addresses } from '#commands';
import type { Below } from './below.ts';
import type { Foundation } from './foundation.ts';
export async function startAbove(_f: Foundation, _b: Below): Promise<Addresses> { return {}; }
