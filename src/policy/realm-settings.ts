import { checkSetting, type SettingRow, type SettingRows, type SettingValues } from '#catalogue';
import type { InForce } from './in-force.ts';
import type { Mode } from './mode.ts';

/** A value of a setting, as `checkSetting` gives it. */
type Value = number | boolean | string | readonly string[] | undefined;

/** Settings that a realm has of its own, by name. */
export type RealmSettings = ReadonlyMap<string, Value>;

/** A text that is no setting of a realm, and why, in words that follow the name. */
export interface SettingFault {
  readonly name: string;
  readonly why: string;
  /** It is for development only, and the realm is in product mode (STS-CORE-0103, 0106). */
  readonly isForDevelopment?: true;
}

/** The mode of a realm has an attribute of its own, so that one search finds the realms of a mode. */
const modeSetting = 'global.mode';

/** What texts of settings hold. */
export interface ReadTexts {
  /** The values that fit. */
  readonly values: RealmSettings;
  /** What is wrong with the other texts. */
  readonly faults: readonly SettingFault[];
}

/**
 * Reads what a realm sets of its own: texts `name=value`, each as the environment would give it.
 *
 * @param rows   the table of all settings
 * @param texts  values of `stsSetting`
 * @param mode   the realm's: in product mode nothing that is for development counts (STS-CORE-0103, 0106)
 */
export function readRealmSettings(rows: SettingRows, texts: readonly string[], mode: Mode): ReadTexts {
  return readTexts(rows, texts, (name, row) => unfitForRealm(name, row, mode));
}

/** The same of what is set for the whole service while it runs. */
export function readServiceSettings(rows: SettingRows, texts: readonly string[], mode: Mode): ReadTexts {
  return readTexts(rows, texts, (_name, row) => unfitForService(row, mode));
}

function readTexts(
  rows: SettingRows,
  texts: readonly string[],
  unfitFor: (name: string, row: SettingRow | undefined) => string | undefined,
): ReadTexts {
  const values = new Map<string, Value>();
  const faults: SettingFault[] = [];
  const seen = new Set<string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = (at < 0 ? text : text.slice(0, at)).trim();
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    const why = at < 0 ? 'is not written as name=value' : (unfitFor(name, row) ?? (seen.has(name) ? 'is set twice' : undefined));
    seen.add(name);
    if (row === undefined || why !== undefined) {
      faults.push({ name: shown(name), why: why ?? 'is no setting', ...(why === forDevelopment ? { isForDevelopment: true } : {}) });
      continue;
    }
    const checked = checkSetting(row, text.slice(at + 1).trim());
    if (checked.kind === 'fit') values.set(name, checked.value);
    else faults.push({ name, why: checked.why });
  }
  return { values, faults };
}

/**
 * The settings in force in a realm: its own above those of the service, which are the default realm's.
 *
 * @param service  the service's values, of the whole table
 */
export function settingsInForce<Rows extends SettingRows>(
  service: SettingValues<Rows>,
  own: RealmSettings,
  mode: Mode,
): SettingValues<Rows> {
  // The service's may change: what a realm has not of its own is looked up there each time.
  return Object.assign(Object.create(service), Object.fromEntries(own), { [modeSetting]: mode }) as SettingValues<Rows>;
}

/** One setting with where its value comes from, for whoever shows it. */
export function settingInForce(name: string, row: SettingRow, service: Value, own: RealmSettings): InForce<Value> {
  if (own.has(name)) return { value: own.get(name), from: 'own' };
  return { value: service, from: JSON.stringify(service) === JSON.stringify(row.default) ? 'built-in' : 'default realm' };
}

const forDevelopment = 'may not be changed in product mode';
const aSecret = 'is a secret and cannot stand in an entry';

function unfitForService(row: SettingRow | undefined, mode: Mode): string | undefined {
  if (row === undefined) return 'is no setting';
  if (row.kind === 'secret') return aSecret;
  if (row.applies === 'restart') return 'is read at the start only, from the environment or the configuration file';
  return row.developmentOnly === true && mode === 'product' ? forDevelopment : undefined;
}

function unfitForRealm(name: string, row: SettingRow | undefined, mode: Mode): string | undefined {
  if (row === undefined) return 'is no setting';
  if (row.scope !== 'realm') return 'is of the whole service and cannot be set for one realm';
  if (name === modeSetting) return 'is set by stsRealmMode';
  if (row.kind === 'secret') return aSecret;
  if (row.developmentOnly === true && mode === 'product') return forDevelopment;
  return undefined;
}

const shownLengthMax = 80;

/** A name that came from outside, short and on one line. */
function shown(name: string): string {
  const line = name.replace(/\p{Cc}/gu, '?');
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)}…` : line;
}
