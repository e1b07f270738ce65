import { createServer } from 'node:net';

/**
 * Whether this process may listen on a port.
 *
 * @param host  an address of this machine
 */
export function mayListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
