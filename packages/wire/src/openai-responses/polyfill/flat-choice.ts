import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../../json/json-splice.ts';
import type { FlatNames } from './flat-names.ts';

/** Returns a `tool_choice` with the same tools under their flat names, as JSON; undefined when it stays. */
export function flattenChoice(
  choice: unknown,
  names: FlatNames,
  isLone: (name: string) => boolean,
): string | undefined {
  if (!isJsonObject(choice)) return undefined;
  const isList = choice.type === 'allowed_tools';
  const named = isList ? objectsIn(choice.tools) : [choice];
  const flat = named.map((tool) => flattenNamed(tool, names, isLone));
  if (flat.every((tools) => tools === undefined)) return undefined;
  const tools = flat.flatMap((one, at) => one ?? [named[at]!]);
  if (isList) return JSON.stringify({ ...choice, tools });
  return JSON.stringify(tools.length === 1 ? tools[0] : { type: 'allowed_tools', mode: 'required', tools });
}

/** Returns the tools that one entry of a choice names; undefined when their names stay. */
function flattenNamed(
  tool: JsonObject,
  names: FlatNames,
  isLone: (name: string) => boolean,
): JsonObject[] | undefined {
  const { type, namespace, ...rest } = tool;
  if (type === 'tool_search') return [{ type: 'function', name: names.search }];
  const name = textOrNone(tool.name);
  if (name === undefined) return undefined;
  if (type === 'namespace') {
    const within = names.within(name);
    return within.length === 0 ? undefined : within.map((flat) => ({ type: 'function', name: flat }));
  }
  const own = textOrNone(namespace);
  if (own !== undefined) {
    const isPlain = own === name && isLone(name);
    return [{ type, ...rest, name: isPlain ? name : names.flatten({ namespace: own, name }) }];
  }
  const [only, ...others] = isLone(name) ? [] : names.called(name);
  return only !== undefined && others.length === 0 ? [{ type, ...rest, name: only }] : undefined;
}
