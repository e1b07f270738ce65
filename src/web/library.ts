import type { Server, ServerOptions } from 'restify';

type Make<Made> = new (options: ServerOptions) => Made;

/**
 * Makes a server of Restify as its `createServer` does, from two of its files: its index loads all of its plugins and a log besides, which nobody here uses;
 * they are three in four of its files. Loaded with the first door: what does not open one to the web need not load the library for it.
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const [{ default: LibraryServer }, { default: Router }]: [{ default: Make<Server> }, { default: Make<ServerOptions['router']> }] =
    await Promise.all([
      // @ts-expect-error: only the index has types
      import('restify/lib/server.js'),
      // @ts-expect-error: only the index has types
      import('restify/lib/router.js'),
    ]);
  return new LibraryServer({ ...options, router: new Router(options) });
}
