import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AuditEvent } from '#audit';
import { type Clock, systemChance } from '#base';
import { readSettings, type SettingValues } from '#catalogue';
import { clientSettings, connectDirectory, type DirectoryClient } from '#client';
import { createDirectory } from '#directory';
import { type Listener, listenerSettings, startListener } from '#listener';
import { furnishedHouse, type House } from '../directory/driver.ts';

type ClientSettings = SettingValues<typeof clientSettings>;

/** A furnished directory with its listener on both Unix sockets, and the web layer's client before it. */
export interface WebLayer {
  readonly house: House;
  readonly client: DirectoryClient;
  /** What the client obeys; a test may change it. */
  readonly settings: { -readonly [Name in keyof ClientSettings]: ClientSettings[Name] };
  readonly secret: Uint8Array;
  readonly webSocket: string;
  readonly operatorsSocket: string;
  /** What the directory and its listener recorded. */
  readonly audited: readonly AuditEvent[];
  readonly clock: Clock & { moveMs(by: number): void };
  startListener(): Promise<Listener>;
  stopListener(): Promise<void>;
}

export async function openWebLayer(t: ExecutionContext, given: Parameters<typeof furnishedHouse>[1] = {}): Promise<WebLayer> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const secret = systemChance.octets(32);
  const house = await furnishedHouse(t, { ...given, webSecret: secret });
  const paths = { web: join(folder, 'run', 'web'), operators: join(folder, 'operators') };

  let listener: Listener | undefined;
  const start = async () => {
    listener = await startListener({
      directory: createDirectory(house.engine),
      endpoints: paths,
      limits: { ...readSettings(listenerSettings, { environment: {} }).values, 'ldap.stopTimeoutS': 0 },
      audit: house.engine.audit,
      clock: house.clock,
      chance: systemChance,
    });
    return listener;
  };
  const stop = async () => {
    await listener?.stop();
    listener = undefined;
  };
  await start();
  const settings = { ...readSettings(clientSettings, { environment: {} }).values };
  const client = connectDirectory({ socketPath: paths.web, secret, clock: house.clock, settings });
  t.teardown(async () => {
    await client.close();
    await stop();
  });
  return {
    house,
    client,
    settings,
    secret,
    webSocket: paths.web,
    operatorsSocket: paths.operators,
    audited: house.audited,
    clock: house.clock,
    startListener: start,
    stopListener: stop,
  };
}
