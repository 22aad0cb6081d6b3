import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { referencesIn } from './references-in.ts';

/**
 * Finds faults of deferred tools and references to them. OpenAI supports neither. Servers that do
 * (`hasChatDeferral`) require a boolean mark, next to `type` or within `function`, and references to declared
 * tools, by `name` or by `tool_name`.
 *
 * Sources: vllm-project/vllm#40190, sgl-project/sglang#22702,
 * https://docs.baseten.co/inference/model-apis/deferred-tool-loading.
 */
export function* findDeferralFaults(
  body: JsonObject,
  { hasChatDeferral = false }: Pick<ProviderRules, 'hasChatDeferral'>,
): Generator<Rejection> {
  for (const { place, mark } of marksIn(body.tools)) {
    if (!hasChatDeferral) {
      yield badRequest(`Unknown parameter: '${place}'.`, { param: place, code: 'unknown_parameter' });
    } else if (typeof mark !== 'boolean') {
      yield badRequest(`Input should be a valid boolean: '${place}'.`, { param: place });
    }
  }
  const declared = new Set(objectsOf(body.tools).map(({ function: own }) => isJsonObject(own) && own.name));
  for (const { name, toolName, place } of referencesIn(body.messages)) {
    if (typeof name !== 'string' || name !== toolName) {
      yield badRequest(`A tool_reference needs 'name' and 'tool_name': '${place}'.`, { param: place });
    } else if (!declared.has(name)) {
      yield badRequest(`Tool reference '${name}' not found in available tools.`, { param: place });
    }
  }
}

function marksIn(tools: unknown): { readonly place: string; readonly mark: unknown }[] {
  return objectsOf(tools).flatMap((tool, position) => {
    const place = `tools[${position}]`;
    const holders = [
      { place, holder: tool },
      { place: `${place}.function`, holder: tool.function },
    ];
    return holders.flatMap(({ place: at, holder }) =>
      isJsonObject(holder) && 'defer_loading' in holder
        ? [{ place: `${at}.defer_loading`, mark: holder.defer_loading }]
        : [],
    );
  });
}
