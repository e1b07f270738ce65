import { concat, utf8 } from '#base';
import { type Control, decodeAttributes, encodeAttributes, encodeBer, type PartialAttribute } from '#ldap';
import type { Snapshot } from '#store';
import type { Call } from '../call.ts';
import { createIndexer } from '../indexing.ts';
import { readableOf } from '../record.ts';
import { lastWorking } from '../search/computed.ts';
import { projection } from '../search/project.ts';
import { readSelection } from '../search/select.ts';
import { csnOfChange } from '../stamped.ts';
import { overlaid } from '../transactions/overlay.ts';
import { type Decide, type Decision, isDecision, type Look } from '../write.ts';
import { type ControlKind, readControl } from './kind.ts';

/** Pre-read (RFC 4527 §3.1): the attributes of an entry that are asked for, as they were before the change. */
export const preRead: ControlKind<readonly string[]> = {
  oid: '1.3.6.1.1.13.1',
  name: 'pre-read',
  operations: ['modifyRequest', 'delRequest', 'modifyDNRequest'],
  read: (control) => readControl(control, (ber) => ber.list(() => ber.string())),
};

/** Post-read (RFC 4527 §3.2): the same as they are after it. */
export const postRead: ControlKind<readonly string[]> = {
  oid: '1.3.6.1.1.13.2',
  name: 'post-read',
  operations: ['addRequest', 'modifyRequest', 'modifyDNRequest'],
  read: preRead.read,
};

/** A decision that also answers what the request wants to read of its entry: of the very state that it changes, and of the one that it makes. */
export function withReads(call: Call, decide: Decide): Decide {
  const { controls } = call;
  if (!controls.has(preRead) && !controls.has(postRead)) return decide;
  return (look) => {
    const made = decide(look);
    return isDecision(made) ? reading(call, look, made) : readingLater(call, look, made);
  };
}

function* readingLater(call: Call, look: Look, steps: Generator<undefined, Decision>): Generator<undefined, Decision> {
  return reading(call, look, yield* steps);
}

function reading(call: Call, look: Look, decision: Decision): Decision {
  const before = readBefore(call, look(), decision);
  const after = readAfter(call, look(), decision);
  return { ...decision, answers: (csns) => [...before(), ...after(csns)] };
}

function readBefore(call: Call, snapshot: Snapshot, { target }: Decision): () => Control[] {
  const wanted = call.controls.of(preRead);
  const read = wanted && readEntry(call, snapshot, target, wanted);
  return () => (read === undefined ? [] : [answer(preRead, read)]);
}

function readAfter(call: Call, snapshot: Snapshot, { changes, target, whole }: Decision): (csns: readonly string[]) => Control[] {
  const wanted = call.controls.of(postRead);
  if (wanted === undefined) return () => [];
  const after = overlaid(snapshot, createIndexer(call.engine.schema));
  after.take(changes, whole);
  const read = readEntry(call, after, target, wanted);
  const at = changes.findLastIndex((change) => change.kind !== 'delete' && change.entry.uuid === target);
  const change = changes[at];
  return (csns) => {
    if (read === undefined || change === undefined) return [];
    // By another thread than the one that writes the change was decided before it had a number.
    return [answer(postRead, withCsn(read, csns[at] ?? csnOfChange(change)))];
  };
}

interface Read {
  readonly dn: string;
  readonly attributes: readonly PartialAttribute[];
}

/** What the asker may see of an entry, of what they want; nothing when they may not see it. */
function readEntry({ engine, asker }: Call, snapshot: Snapshot, uuid: string, wanted: readonly string[]): Read | undefined {
  const { schema } = engine;
  const entry = snapshot.byUuid(uuid);
  const rights = entry && asker.rightsAt(entry, snapshot);
  if (entry === undefined || rights?.visible !== true) return undefined;
  const project = projection(schema, lastWorking(engine), readSelection(schema, wanted), rights, false, nothingKept);
  return { dn: entry.dn, attributes: decodeAttributes(concat(project(readableOf(entry), snapshot, asker))) };
}

const nothingKept = { get: () => undefined, keep: () => undefined };

function withCsn({ dn, attributes }: Read, csn: string): Read {
  const numbered = attributes.map((each) => (each.description === 'entryCSN' ? { ...each, values: [utf8(csn)] } : each));
  return { dn, attributes: numbered };
}

/** [APPLICATION 4] SearchResultEntry (RFC 4511 §4.5.2). */
const entryTag = 0x64;

function answer({ oid }: ControlKind<unknown>, { dn, attributes }: Read): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn);
      ber.sequence(() => ber.elements(encodeAttributes(attributes)));
    }, entryTag),
  );
  return { oid, critical: false, value };
}
