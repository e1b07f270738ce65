export {
  type Addresses,
  type BackedUp,
  type Command,
  type Context,
  type ExaminationOptions,
  type Examined,
  type Located,
  Misuse,
  type OpenedFolder,
  type OpenedLog,
  type OpenFolder,
  type Repaired,
  type Restored,
  type Running,
  type Started,
  type StartOptions,
} from './command.ts';
export { commands } from './operations.ts';
