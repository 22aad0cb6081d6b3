import type { BypassReason, Plan, UnreadableReason } from '@winnow/wire';

/** Why an exchange is forwarded as it is, beyond what a format says. */
export type PlanBypassReason =
  | BypassReason
  | UnreadableReason
  /** The strategy alters nothing. */
  | 'passthrough'
  /** There are not enough tools for choosing among them to gain anything. */
  | 'few_tools'
  /** More tools than can be handled beside other requests: 20,000, or 16 MiB of them. */
  | 'too_many_tools'
  /** Other requests hold the memory that reading this one would take. */
  | 'short_of_memory'
  /** The body's `content-encoding` is unknown or broken: only the upstream can say what to do about it. */
  | 'undecodable_body'
  /** A defect of the proxy's own while it read the request or planned; logged. */
  | 'plan_failed';

/** The plan that changes nothing. */
export function bypass(reason: PlanBypassReason): Plan {
  return { loadMode: 'swap', defer: [], load: [], searchTool: undefined, reason };
}

/** Whether a plan leaves a request as it is. */
export function isBypass(plan: Plan): boolean {
  return plan.defer.length === 0 && plan.searchTool === undefined;
}
