import type { Environment } from '#catalogue';

/** Where a running service can be reached; URLs with the real ports. What is switched off is absent. */
export interface Addresses {
  readonly ldap?: string;
  readonly ldaps?: string;
  /** `ldapi://` of the operators' socket. */
  readonly operators?: string;
  readonly http?: string;
  readonly https?: string;
}

/** A service that may be used. */
export interface Running {
  readonly addresses: Addresses;
  readonly suffix: string;
  /** The built-in administrator's password when this start generated it; it is not to be had again. */
  readonly generatedPassword?: string;
  /** Ends the service after what is open is closed. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly environment: Environment;
}

/** How a start ends: with a service, or with lines for the operator. */
export type Started = { readonly kind: 'running'; readonly service: Running } | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** What a command may touch. Everything from outside the process comes through here. */
export interface Context {
  readonly environment: Environment;
  /** The installation's folder, in which `schema/` and `ldif/` lie. */
  readonly root: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly start: (options: StartOptions) => Promise<Started>;
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly untilSignal: () => Promise<void>;
}

/** One row of the table of commands. */
export interface Command {
  /** What stands behind the command's name: `FILTER [ATTRIBUTE…]`. */
  readonly takes: string;
  readonly means: string;
  /** More about it, and examples, for `--help`. */
  readonly help: string;
  /** @returns the exit status */
  readonly run: (args: readonly string[], context: Context) => Promise<number>;
}

/** A mistake in how a command was called: told in one line, exit status 2. */
export class Misuse extends Error {}
