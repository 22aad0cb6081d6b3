import type { LeaveReason } from '@winnow/core';
import { hidesCalls, type Plan } from '@winnow/wire';

/** Returns the plan that changes nothing. */
export function bypass(reason: LeaveReason): Plan {
  return { loadMode: 'swap', defer: [], load: [], searchTool: undefined, reason };
}

/** Whether a plan leaves a request unchanged. */
export function isBypass(plan: Plan): boolean {
  return plan.defer.length === 0 && !hidesCalls(plan);
}
