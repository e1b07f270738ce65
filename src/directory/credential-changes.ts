import { equalBytes, text } from '#base';
import { codesLeft, storedAppPasswords } from '#credentials';
import { emailFactorOf } from '#holdings';
import type { PartialAttribute } from '#ldap';
import type { EntryRecord, WatchedChange } from '#store';
import { type Engine, type EngineSettings, newestEngine } from './engine.ts';
import { lastStepKey, recoveryCodeKey, totpCredentialKey } from './holders.ts';
import { realmOf } from './realms.ts';
import { type Attributes, attributesOf } from './record.ts';
import { passwordKey } from './write.ts';

/** What of somebody's account has changed, in the words of `rules`. */
export interface CredentialChange {
  readonly realm: string;
  /** The entryUUID. */
  readonly subject: string;
  /** Where they can be told: the address that the entry had before, and those that it has no more. */
  readonly addresses: readonly string[];
  readonly changes: readonly string[];
  /** The change was made in the person's own name. */
  readonly isOwn: boolean;
}

/** An entry before and after a change of it. */
interface Pair {
  readonly before: Attributes;
  readonly after: Attributes;
  /** The service rewrote it by itself, and nobody changed it: `modifyTimestamp` and `modifiersName` are as they were. */
  readonly isSilent: boolean;
}

/** What counts as a change of what somebody signs in with: each rule says by which word, or nothing. */
const rules: readonly ((pair: Pair) => string | undefined)[] = [
  ({ before, after, isSilent }) => {
    const [was, is] = [one(before, passwordKey), one(after, passwordKey)];
    // The same password, in another form of hash.
    const isRenewed = isSilent && was !== undefined && is?.startsWith('{SCRYPT}') === true && !was.startsWith('{SCRYPT}');
    return isRenewed ? undefined : come(was, is, 'password');
  },
  ({ before, after, isSilent }) => {
    const [was, is] = [octets(before, totpCredentialKey), octets(after, totpCredentialKey)];
    // The same secret, sealed under another key.
    const isResealed = isSilent && was !== '' && is !== '' && octets(before, lastStepKey) === octets(after, lastStepKey);
    return isResealed ? undefined : come(was || undefined, is || undefined, 'app');
  },
  ({ before, after }) => {
    const [was, is] = [before, after].map((each) => each.get(recoveryCodeKey)?.values);
    // A code that is spent leaves the others, or the mark of a set that is used up.
    const isSpent = was !== undefined && is !== undefined && codesLeft(is).every((code) => codesLeft(was).includes(code));
    return isSpent ? undefined : come(was?.join(), is?.join(), 'codes');
  },
  ({ before, after }) => setChange(values(before, 'stscredentialid'), values(after, 'stscredentialid'), 'key'),
  ({ before, after }) => {
    const [was = [], is = []] = [before, after].map((each) =>
      storedAppPasswords(each.get('stsapppassword')?.values ?? []).map(({ id }) => id),
    );
    return setChange(was, is, 'app-password');
  },
  ({ before, after }) => {
    const [was, is] = [before, after].map((each) => one(each, 'stsemailfactor')?.toUpperCase() === 'TRUE');
    return was === is ? undefined : is ? 'email-on' : 'email-off';
  },
  ({ before, after }) => (isSame(values(before, 'mail'), values(after, 'mail')) ? undefined : 'mail'),
  ({ before, after }) => come(one(before, 'stsdelegate'), one(after, 'stsdelegate'), 'delegate'),
];

/** Addresses that one change is told to. */
const addressesMax = 4;

/**
 * Watches what people sign in with: whoever changes it, by whichever door, in whichever thread. What the service rewrites by itself is no change, nor is a new
 * entry, nor the end of one.
 *
 * @param tells  whether anybody is told in a realm of such settings; where nobody is, nothing is looked at
 * @param told   called after the change is on disk
 * @returns stops it
 */
export function watchCredentials(opened: Engine, tells: (settings: EngineSettings) => boolean, told: (change: CredentialChange) => void) {
  return opened.store.watch((changes) => {
    const engine = newestEngine(opened);
    for (const change of changes) {
      const seen = changed(engine, change, tells);
      if (seen !== undefined) told(seen);
    }
  });
}

function changed(
  engine: Engine,
  { change, before }: WatchedChange,
  tells: (settings: EngineSettings) => boolean,
): CredentialChange | undefined {
  if (change.kind === 'delete' || before === undefined) return undefined;
  const realm = realmOf(engine, engine.store.snapshot(), before.dnKey) ?? engine.realms.default;
  // What gives an entry another name changes nothing else of it, or puts it away.
  if (!equalBytes(before.dnKey, change.entry.dnKey)) return undefined;
  if (!tells(realm.settings)) return undefined;
  const pair = pairOf(engine, before, change.entry);
  const words = rules.flatMap((rule) => rule(pair) ?? []);
  if (words.length === 0) return undefined;
  const by = one(pair.after, 'modifiersname');
  return {
    realm: realm.id,
    subject: before.uuid,
    addresses: addressesOf(pair),
    changes: words,
    isOwn: by?.toLowerCase() === change.entry.dn.toLowerCase(),
  };
}

function pairOf({ schema }: Engine, was: EntryRecord, is: EntryRecord): Pair {
  const [before, after] = [attributesOf(schema, was), attributesOf(schema, is)];
  const isSilent = ['modifytimestamp', 'modifiersname'].every((key) => one(before, key) === one(after, key));
  return { before, after, isSilent };
}

/** The one that would be written to, and those that were taken away, to whose reader the account may belong. */
function addressesOf({ before, after }: Pair): readonly string[] {
  const main = emailFactorOf((attribute) => values(before, attribute.toLowerCase()))?.address;
  const now = new Set(values(after, 'mail').map((address) => address.toLowerCase()));
  const gone = values(before, 'mail').filter((address) => !now.has(address.toLowerCase()));
  return [...new Set([...(main === undefined ? [] : [main]), ...gone])].slice(0, addressesMax);
}

function come(was: string | undefined, is: string | undefined, word: string): string | undefined {
  if (was === is) return undefined;
  if (was === undefined) return `${word}-added`;
  return is === undefined ? `${word}-removed` : `${word}-changed`;
}

function setChange(was: readonly string[], is: readonly string[], word: string): string | undefined {
  if (isSame(was, is)) return undefined;
  const isMore = was.every((each) => is.includes(each));
  const isLess = is.every((each) => was.includes(each));
  return `${word}-${isMore ? 'added' : isLess ? 'removed' : 'changed'}`;
}

function isSame(was: readonly string[], is: readonly string[]): boolean {
  return was.length === is.length && was.every((each) => is.includes(each));
}

/** Octets and text alike, as text of which two are the same when their octets are. */
function values(attributes: Attributes, key: string): readonly string[] {
  return (attributes.get(key)?.values ?? []).map((value) => text(value) ?? Buffer.from(value).toString('latin1'));
}

function one(attributes: Attributes, key: string): string | undefined {
  return values(attributes, key)[0];
}

function octets(attributes: Attributes, key: string): string {
  const stored: PartialAttribute | undefined = attributes.get(key);
  return (stored?.values ?? []).map((value) => Buffer.from(value).toString('base64')).join();
}
