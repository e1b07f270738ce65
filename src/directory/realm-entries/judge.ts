import { equalBytes, text } from '#base';
import { checkSetting, refuse, type SettingRows, settingErrors } from '#catalogue';
import type { Dn } from '#ldap';
import { type Mode, modeOf, readRealmSettings } from '#policy';
import { type EntryAttributes, parentKey, type Schema } from '#schema';
import type { EngineSettings } from '../engine.ts';
import { errors } from '../errors.ts';
import { defaultId, type Name, nameOf, type Realm } from '../realm.ts';
import { type Realms, suffixText } from '../realms.ts';
import type { StoredSettings } from './service.ts';
import { settingOf } from './setting-text.ts';

/** What the entry of a realm is judged by. */
export interface RealmRules {
  readonly schema: Schema;
  readonly settings: EngineSettings;
  /** Rows of all settings that a realm may have of its own. */
  readonly rows: SettingRows;
  /** Below it stand the entries of realms. */
  readonly registry: Name;
  /** First segments of the service's paths; asked for when a realm is made. */
  readonly segments: () => ReadonlySet<string>;
  /** What is kept of the service's settings; without it, none can be. */
  readonly stored?: StoredSettings | undefined;
}

/** The entry of a realm as it is to be. */
export interface RealmSaid {
  readonly dn: Dn;
  readonly dnKey: Uint8Array;
  /** Values of an attribute, by its name in lower case. */
  readonly all: (key: string) => readonly string[];
}

/** What of a new realm is known before it has an entry. */
export interface NewRealm {
  readonly id: string;
  readonly domain: string | undefined;
  readonly suffix: Name;
}

const idForm = /^[a-z0-9-]{1,31}$/;
const labelForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const domainLengthMax = 253;

/** Segments that RFC 7030 §3.2.2 has where a label may stand: no realm may be taken for one of them. */
const estSegments = new Set(['cacerts', 'simpleenroll', 'simplereenroll', 'fullcmc', 'serverkeygen', 'csrattrs']);

/**
 * Judges the entry of a realm that is to be made.
 *
 * @param isThere  whether an entry has a name
 * @throws Refusal  STS-CORE-0009 to 0012, 0099, 0100, 0107 (19, 68), STS-CORE-0004 to 0006, 0014, 0015 for its settings; `realmMisplaced` (64),
 *                  `realmSuffixTaken` (68), `realmsMany` (11), `realmModeUnfit`, `realmStateRefused`, `settingMalformed` (19)
 */
export function judgeNewRealm(rules: RealmRules, realms: Realms, said: RealmSaid, isThere: (dnKey: Uint8Array) => boolean): NewRealm {
  const { schema, registry, segments, settings } = rules;
  const id = said.all('stsrealmid')[0] ?? '';
  if (!idForm.test(id)) throw refuse(errors.realmIdUnfit);
  if (id === defaultId) throw refuse(errors.realmIdDefault);
  if (segments().has(id)) throw refuse(errors.realmIdShadows);
  if (estSegments.has(id)) throw refuse(errors.realmIdOfEst);
  if (!isNamedBy(said, registry, id)) throw refuse(errors.realmMisplaced, { registry: registry.text });
  if (realms.byId(id) !== undefined) throw refuse(errors.realmIdTaken);
  const domain = domainOf(said);
  if (domain !== undefined && realms.all.some((realm) => domainAt(realm) === domain)) throw refuse(errors.realmDomainTaken);
  const max = settings['realms.max'];
  if (realms.all.length > max) throw refuse(errors.realmsMany, { max });
  judgeMode(said);
  judgeSettings(rules, said, undefined);
  judgeFirstState(said);
  const suffix = nameOf(schema, suffixText(id, domain));
  const isTaken = realms.all.some((realm) => equalBytes(realm.suffix.key, suffix.key)) || isThere(suffix.key);
  if (isTaken) throw refuse(errors.realmSuffixTaken, { suffix: suffix.text });
  return { id, domain, suffix };
}

/** By its id alone, directly below `ou=realms`. */
function isNamedBy({ dn, dnKey }: RealmSaid, registry: Name, id: string): boolean {
  const [ava, ...others] = dn[0] ?? [];
  const above = parentKey(dnKey);
  const isCn = ava !== undefined && ['cn', 'commonname', '2.5.4.3'].includes(ava.type.toLowerCase());
  return isCn && others.length === 0 && text(ava.value) === id && above !== undefined && equalBytes(above, registry.key);
}

function domainOf(said: RealmSaid): string | undefined {
  const [domain, ...others] = said.all('associateddomain');
  if (domain === undefined) return undefined;
  const labels = domain.split('.');
  const fits =
    others.length === 0 && labels.length > 1 && domain.length <= domainLengthMax && labels.every((label) => labelForm.test(label));
  if (!fits) throw refuse(errors.realmDomainUnfit);
  return domain.toLowerCase();
}

/** The domain that a suffix stands for (RFC 2247), also that of the default realm. */
function domainAt({ domain, suffix }: Realm): string | undefined {
  if (domain !== undefined) return domain;
  const labels = suffix.dn.map(([ava, ...others]) =>
    others.length === 0 && ava?.type.toLowerCase() === 'dc' ? (text(ava.value) ?? '').toLowerCase() : undefined,
  );
  return labels.includes(undefined) ? undefined : labels.join('.');
}

function judgeMode(said: RealmSaid): void {
  const mode = said.all('stsrealmmode')[0]?.toLowerCase();
  if (mode !== undefined && mode !== 'product' && mode !== 'development') throw refuse(errors.realmModeUnfit);
}

function modeIn(rules: RealmRules, said: RealmSaid): Mode {
  return modeOf(said.all('stsrealmmode')[0], rules.settings['global.mode']);
}

/** @param before  the entry as it was */
function judgeSettings(rules: RealmRules, said: RealmSaid, before: RealmSaid | undefined): void {
  const texts = said.all('stssetting');
  const mode = modeIn(rules, said);
  for (const each of texts) judgeSetting(rules, each, before);
  const [fault] = readRealmSettings(rules.rows, texts, mode).faults;
  if (fault?.isForDevelopment === true) throw refuse(settingErrors.settingForDevelopment, { name: fault.name });
  if (fault !== undefined) throw refuse(errors.settingMalformed, { name: fault.name, why: fault.why });
  const gone = (before?.all('stssetting') ?? []).filter((each) => !texts.includes(each));
  for (const each of gone) {
    const { name, row } = settingOf(rules, each);
    if (row?.applies === 'restart') throw refuse(errors.settingFixed, { name });
  }
}

function judgeSetting(rules: RealmRules, each: string, before: RealmSaid | undefined): void {
  const { name, row, value } = settingOf(rules, each);
  if (name.startsWith('realms.')) throw refuse(errors.settingOfRealms, { name });
  if (row === undefined) throw refuse(errors.settingUnknown, { name });
  if (row.scope !== 'realm') throw refuse(errors.settingOfProcess, { name });
  const checked = checkSetting(row, value);
  if (checked.kind !== 'fit') throw refuse(errors.settingUnfit, { name, why: checked.why });
  if (before !== undefined && row.applies === 'restart' && !before.all('stssetting').includes(each))
    throw refuse(errors.settingFixed, { name });
}

/** What the directory says of a realm by itself. */
const ownAttributes = ['stsRealmRemovingSince', 'stsRealmOwed'] as const;

function judgeFirstState(said: RealmSaid): void {
  const state = said.all('stsrealmstate')[0]?.toLowerCase() ?? 'active';
  if (state !== 'active') throw refuse(errors.realmStateRefused, { attribute: 'stsRealmState', why: 'a new realm is active' });
  for (const attribute of ownAttributes) {
    if (said.all(attribute.toLowerCase()).length > 0)
      throw refuse(errors.realmStateRefused, { attribute, why: 'it is said of a realm that is being removed' });
  }
}

/**
 * Judges a change of the entry of a realm.
 *
 * @param touchesState  whether the change names stsRealmState, with whatever value
 * @returns whether a removal begins with it
 * @throws Refusal  STS-CORE-0101, 0122 and those of settings; `realmIdFixed` (53), `realmModeUnfit`, `realmStateRefused` (19)
 */
export function judgeRealmChange(
  rules: RealmRules,
  before: RealmSaid,
  said: RealmSaid,
  touchesState: boolean,
): { readonly removes: boolean } {
  if (!equalBytes(before.dnKey, said.dnKey) || !isSame(before, said, 'stsrealmid')) throw refuse(errors.realmIdFixed);
  if (!isSame(before, said, 'associateddomain')) throw refuse(errors.realmDomainFixed);
  judgeMode(said);
  judgeSettings(rules, said, before);
  const [was, is] = [before, said].map((each) => each.all('stsrealmstate')[0]?.toLowerCase() ?? 'active');
  if (was !== 'active' && is === 'removing' && touchesState) throw refuse(errors.removalTwice);
  const begins = was === 'active' && is === 'removing';
  const delivered = was === 'removing' && is === 'delivered';
  if (was !== is && !begins && !delivered)
    throw refuse(errors.realmStateRefused, { attribute: 'stsRealmState', why: `${is} does not follow ${was}` });
  if (!isSame(before, said, 'stsrealmremovingsince') || (!isSame(before, said, 'stsrealmowed') && !delivered))
    throw refuse(errors.realmStateRefused, { attribute: 'stsRealmState', why: 'the directory says by itself how far a removal is' });
  return { removes: begins };
}

function isSame(before: RealmSaid, said: RealmSaid, key: string): boolean {
  return before.all(key).join('\n') === said.all(key).join('\n');
}

/** The same of the attributes of an entry. */
export function saidBy(dn: Dn, dnKey: Uint8Array, attributes: EntryAttributes): RealmSaid {
  return { dn, dnKey, all: (key) => (attributes.get(key)?.values ?? []).flatMap((value) => text(value) ?? []) };
}
