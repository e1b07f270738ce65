export { type Addresses, type Command, type Context, Misuse, type Running, type Started, type StartOptions } from './command.ts';
export { commands } from './table.ts';
