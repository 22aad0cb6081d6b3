import type { PlanReason } from '@winnow/core';
import type { Plan } from '@winnow/wire';
import { isBypass } from '../strategies/bypass.ts';
import { OFFERED_NAMES } from './offered-tools.ts';

/**
 * Reasons to send a request unchanged even if it asks for tools: the upstream or the proxy cannot handle an
 * edited one.
 */
const LEFT_ALONE: ReadonlySet<PlanReason> = new Set(['refused_before', 'too_many_tools', 'plan_failed']);

/**
 * Returns the plan of a request with the offered tools: calls of these are hidden. Unchanged if the request
 * must stay in its original form.
 */
export function planOffer(plan: Plan): Plan {
  if (isBypass(plan) && LEFT_ALONE.has(plan.reason)) return plan;
  return { ...plan, offered: OFFERED_NAMES };
}
