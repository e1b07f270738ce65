export {
  type Addresses,
  type Command,
  type Context,
  type ExaminationOptions,
  type Examined,
  type Located,
  Misuse,
  type OpenedFolder,
  type OpenFolder,
  type Repaired,
  type Running,
  type Started,
  type StartOptions,
} from './command.ts';
export { commands } from './operations.ts';
