import { utf8 } from '#base';
import { formatRdn } from '#ldap';

/** The name of an entry directly below another, whatever its value holds: `nameIn('uid', 'ada', people)`. */
export function nameIn(type: string, value: string, superior: string): string {
  const rdn = formatRdn([{ type, value: utf8(value) }]);
  return superior === '' ? rdn : `${rdn},${superior}`;
}
