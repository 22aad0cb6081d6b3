import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { functionOf } from './function-of.ts';

const MODES = ['none', 'auto', 'required'];

/**
 * Finds faults of `tool_choice` and `parallel_tool_calls`: both need `tools`, and every name must be declared
 * there.
 */
export function* findChoiceFaults(body: JsonObject): Generator<Rejection> {
  const choice = body.tool_choice;
  const hasTools = Array.isArray(body.tools);
  if (choice !== undefined && choice !== null) {
    if (!hasTools) yield needsTools('tool_choice');
    yield* findNamesFaults(choice, objectsOf(body.tools));
  }
  if (typeof body.parallel_tool_calls === 'boolean' && !hasTools) yield needsTools('parallel_tool_calls');
}

function* findNamesFaults(choice: unknown, tools: readonly JsonObject[]): Generator<Rejection> {
  const names = namesIn(choice);
  if (names === undefined) {
    yield badRequest(`Invalid value for 'tool_choice': ${JSON.stringify(choice)}.`, { param: 'tool_choice' });
    return;
  }
  const declared = new Set(tools.map((tool) => functionOf(tool)?.name));
  const stranger = names.find((name) => !declared.has(name));
  if (stranger === undefined) return;
  yield badRequest(
    `Invalid value for 'tool_choice': no tool named '${stranger}' was specified in the 'tools' parameter.`,
    {
      param: 'tool_choice',
    },
  );
}

/** Returns the names in a choice; undefined for an unknown form. */
function namesIn(choice: unknown): readonly (string | undefined)[] | undefined {
  if (typeof choice === 'string') return MODES.includes(choice) ? [] : undefined;
  if (!isJsonObject(choice)) return undefined;
  if (choice.type !== 'allowed_tools') {
    const name = functionOf(choice)?.name;
    return name === undefined ? undefined : [name];
  }
  const allowed = choice.allowed_tools;
  if (!isJsonObject(allowed) || !Array.isArray(allowed.tools)) return undefined;
  // Entries of kinds that only compatible servers have contain no name to look up.
  return objectsOf(allowed.tools).flatMap((entry) => functionOf(entry)?.name ?? []);
}

function needsTools(param: string): Rejection {
  return badRequest(`Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`, {
    param,
  });
}
