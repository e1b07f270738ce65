import { text, utf8 } from '#base';
import type { SettingRows, SettingValues } from '#catalogue';
import type { ClientEntry } from '#client';
import { formatDn, parseDn } from '#ldap';
import { type Mode, modeOf, readRealmSettings, type SettingFault, settingsInForce } from '#policy';
import { realmSegment, type WebRealm } from '#web';

/** A realm with what is in force in it. */
export interface Realm<Rows extends SettingRows> {
  readonly shown: WebRealm;
  readonly settings: SettingValues<Rows>;
  /** What its entry sets and nobody can obey. */
  readonly faults: readonly SettingFault[];
}

/** What is asked of a realm's entry. */
export const realmAttributes: readonly string[] = ['associatedDomain', 'displayName', 'stsRealmMode', 'stsRealmState', 'stsSetting'];

/** The class that makes an entry a realm. */
export const realmClass = 'stsRealmEntry';
/** The state of a realm that is there to stay. One whose entry does not say is in it. */
const activeState = 'active';
/** Texts of a realm's entry that are looked at; the directory takes no more. */
const settingsMax = 1000;

/** The realm of its entry. */
export function realmOf<Rows extends SettingRows>(
  id: string,
  entry: ClientEntry,
  rows: Rows,
  service: SettingValues<Rows> & { readonly 'global.mode': Mode },
): Realm<Rows> {
  const domain = entry.one('associatedDomain');
  const mode = modeOf(entry.one('stsRealmMode'), service['global.mode']);
  const { values, faults } = readRealmSettings(rows, entry.all('stsSetting').slice(0, settingsMax), mode);
  return {
    shown: {
      id,
      name: entry.one('displayName') ?? domain ?? id,
      suffix: suffixOf(id, domain),
      mode,
      prefix: `/${realmSegment}/${id}`,
      removing: (entry.one('stsRealmState') ?? activeState).toLowerCase() !== activeState,
    },
    settings: settingsInForce<Rows>(service, values, mode),
    faults,
  };
}

/** The suffix of a realm: its domain's (RFC 2247), or `o=<id>`. */
export function suffixOf(id: string, domain: string | undefined): string {
  const parts = domain === undefined ? [{ type: 'o', value: id }] : domain.split('.').map((label) => ({ type: 'dc', value: label }));
  return formatDn(parts.map(({ type, value }) => [{ type, value: utf8(value) }]));
}

/** What people call a suffix: its domain (RFC 2247), or the value that names it. */
export function nameOfSuffix(suffix: string): string {
  const values = (parseDn(suffix) ?? []).flatMap((rdn) =>
    rdn.map(({ type, value }) => ({ type: type.toLowerCase(), value: text(value) ?? '' })),
  );
  const domain = values.filter(({ type }) => type === 'dc');
  return domain.length > 0 ? domain.map(({ value }) => value).join('.') : (values[0]?.value ?? suffix);
}
