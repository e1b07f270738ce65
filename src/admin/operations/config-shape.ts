import { z } from 'zod';
import type { SettingOrigin, SettingRow, SettingRows } from '#catalogue';
import { type RealmSettings, readRealmSettings, settingInForce } from '#policy';
import type { WebRealm } from '#web';
import type { Configuration, OperationDeps } from './deps.ts';
import type { Call } from './row.ts';
import { Unfit } from './unfit.ts';

/** A setting's value, as JSON has it. */
export const valueShape = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const settingShape = z.strictObject({
  name: z.string(),
  value: valueShape.optional().describe('In force. Absent for a secret, and for a number that is left empty.'),
  from: z
    .enum(['environment', 'stored', 'file', 'built-in', 'own', 'default realm'])
    .describe(
      'Who says so: the environment, what was set while the service runs, the JSON file, the row; of a realm, itself or the default realm.',
    ),
  default: valueShape,
  kind: z.enum(['integer', 'boolean', 'text', 'choice', 'list', 'secret']),
  min: z.number().optional(),
  max: z.number().optional(),
  values: z.array(z.string()).optional().describe('What it may be, or hold.'),
  means: z.string(),
  env: z.string().describe('Its name in the environment.'),
  scope: z.enum(['realm', 'process']).describe('Whether a realm may have its own.'),
  applies: z.enum(['runtime', 'restart']),
  changeable: z.boolean().describe('Whether it can be set here and now.'),
  fixedBecause: z.string().optional(),
});

type Shown = z.input<typeof settingShape>;

/** The settings of this service. @throws Error where none were handed over: a defect */
export function configurationOf({ configuration }: OperationDeps): Configuration {
  if (configuration === undefined) throw new Error('no settings were handed over');
  return configuration;
}

/** The realm that a call is about: that of its path, or another one that is named in the default realm. @throws Unfit */
export async function realmMeant({ realm, deps }: Call, named: string | undefined): Promise<WebRealm> {
  if (named === undefined || named === realm.id) return realm;
  const found = realm.id === deps.realms.standing.id ? await deps.realms.find(named) : undefined;
  if (found === undefined) throw new Unfit({ field: 'realm', message: 'is no realm that you administer' });
  return found;
}

/** What a realm sets of its own; nothing for the default realm, whose settings are the service's. */
export async function ownOf({ deps }: Pick<Call, 'deps'>, realm: WebRealm): Promise<RealmSettings> {
  const { standing } = deps.realms;
  if (realm.id === standing.id) return new Map();
  const entry = await deps.client.as('self').read(`cn=${realm.id},ou=realms,${standing.suffix}`, ['stsSetting']);
  return readRealmSettings(configurationOf(deps).rows, entry?.all('stsSetting') ?? [], realm.mode).values;
}

/** A setting as it is in force in a realm. */
export function shownIn(deps: OperationDeps, realm: WebRealm, own: RealmSettings, name: string, row: SettingRow): Shown {
  const { originOf, inForce } = configurationOf(deps);
  const isStanding = realm.id === deps.realms.standing.id;
  const service = inForce(name);
  const { value, from } = isStanding ? { value: service, from: originOf(name) } : ofRealm(name, row, service, own, originOf(name));
  const fixed = fixedFor(row, isStanding, originOf(name));
  return {
    name,
    ...(row.kind === 'secret' || value === undefined ? {} : { value: plain(value) }),
    from,
    default: plain(row.default),
    kind: row.kind,
    ...(row.min === undefined ? {} : { min: row.min }),
    ...(row.max === undefined ? {} : { max: row.max }),
    ...(row.values === undefined ? {} : { values: [...row.values] }),
    means: row.means,
    env: row.env,
    scope: row.scope,
    applies: row.applies,
    changeable: fixed === undefined,
    ...(fixed === undefined ? {} : { fixedBecause: fixed }),
  };
}

/** A realm says whose word counts; of what is the service's, where the service has it from is of no interest to it. */
function ofRealm(name: string, row: SettingRow, service: Parameters<typeof settingInForce>[2], own: RealmSettings, origin: SettingOrigin) {
  const { value, from } = settingInForce(name, row, service, own);
  return { value, from: from === 'own' ? from : origin === 'built-in' ? origin : ('default realm' as const) };
}

function fixedFor(row: SettingRow, isStanding: boolean, origin: SettingOrigin): string | undefined {
  if (row.kind === 'secret') return 'A secret stands in the environment or in a file, and never in the directory.';
  if (!isStanding && row.scope === 'process') return 'It is of the whole service.';
  if (row.applies === 'restart') return 'It is read at the start only.';
  return isStanding && origin === 'environment' ? `The environment gives it (${row.env}).` : undefined;
}

function plain(value: unknown): string | number | boolean | string[] {
  return Array.isArray(value) ? value.map(String) : typeof value === 'number' || typeof value === 'boolean' ? value : String(value ?? '');
}

/** The rows whose names begin so, by name. */
export function rowsFrom(rows: SettingRows, prefixes: readonly string[]): readonly (readonly [string, SettingRow])[] {
  const isOne = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  return Object.entries(rows)
    .filter(([name]) => prefixes.length === 0 || isOne(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
