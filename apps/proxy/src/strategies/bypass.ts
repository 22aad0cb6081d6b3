import type { LeaveReason } from '@winnow/contract';
import { hidesCalls, type Plan } from '@winnow/wire';

/** The plan that changes nothing. */
export function bypass(reason: LeaveReason): Plan {
  return { loadMode: 'swap', defer: [], load: [], searchTool: undefined, reason };
}

/** Whether a plan leaves a request as it is. */
export function isBypass(plan: Plan): boolean {
  return plan.defer.length === 0 && !hidesCalls(plan);
}
