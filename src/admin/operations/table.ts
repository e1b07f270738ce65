import type { Operation } from './row.ts';
import { usersList } from './users-list.ts';
import { usersDisable, usersEnable } from './users-lock.ts';

/** Every operation, in the order in which its documentation names them. A new file of rows is one line here. */
export const operations: readonly Operation[] = [usersList, usersDisable, usersEnable];
