export {
  type Addresses,
  type Command,
  type Context,
  type Located,
  Misuse,
  type OpenedFolder,
  type OpenFolder,
  type Running,
  type Started,
  type StartOptions,
} from './command.ts';
export { commands } from './operations.ts';
