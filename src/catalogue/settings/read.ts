import { checkSetting } from './check.ts';
import type { Environment } from './environment.ts';
import { type SettingProblem, settingErrors } from './errors.ts';
import { parseConfig, readConfigText, readSecretText } from './file.ts';
import type { GivenOrigins } from './live.ts';
import { nearestName } from './nearest.ts';
import { removedSettings } from './removed.ts';
import type { SettingRow, SettingRows, SettingValues } from './rows.ts';

/** The environment name of the JSON file that holds settings. No setting itself: it cannot stand in that file. */
export const configFileEnv = 'STS_CONFIG';
const secretFileSuffix = '_FILE';
const environmentPrefix = 'STS_';
const modeSetting = 'global.mode';

export interface ReadSettings<Rows extends SettingRows> {
  /** Fit to use only when there are no problems: a value that failed its check stands at its default here. */
  readonly values: SettingValues<Rows>;
  /** All that stops the start, not only the first of it. */
  readonly problems: readonly SettingProblem[];
  /** Where each value that is not the row's own comes from. */
  readonly origins: GivenOrigins;
  /** What an operator should know and the service starts with. */
  readonly warnings: readonly SettingProblem[];
}

/** What was given for a setting, and the last place that gave it. */
type Given = Map<string, unknown>;

interface Reading {
  readonly rows: SettingRows;
  readonly given: Given;
  readonly origins: Map<string, 'environment' | 'file'>;
  readonly problems: SettingProblem[];
  readonly warnings: SettingProblem[];
}

/**
 * Reads the settings of a service: defaults, then the JSON file, then the environment, each above the one before.
 *
 * @param rows                 the gathered table
 * @param options.environment  names and texts, `STS_LDAP_PORT=389`; `STS_KEYS_KEK_FILE` names a file that holds the value
 * @param options.configFile   path of the JSON file; the environment's `STS_CONFIG` when absent
 */
export function readSettings<const Rows extends SettingRows>(
  rows: Rows,
  options: { readonly environment: Environment; readonly configFile?: string },
): ReadSettings<Rows> {
  const reading: Reading = { rows, given: new Map(), origins: new Map(), problems: [], warnings: [] };
  const configFile = options.configFile ?? options.environment[configFileEnv] ?? '';
  if (configFile !== '') readConfigFile(reading, configFile);
  readEnvironment(reading, options.environment);

  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(rows)) values[name] = settle(reading, name, row);
  refuseDevelopmentSettings(reading, values);
  return { values: values as SettingValues<Rows>, origins: reading.origins, problems: reading.problems, warnings: reading.warnings };
}

function give({ given, origins }: Reading, name: string, value: unknown, from: 'environment' | 'file'): void {
  given.set(name, value);
  origins.set(name, from);
}

function settle(reading: Reading, name: string, row: SettingRow): unknown {
  const standing = row.kind === 'integer' && row.default === '' ? undefined : row.default;
  if (!reading.given.has(name)) return standing;
  const checked = checkSetting(row, reading.given.get(name));
  if (checked.kind === 'unfit') {
    reading.problems.push({ code: checked.code, name: `${name} (${row.env})`, problem: checked.why });
    return standing;
  }
  return checked.value;
}

function readConfigFile(reading: Reading, path: string): void {
  const fail = (problem: string) =>
    reading.problems.push({
      code: settingErrors.configUnreadable.code,
      name: configFileEnv,
      problem: `the configuration file: ${problem}`,
    });
  const file = readConfigText(path);
  if (file.kind === 'unreadable') return void fail(file.why);
  const config = parseConfig(file.text);
  if (config.kind === 'bad') return void fail(config.why);

  for (const [name, value] of config.entries) {
    const row = reading.rows[name];
    if (row === undefined) {
      reportUnknown(reading, name, Object.keys(removedSettings), Object.keys(reading.rows));
      continue;
    }
    if (reading.given.has(name)) {
      reading.problems.push({ code: settingErrors.settingInvalid.code, name, problem: 'the configuration file gives it twice' });
    }
    if (row.kind === 'secret' && value !== '' && file.openToOthers) {
      const problem =
        'the configuration file holds this secret and others than its owner may read it; take those permissions away (chmod 600)';
      reading.problems.push({ code: settingErrors.secretFileOpen.code, name, problem });
    }
    give(reading, name, value, 'file');
  }
}

function readEnvironment(reading: Reading, environment: Environment): void {
  const known = new Set<string>([configFileEnv, ...Object.values(reading.rows).map((row) => row.env)]);
  for (const [name, row] of Object.entries(reading.rows)) {
    const fileEnv = row.env + secretFileSuffix;
    // `tls.certFile` has a `_FILE` name of its own: that one names the file for good and is read by whoever uses it.
    const path = known.has(fileEnv) ? undefined : environment[fileEnv];
    const text = environment[row.env];
    if (path !== undefined && text !== undefined) {
      reading.problems.push({ code: settingErrors.settingInvalid.code, name, problem: `both ${row.env} and ${fileEnv} are given` });
    } else if (path !== undefined) readSecretFile(reading, name, fileEnv, path);
    else if (text !== undefined) give(reading, name, text, 'environment');
  }

  for (const name of Object.keys(environment)) {
    if (!name.startsWith(environmentPrefix) || known.has(name)) continue;
    if (name.endsWith(secretFileSuffix) && known.has(name.slice(0, -secretFileSuffix.length))) continue;
    reportUnknown(reading, name, Object.values(removedSettings), known);
  }
}

function readSecretFile(reading: Reading, name: string, fileEnv: string, path: string): void {
  const file = readSecretText(path);
  const fail = (row: { readonly code: SettingProblem['code'] }, problem: string) =>
    reading.problems.push({ code: row.code, name: `${name} (${fileEnv})`, problem });
  if (file.kind === 'unreadable') fail(settingErrors.secretFileUnreadable, `its file cannot be read: ${file.why}`);
  else if (file.openToOthers)
    fail(settingErrors.secretFileOpen, 'others than its owner may read its file; take those permissions away (chmod 600)');
  else if (file.text === '') fail(settingErrors.secretFileEmpty, 'its file is empty');
  else give(reading, name, file.text, 'environment');
}

/** A removed name stops the start. Any other unknown one is told with the name that was probably meant. */
function reportUnknown(reading: Reading, name: string, removed: readonly string[], known: Iterable<string>): void {
  const stem = name.endsWith(secretFileSuffix) ? name.slice(0, -secretFileSuffix.length) : name;
  if (removed.includes(stem)) {
    const problem = 'this setting was removed on 2026-09-23 and calls to the outside are always protected; take it out';
    reading.problems.push({ code: settingErrors.settingRemoved.code, name, problem });
    return;
  }
  const nearest = nearestName(name, known);
  const problem = `there is no such setting, it is ignored${nearest === undefined ? '' : `; the nearest known name is ${nearest}`}`;
  reading.warnings.push({ code: settingErrors.settingUnknown.code, name: JSON.stringify(name), problem });
}

function refuseDevelopmentSettings(reading: Reading, values: Readonly<Record<string, unknown>>): void {
  if (values[modeSetting] !== 'product') return;
  for (const [name, row] of Object.entries(reading.rows)) {
    if (row.developmentOnly && JSON.stringify(values[name]) !== JSON.stringify(row.default)) {
      reading.problems.push({ code: settingErrors.settingForDevelopment.code, name, problem: 'it may not be changed in product mode' });
    }
  }
}
