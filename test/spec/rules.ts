import { managementRules } from './management.ts';
import { ourRules } from './ours.ts';
import type { SpecRule } from './rule.ts';
import { authenticationRules } from './signin/authentication.ts';
import { contractRules } from './signin/contract.ts';
import { endpointsRules } from './signin/endpoints.ts';
import { eventsRules } from './signin/events.ts';
import { keysRules } from './signin/keys.ts';
import { policyRules } from './signin/policy.ts';
import { requiredRules } from './signin/required.ts';
import { resourcesRules } from './signin/resources.ts';
import { sessionRules } from './signin/session.ts';

/** Document 1, whole, section by section. */
export const signinRules: readonly SpecRule[] = [
  ...contractRules,
  ...sessionRules,
  ...resourcesRules,
  ...policyRules,
  ...endpointsRules,
  ...authenticationRules,
  ...keysRules,
  ...requiredRules,
  ...eventsRules,
];

/** The rules of the specification: those that the service keeps, and those it will have to. */
export const rules: readonly SpecRule[] = [...signinRules, ...managementRules, ...ourRules];
