import type { Plan, SearchCall } from '../format/view.ts';
import { parseObject } from '../json/json-members.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { argumentsIn, readInnerCall } from './inner-call.ts';

/**
 * Returns a hidden call as one of the tool that the proxy is to answer: a bridge call of the search tool or of
 * an offered tool is one of that tool. Any other call stays as it is.
 *
 * In the model's message, and so in a turn, it remains a call of the bridge tool: signatures and the prompt
 * cache cover its form.
 */
export function readOwnCall(plan: Plan, call: SearchCall): SearchCall {
  if (plan.loadMode !== 'bridge' || call.name !== plan.bridgeTool.name || call.input === undefined)
    return call;
  const text = JSON.stringify(call.input);
  const inner = readInnerCall(text, call.name);
  const given = inner && parseObject(argumentsIn(text, inner));
  const hidden = hiddenNames(plan);
  const name = inner && hidden.meantBy(inner.name);
  if (given === undefined || name === undefined || name === call.name) return call;
  return hidden.readCall({ id: call.id, name }, given);
}
