import type { PlanReason } from '@winnow/contract';
import type { Plan } from '@winnow/wire';
import { isBypass } from '../strategies/bypass.ts';
import { OFFERED_NAMES } from './offered-tools.ts';

/** Reasons for which a request goes as it came, whatever it asks for: the upstream, or we, cannot handle it edited. */
const LEFT_ALONE: ReadonlySet<PlanReason> = new Set(['refused_before', 'too_many_tools', 'plan_failed']);

/** The plan of a request that has the offered tools in it: calls of these are hidden. Unchanged where the request has to go as it came. */
export function planOffer(plan: Plan): Plan {
  if (isBypass(plan) && LEFT_ALONE.has(plan.reason)) return plan;
  return { ...plan, offered: OFFERED_NAMES };
}
