import { accessExplain, accessList, usersWhy } from './access.ts';
import { accessRuleRows } from './access-rules.ts';
import { auditList } from './audit.ts';
import { authorizationServerRows } from './authorization-servers.ts';
import { configList, configReset, configSet } from './config.ts';
import { describeRows } from './describe.ts';
import { errorCodes } from './error-codes.ts';
import { keyRows } from './keys.ts';
import { ldapRows } from './ldap.ts';
import { mechanisms } from './mechanisms.ts';
import { policiesResetAuthn, policiesResetPassword, policiesSaveAuthn, policiesSavePassword, policiesShow } from './policies.ts';
import { realmsChange, realmsCreate, realmsList, realmsRemove } from './realms.ts';
import type { Operation } from './row.ts';

/** Operations about the service and its realms, rather than about those who are in them. */
export const serviceRows: readonly Operation[] = [
  policiesShow,
  policiesSaveAuthn,
  policiesResetAuthn,
  policiesSavePassword,
  policiesResetPassword,
  ...mechanisms,
  configList,
  configSet,
  configReset,
  realmsList,
  realmsCreate,
  realmsChange,
  realmsRemove,
  accessList,
  accessExplain,
  ...accessRuleRows,
  usersWhy,
  auditList,
  errorCodes,
  ...keyRows,
  ...authorizationServerRows,
  ...ldapRows,
  ...describeRows,
];
