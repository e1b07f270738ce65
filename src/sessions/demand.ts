import type { Demand } from '#policy';

const acrValuesMax = 16;
const acrLengthMax = 100;

/** A demand as it can be kept. */
export function fitDemand(demand: Demand): Demand {
  const { acrValues } = demand;
  return acrValues === undefined
    ? demand
    : { ...demand, acrValues: acrValues.slice(0, acrValuesMax).map((value) => value.slice(0, acrLengthMax)) };
}
