import { type BerReader, type BerWriter, decodeBer, encodeBer } from '#ldap';
import type { Context } from './command.ts';
import { type Directory, withRunning } from './directory.ts';
import { Absent, Failure } from './exits.ts';
import type { Given } from './given.ts';
import { list } from './table.ts';

const mailQueueOid = '2.25.83716444157178576224225129172109131643.6.86';
const tags = { list: 0x80, retry: 0xa1, id: 0x80 } as const;
const listedMax = 1000;

/** @returns the exit status */
export async function listMails(given: Given, context: Context): Promise<number> {
  return await withRunning(context, async (directory) => {
    const limit = given.count('limit') ?? listedMax;
    const mails = await ask(
      directory,
      given,
      (ber) => ber.number(limit, tags.list),
      (ber) => ({
        ...{ id: ber.string(), state: ber.string(), kind: ber.string(), subject: ber.string() },
        written: new Date(Number(ber.string())).toISOString(),
        attempts: ber.number(),
        why: ber.string(),
      }),
    );
    await list(mails, given, context, {
      columns: [
        { head: 'ID', of: ({ id }) => id, telling: true },
        { head: 'STATE', of: ({ state }) => state },
        { head: 'MAIL', of: ({ kind }) => kind },
        { head: 'WRITTEN', of: ({ written }) => written },
        { head: 'TRIES', of: ({ attempts }) => String(attempts) },
        { head: 'PERSON', of: ({ subject }) => subject },
        { head: 'WHY', of: ({ why }) => why },
      ],
      none: 'No mail waits, and none was given up.',
    });
    return 0;
  });
}

/** @returns the exit status */
export async function retryMails(given: Given, context: Context): Promise<number> {
  return await withRunning(context, async (directory) => {
    const id = given.text('ID');
    const [retried] = await ask(
      directory,
      given,
      (ber) => ber.sequence(() => void (id !== undefined && ber.string(id, tags.id)), tags.retry),
      (ber) => ({ tried: ber.number(), over: ber.number() }),
      true,
    );
    const { tried, over } = retried ?? { tried: 0, over: 0 };
    if (id !== undefined && tried + over === 0) throw new Absent(`there is no mail ${JSON.stringify(id)}. See: atrium mail list`);
    const words = [`${tried} mails are tried again`, ...(over > 0 ? [`${over} say nothing good any more: have them written anew`] : [])];
    context.stdout.write(given.flag('json') ? `${JSON.stringify({ tried, over })}\n` : `${words.join('\n')}\n`);
    return id !== undefined && over > 0 ? 1 : 0;
  });
}

/** @param whole  the answer is one thing, not a list of them */
async function ask<T>(
  { client, suffixOf }: Directory,
  given: Given,
  write: (ber: BerWriter) => void,
  read: (ber: BerReader) => T,
  whole = false,
): Promise<readonly T[]> {
  const suffix = await suffixOf(given.need('realm'));
  const value = await client.extended(
    mailQueueOid,
    encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(suffix);
        write(ber);
      }),
    ),
  );
  const answered =
    value && decodeBer(value, (ber) => (whole ? [ber.sequence(() => read(ber))] : ber.list(() => ber.sequence(() => read(ber)))));
  if (answered === undefined) throw new Failure('the answer of the directory cannot be read');
  return answered;
}
