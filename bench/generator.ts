// The load generator, a process of its own beside the servers: it is told what to do over the channel that its parent opened.
import { type Counted, Load, type Target, type Timing } from './load.ts';

export type Order =
  | { readonly kind: 'open'; readonly name: string; readonly target: Target }
  | { readonly kind: 'sample'; readonly name: string; readonly timing: Timing }
  | { readonly kind: 'close'; readonly name: string };

export type Report = { readonly kind: 'done'; readonly counted?: Counted } | { readonly kind: 'failed'; readonly why: string };

const loads = new Map<string, Load>();

process.on('message', (order: Order) => {
  obey(order).then(
    (report) => process.send?.(report),
    (error: Error) => process.send?.({ kind: 'failed', why: error.message } satisfies Report),
  );
});
process.once('disconnect', () => process.exit());

async function obey(order: Order): Promise<Report> {
  switch (order.kind) {
    case 'open':
      loads.set(order.name, await Load.open(order.target));
      return { kind: 'done' };
    case 'sample': {
      const load = loads.get(order.name);
      if (load === undefined) throw new Error(`nothing is open to ${order.name}`);
      return { kind: 'done', counted: await load.sample(order.timing) };
    }
    case 'close':
      loads.get(order.name)?.[Symbol.dispose]();
      loads.delete(order.name);
      return { kind: 'done' };
  }
}
