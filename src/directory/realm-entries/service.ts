import { equalBytes } from '#base';
import { checkSetting, refuse, settingErrors } from '#catalogue';
import type { Schema } from '#schema';
import type { Snapshot } from '#store';
import { errors } from '../errors.ts';
import { type Name, nameBelow, type Realm } from '../realm.ts';
import type { RealmRules, RealmSaid } from './judge.ts';
import { settingOf } from './setting-text.ts';

/** What of the service's settings the directory keeps while the service runs. */
export interface StoredSettings {
  /** True for a setting that the environment gives: it stays as it is until the next start. */
  isPinned(name: string): boolean;
  /** Puts in force what the entry says from now on. @param texts  values of `stsSetting`; none without an entry */
  take(texts: readonly string[]): void;
}

/** The class of the entry that holds the service's settings. */
export const serviceClass = 'stsServiceSettings';

/** The name of that entry, of which there is one. */
export function serviceSettingsOf(schema: Schema, { suffix }: Pick<Realm, 'suffix'>): Name {
  return nameBelow(schema, suffix, ['cn', 'settings']);
}

/**
 * Judges the entry of the service's settings as it is to be. What stood in it before is not judged again: a value may have lost its sense with a newer version,
 * or with what the environment gives by now.
 *
 * @throws Refusal  STS-CORE-0004 to 0006, 0103 (19), `settingPinned` (53), `settingMalformed` (19), `serviceMisplaced` (64)
 */
export function judgeService(rules: RealmRules, place: Name, said: RealmSaid, before: RealmSaid | undefined): void {
  if (!equalBytes(said.dnKey, place.key)) throw refuse(errors.serviceMisplaced, { place: place.text });
  const old = new Set(before?.all('stssetting'));
  const texts = said.all('stssetting');
  for (const each of texts) if (!old.has(each)) judgeText(rules, each);
  const names = texts.map((each) => settingOf(rules, each).name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw refuse(errors.settingMalformed, { name: twice, why: 'is set twice' });
}

function judgeText(rules: RealmRules, each: string): void {
  const { name, row, value } = settingOf(rules, each);
  if (row === undefined) throw refuse(errors.settingUnknown, { name });
  if (row.kind === 'secret') throw refuse(errors.settingMalformed, { name, why: 'is a secret and cannot stand in an entry' });
  if (row.applies === 'restart') throw refuse(errors.settingFixed, { name });
  if (rules.stored?.isPinned(name) === true) throw refuse(errors.settingPinned, { name, env: row.env });
  if (row.developmentOnly === true && rules.settings['global.mode'] === 'product')
    throw refuse(settingErrors.settingForDevelopment, { name });
  if (!each.includes('=')) throw refuse(errors.settingMalformed, { name, why: 'is not written as name=value' });
  const checked = checkSetting(row, value);
  if (checked.kind === 'unfit') throw refuse(errors.settingUnfit, { name, why: checked.why });
}

/** Reads the entry in whichever state of the directory is at hand, and says when it is another. */
export function followService(
  place: Name,
  stored: StoredSettings,
  textsOf: (user: Uint8Array) => readonly string[],
): (snapshot: Snapshot) => void {
  let version: number | undefined | 'unread' = 'unread';
  return (snapshot) => {
    const id = snapshot.idOf(place.key);
    const entry = id === undefined ? undefined : snapshot.readable(id);
    if (entry?.version === version) return;
    version = entry?.version;
    stored.take(entry === undefined ? [] : textsOf(entry.user));
  };
}

/** Whether an entry is one of the service's settings. */
export function isServiceEntry(schema: Schema, said: Pick<RealmSaid, 'all'>): boolean {
  return said.all('objectclass').some((name) => schema.objectClass(name)?.name === serviceClass);
}
