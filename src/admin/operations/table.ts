import { applicationRows } from './applications.ts';
import { applicationDeletedRows, groupDeletedRows, userDeletedRows } from './deleted.ts';
import { entryRows } from './entries.ts';
import { groupRows } from './groups.ts';
import { ldifRows } from './ldif.ts';
import { mfaRows } from './mfa.ts';
import type { Operation } from './row.ts';
import { serviceRows } from './service-rows.ts';
import { sessionRows } from './sessions.ts';
import { taskRows } from './tasks.ts';
import { tokenRows } from './tokens.ts';
import { userAppPasswordRows } from './users-app-passwords.ts';
import { usersConnections } from './users-connections.ts';
import { userCredentialRows } from './users-credentials.ts';
import { userEntryRows } from './users-entry.ts';
import { usersList } from './users-list.ts';
import { usersDisable, usersEnable } from './users-lock.ts';

/** Every operation, in the order in which its documentation names them. A new file of rows is one line here. */
export const operations: readonly Operation[] = [
  usersList,
  ...userEntryRows,
  usersDisable,
  usersEnable,
  ...userDeletedRows,
  ...userCredentialRows,
  ...userAppPasswordRows,
  usersConnections,
  ...mfaRows,
  ...groupDeletedRows,
  ...groupRows,
  ...applicationDeletedRows,
  ...applicationRows,
  ...entryRows,
  ...sessionRows,
  ...tokenRows,
  ...ldifRows,
  ...taskRows,
  ...serviceRows,
];
