import type { Log } from '#audit';
import type { Clock } from '#base';
import { Refusal } from '#catalogue';
import { barOf } from '#holdings';
import type { Ending, State } from '#state';
import { type LogRow, type WatchedChange, wholeCommit } from '#store';
import { type Engine, newestEngine } from '../engine.ts';
import { entryValidity } from '../entry-validity.ts';
import { errors } from '../errors.ts';
import { indexKey } from '../indexing.ts';
import { nameOf } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { endKeyOf, momentOfKey, nextEnd } from './next-end.ts';
import { openPlaces } from './place.ts';
import { isPersonEntry, type LifeEvent, tombstoneTurn } from './told.ts';
import { saysUntil, turnOf } from './turn.ts';

/** Sees to it that with an account ends what was begun with it, however it came about that nobody may be here as it any more. */
export interface Life {
  /** Takes in something that ends. Before `begin`. */
  ends(row: Ending): void;
  /** Ends what is to end by what has happened since the service stopped, or was stopped; from here on within the turn in which a change is on disk. */
  begin(): Promise<void>;
  /** Resolves when all that has been heard of is done with. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface LifeOptions {
  readonly engine: Engine;
  readonly state: Pick<State, 'kind'>;
  readonly clock: Clock;
  readonly timers: { after(delayMs: number, callback: () => void): () => void };
  readonly log: Log;
}

/** Who may be here no more, and why. */
interface Ended {
  readonly realm: string;
  readonly uuid: string;
  readonly why: string;
  readonly event?: LifeEvent;
}

/** So many wait to be ended; with more, those who hold something are asked about instead. */
const waitingMax = 100_000;
/** So many are ended before others have the event loop. */
const endedAtOnce = 64;
const rowsAtOnce = 500;
const octetsAtOnce = 4_194_304;
/** How long after a failure it is tried again, and how far the kept place may lie behind. */
const retryMs = 1000;
const placeMs = 5000;
/** No timer waits longer: a clock that is set meanwhile is noticed by then. */
const timerMaxMs = 60_000;

export function openLife(options: LifeOptions): Life {
  return new Follower(options);
}

class Follower implements Life {
  readonly #options: LifeOptions;
  readonly #rows: Ending[] = [];
  readonly #places: ReturnType<typeof openPlaces>;
  readonly #leave: () => void;
  #waiting: Ended[] = [];
  /** More were to be ended than wait: all who hold something are asked about. */
  #overrun = false;
  #begun = false;
  #closed = false;
  #working: Promise<void> | undefined;
  /** Of the newest commit that was heard of, and of the last that was there before. */
  #number: number;
  readonly #since: number;
  #atMs: number;
  #placeDue: (() => void) | undefined;
  #timer: (() => void) | undefined;
  #retry: (() => void) | undefined;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#places = openPlaces(options.state);
    this.#number = options.engine.store.snapshot().number;
    this.#since = this.#number;
    this.#atMs = options.clock.nowMs();
    this.#leave = options.engine.store.watch((changes) => this.#heard(changes));
  }

  get #engine(): Engine {
    return newestEngine(this.#options.engine);
  }

  ends(row: Ending): void {
    this.#rows.push(row);
  }

  async begin(): Promise<void> {
    const heard = this.#waiting;
    this.#waiting = [];
    const place = await this.#places.read();
    if (place === undefined) this.#overrun = this.#overrun || this.#engine.store.log.newest() > 0;
    else {
      await this.#catchUp(place.number);
      this.#over(place.atMs, this.#options.clock.nowMs());
    }
    this.#waiting.push(...heard);
    this.#begun = true;
    this.#work();
    await this.settled();
    await this.#keepPlace();
    this.#plan();
  }

  async settled(): Promise<void> {
    for (let work = this.#working; work !== undefined; work = this.#working) await work;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#leave();
    for (const stop of [this.#timer, this.#retry, this.#placeDue]) stop?.();
    await this.settled();
    if (this.#begun && this.#waiting.length === 0 && !this.#overrun) await this.#keepPlace();
  }

  #heard(changes: readonly WatchedChange[]): void {
    this.#number = changes.at(-1)?.number ?? this.#number;
    this.#take(changes);
    if (changes.some(saysUntil)) this.#plan();
    if (this.#waiting.length > 0) this.#work();
    else this.#placeDue ??= this.#options.timers.after(placeMs, () => this.#keepPlaceLater());
  }

  #take(changes: readonly (WatchedChange | LogRow)[]): void {
    const engine = this.#engine;
    const nowMs = this.#options.clock.nowMs();
    const isThere = (uuid: string) => engine.store.snapshot().byUuid(uuid) !== undefined;
    for (const change of changes) {
      const kept = tombstoneTurn(change, isThere);
      if (kept !== undefined) this.#note(this.#realmOf(keyOf(engine, change)), kept, change.number);
      const turn = turnOf(change, nowMs);
      if (turn === undefined) continue;
      if (turn.kind !== 'gone') {
        const [kind, why] = turn.kind === 'opened' ? (['account-enabled', 'enabled'] as const) : (['account-disabled', turn.bar] as const);
        this.#note(this.#realmOf(turn.dnKey), { kind, subject: turn.uuid, why }, change.number);
      } else if (turn.before === undefined || isPersonEntry(engine.schema, turn.before))
        this.#wait({ realm: this.#realmOf(keyOf(engine, change)), uuid: turn.uuid, why: 'deleted' });
    }
  }

  /** @param at  the number of the commit, or the moment that was over: with it the event has a name */
  #note(realm: string, { kind, subject, why }: Omit<LifeEvent, 'realm' | 'name'>, at: number): void {
    this.#wait({ realm, uuid: subject, why, event: { realm, kind, subject, why, name: `${kind} ${why} ${subject} ${at}` } });
  }

  #realmOf(dnKey: Uint8Array): string {
    const engine = this.#engine;
    return realmOf(engine, engine.store.snapshot(), dnKey)?.id ?? '';
  }

  #wait(ended: Ended): void {
    if (ended.realm === '') return;
    if (this.#waiting.length >= waitingMax) this.#overrun = true;
    else this.#waiting.push(ended);
  }

  /** What the log says of the time in which nobody listened. */
  async #catchUp(from: number): Promise<void> {
    const { store } = this.#engine;
    if (store.log.oldest() > from + 1) {
      this.#overrun = true;
      return;
    }
    for (let place = { number: from, part: wholeCommit }; ; ) {
      const rows = store.log.rows(place, rowsAtOnce, octetsAtOnce);
      const last = rows.at(-1);
      if (last === undefined) return;
      this.#take(rows.filter(({ number }) => number <= this.#since));
      place = { number: last.number, part: last.part };
      await new Promise(setImmediate);
    }
  }

  /** Those whose time was over behind one moment and up to another. */
  #over(afterMs: number, nowMs: number): void {
    const engine = this.#engine;
    const type = engine.schema.attributeType('stsValidUntil');
    if (type === undefined) return;
    const snapshot = engine.store.snapshot();
    for (let key = nextEnd(snapshot, endKeyOf(afterMs)); key !== undefined && momentOfKey(key) <= nowMs; key = nextEnd(snapshot, key)) {
      for (const id of snapshot.idsEqual(type.key, indexKey(type, Buffer.from(key)), waitingMax)) {
        const entry = snapshot.byId(id);
        // One that was disabled before ended then.
        if (entry === undefined || entryValidity(entry).locked) continue;
        this.#note(this.#realmOf(entry.dnKey), { kind: 'account-disabled', subject: entry.uuid, why: 'late' }, momentOfKey(key));
      }
    }
    this.#atMs = Math.max(this.#atMs, nowMs);
  }

  /** Waits for the next whose time will be over. */
  #plan(): void {
    this.#timer?.();
    this.#timer = undefined;
    if (!this.#begun || this.#closed) return;
    const nowMs = this.#options.clock.nowMs();
    const next = nextEnd(this.#engine.store.snapshot(), endKeyOf(this.#atMs));
    if (next === undefined) return;
    const waitMs = Math.min(timerMaxMs, Math.max(0, momentOfKey(next) - nowMs));
    this.#timer = this.#options.timers.after(waitMs, () => {
      this.#over(this.#atMs, this.#options.clock.nowMs());
      this.#work();
      this.#plan();
    });
  }

  #work(): void {
    if (!this.#begun || this.#working !== undefined || this.#retry !== undefined) return;
    if (this.#waiting.length === 0 && !this.#overrun) return;
    this.#working = this.#endAll().finally(() => {
      this.#working = undefined;
      if (!this.#closed) this.#work();
    });
  }

  async #endAll(): Promise<void> {
    try {
      if (this.#overrun) {
        await this.#askHolders();
        this.#overrun = false;
      }
      while (this.#waiting.length > 0) {
        await this.#endSome(this.#waiting.splice(0, endedAtOnce));
        if (this.#waiting.length > 0) await new Promise(setImmediate);
      }
      await this.#keepPlace();
    } catch (error) {
      const row = error instanceof Refusal ? error.row : errors.internal;
      this.#options.log.error(row, `what ends with an account is tried again: ${error instanceof Error ? error.message : String(error)}`);
      if (!this.#closed)
        this.#retry = this.#options.timers.after(retryMs, () => {
          this.#retry = undefined;
          this.#work();
        });
    }
  }

  /** Others may have to hear of it: before anything is ended, so that nothing of it is lost. */
  async #tell({ realm, kind, subject, why, name }: LifeEvent): Promise<void> {
    await this.#engine.outbox.put({ realm, kind, subject, detail: { why }, atMs: this.#options.clock.nowMs() }, name);
  }

  /** What could not be ended waits again. */
  async #endSome(batch: Ended[]): Promise<void> {
    let done = 0;
    try {
      for (const each of batch) {
        if (each.event !== undefined) await this.#tell(each.event);
        // To be let in again revives nothing, and ends nothing.
        if (each.event?.kind !== 'account-enabled') await this.#end(each);
        done++;
      }
    } finally {
      if (done < batch.length) this.#waiting = [...batch.slice(done), ...this.#waiting];
    }
  }

  async #end({ realm, uuid, why }: Pick<Ended, 'realm' | 'uuid' | 'why'>): Promise<void> {
    const ended: string[] = [];
    for (const row of this.#rows) {
      const count = await row.end(realm, uuid);
      if (row.name === 'sessions' && count > 0)
        await this.#engine.outbox.put({
          realm,
          kind: 'session-revoked',
          subject: uuid,
          detail: { sessions: count, why },
          atMs: this.#options.clock.nowMs(),
        });
      if (count > 0) ended.push(`${row.name}: ${count}`);
    }
    if (ended.length === 0) return;
    const summary = `nobody may be here as this person any more (${why}); ended ${ended.join(', ')}`;
    const said = { action: 'account.end', outcome: 'success', summary, correlationId: 'life', address: '' } as const;
    this.#engine.audit.record({ realm, door: 'service', subject: `urn:uuid:${uuid}`, ...said });
  }

  /** Ends what is held by people who may not be here. */
  async #askHolders(): Promise<void> {
    for (const { id } of this.#engine.realms.in(this.#engine.store.snapshot()).all) {
      const holders = new Set<string>();
      for (const row of this.#rows) for (const uuid of (await row.holders?.(id)) ?? []) holders.add(uuid);
      for (const uuid of holders) {
        const entry = this.#engine.store.snapshot().byUuid(uuid);
        const bar = entry === undefined ? 'deleted' : barOf(entryValidity(entry), this.#options.clock.nowMs());
        if (bar !== undefined) await this.#end({ realm: id, uuid, why: bar });
      }
    }
  }

  #keepPlaceLater(): void {
    this.#placeDue = undefined;
    if (!this.#closed && this.#waiting.length === 0) void this.#keepPlace().catch(() => undefined);
  }

  async #keepPlace(): Promise<void> {
    await this.#places.write({ number: this.#number, atMs: this.#atMs });
  }
}

/** The name that an entry has or had. */
function keyOf({ schema }: Pick<Engine, 'schema'>, change: WatchedChange | LogRow): Uint8Array {
  if (change.change.kind !== 'delete') return change.change.entry.dnKey;
  if ('before' in change && change.before !== undefined) return change.before.dnKey;
  const former = 'former' in change ? change.former : undefined;
  return former === undefined ? new Uint8Array() : nameOf(schema, former).key;
}
