import { createRequire } from 'node:module';
import type winston from 'winston';
import type { Clock } from '#base';
import type { ErrorRow } from '#catalogue';
import { oneLine } from './escape.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Facts beside the sentence, each on its own. Never a secret: a name, a number, an address. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** The service's log. A line about something wrong has a code: `[STS-…]` stands in front of its words. */
export interface Log {
  error(row: ErrorRow, words: string, fields?: LogFields): void;
  warn(row: ErrorRow, words: string, fields?: LogFields): void;
  info(words: string, fields?: LogFields): void;
  debug(words: string, fields?: LogFields): void;
  /** Resolves when all lines have been handed to the stream. The stream stays open. */
  close(): Promise<void>;
}

export interface LogOptions {
  /** One JSON object a line; else a line that people read. */
  readonly json: boolean;
  readonly level: LogLevel;
  readonly stream: NodeJS.WritableStream;
  readonly clock: Clock;
  /** Characters kept of a sentence or a field. */
  readonly lengthMax?: number;
}

const levels = { error: 0, warn: 1, info: 2, debug: 3 } as const satisfies Record<LogLevel, number>;
const lengthMaxStanding = 1024;
const require = createRequire(import.meta.url);

/** Opens the log on a stream. */
export function createLog({ json, level, stream, clock, lengthMax = lengthMaxStanding }: LogOptions): Log {
  // A log that cannot be written, because its reader has gone, must not end the service.
  stream.on('error', () => undefined);
  let logger: winston.Logger | undefined;
  // Late: most commands have nothing to log, and need not load the library for it.
  const open = (): winston.Logger => {
    const { createLogger, format, transports } = require('winston') as typeof winston;
    const line = format.printf((info) => (json ? jsonLine(info) : humanLine(info)));
    return createLogger({ levels, level, format: line, transports: [new transports.Stream({ stream })] });
  };

  const write = (at: LogLevel, row: ErrorRow | undefined, words: string, fields: LogFields = {}) => {
    // Asked here and not of winston alone: each write has a line of detail that is seldom wanted.
    if (levels[at] > levels[level]) return;
    const said = oneLine(words, lengthMax);
    logger ??= open();
    logger.log({
      level: at,
      message: row === undefined ? said : `[${row.code}] ${said}`,
      time: clock.nowMs(),
      fields: clean(fields, lengthMax),
    });
  };
  return {
    error: (row, words, fields) => write('error', row, words, fields),
    warn: (row, words, fields) => write('warn', row, words, fields),
    info: (words, fields) => write('info', undefined, words, fields),
    debug: (words, fields) => write('debug', undefined, words, fields),
    close: () =>
      new Promise((resolve) => {
        if (logger === undefined) return resolve();
        logger.once('finish', () => resolve());
        logger.end();
      }),
  };
}

function clean(fields: LogFields, lengthMax: number): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      oneLine(name, lengthMax),
      typeof value === 'string' ? oneLine(value, lengthMax) : value,
    ]),
  );
}

function jsonLine(info: winston.Logform.TransformableInfo): string {
  const fields = info['fields'] as LogFields;
  return JSON.stringify({
    time: timeText(info),
    level: info.level,
    message: info.message,
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
  });
}

function humanLine(info: winston.Logform.TransformableInfo): string {
  const fields = Object.entries(info['fields'] as LogFields).map(([name, value]) => `  ${name}=${value}`);
  return `${timeText(info)} ${info.level.padEnd(5)} ${String(info.message)}${fields.join('')}`;
}

function timeText(info: winston.Logform.TransformableInfo): string {
  return new Date(info['time'] as number).toISOString();
}
