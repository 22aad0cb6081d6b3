import type { Plan, RequestView, SearchCall, SearchResult } from '../format/view.ts';
import { Bridge, type ToolReading } from './bridge.ts';
import { argumentsIn, readInnerCall } from './inner-call.ts';
import { judgeCall, MALFORMED } from './judge-call.ts';
import { readOwnCall } from './own-call.ts';

/** The most rounds of an exchange in which calls are refused. */
export const MOST_REFUSALS = 2;

/** Whether a hidden call is one of the bridge tool that cannot work. */
export function isRefused(plan: Plan, call: SearchCall): boolean {
  return plan.loadMode === 'bridge' && readOwnCall(plan, call).name === plan.bridgeTool.name;
}

/**
 * Returns the answer to a bridge call that cannot work: what is wrong with it, and the definition of the tool
 * that it means.
 */
export function refuseCall(
  view: RequestView,
  plan: Plan,
  call: SearchCall,
  reading: ToolReading,
): SearchResult {
  const answer = { callId: call.id, kind: 'answered', isError: true } as const;
  if (plan.loadMode !== 'bridge') return { ...answer, tools: [], text: MALFORMED };
  const bridge = new Bridge(view, plan, reading);
  const text = call.input === undefined ? '' : JSON.stringify(call.input);
  const inner = readInnerCall(text, bridge.toolName);
  const name = inner && bridge.resolve(inner.name);
  const problem = judgeCall(bridge, name, inner === undefined ? '' : argumentsIn(text, inner));
  const tool = problem?.name === undefined ? undefined : bridge.callable.get(problem.name);
  return { ...answer, tools: tool === undefined ? [] : [tool], text: problem?.text ?? MALFORMED };
}
