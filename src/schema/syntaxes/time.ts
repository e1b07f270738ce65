const generalized = /^(\d{4})(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)?)?(?:[.,](\d+))?(?:Z|([+-])(\d\d)(\d\d)?)$/;
const universal = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:Z|[+-]\d{4})?$/;

/**
 * Brings a generalized time into a form whose octets order as the moments do: fourteen digits of UTC, and the digits of a fraction of a
 * second without zeros at its end.
 *
 * @param text  `YYYYMMDDHH[MM[SS]][.f](Z|±HH[MM])`; a fraction may be one of an hour or a minute
 * @returns `undefined` when the text is no generalized time
 * @see RFC 4517 §3.3.13
 */
export function normalTime(text: string): string | undefined {
  const found = generalized.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = found;
  if (!dayExists(Number(year), Number(month), Number(day)) || Number(hour) > 23 || Number(minute ?? 0) > 59) return undefined;
  // A leap second is a value (§3.3.13); its moment is that of the second which follows.
  if (Number(second ?? 0) > 60 || Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;

  const unitS = second !== undefined ? 1 : minute !== undefined ? 60 : 3600;
  const offsetS = (sign === '-' ? 1 : -1) * (Number(offsetHour ?? 0) * 3600 + Number(offsetMinute ?? 0) * 60);
  const spread = spreadFraction(fraction ?? '', unitS);
  const clockS = Number(hour) * 3600 + Number(minute ?? 0) * 60 + Number(second ?? 0) + offsetS + spread.wholeS;
  const moment = new Date(0);
  moment.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  moment.setUTCSeconds(clockS);
  const years = moment.getUTCFullYear();
  if (years < 0 || years > 9999) return undefined;
  return moment.toISOString().replace(/[-:T]/g, '').slice(0, 14) + spread.digits;
}

/** @see RFC 4517 §3.3.34; kept for old attributes, the century is anyone's guess. */
export function isUtcTime(text: string): boolean {
  const found = universal.exec(text);
  if (found === null) return false;
  const [, , month, day, hour, minute, second] = found;
  return dayExists(2000, Number(month), Number(day)) && Number(hour) < 24 && Number(minute) < 60 && Number(second ?? 0) < 60;
}

/** A fraction of an hour, minute or second as whole seconds and the digits of what remains, exactly. Digit by digit: there is no bound to their number. */
function spreadFraction(fraction: string, unitS: number): { wholeS: number; digits: string } {
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  if (unitS === 1) return { wholeS: 0, digits: fraction.slice(0, end) };
  const scaled = new Uint8Array(end);
  let carry = 0;
  for (let at = end - 1; at >= 0; at--) {
    const product = (fraction.charCodeAt(at) - zero) * unitS + carry;
    scaled[at] = zero + (product % 10);
    carry = Math.floor(product / 10);
  }
  while (scaled[end - 1] === zero) end--;
  return { wholeS: carry, digits: Buffer.from(scaled.buffer, 0, end).toString('latin1') };
}

const zero = 0x30;

function dayExists(year: number, month: number, day: number): boolean {
  const days = [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}
