import type { Chance } from '#base';

const portionOctets = 65_536;

/** Asks for much at a time: to ask costs more than what is got. */
export function inPortions(chance: Chance): Chance {
  let portion = new Uint8Array(0);
  let at = 0;
  return {
    octets(count) {
      if (at + count > portion.length) {
        portion = new Uint8Array(chance.octets(Math.max(count, portionOctets)));
        at = 0;
      }
      at += count;
      return portion.slice(at - count, at);
    },
  };
}
