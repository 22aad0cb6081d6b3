import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

const FUNCTION_MEMBERS = ['type', 'name', 'description', 'parameters'];
const HOSTED: ReadonlySet<unknown> = new Set([
  'google_search',
  'google_maps',
  'url_context',
  'code_execution',
  'file_search',
  'computer_use',
  'mcp_server',
  'retrieval',
]);
const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;
const MODES: ReadonlySet<unknown> = new Set(['auto', 'any', 'none', 'validated']);

/** Finds faults of `tools` and of the request's choice among them. */
export function* findInteractionsToolFaults({
  tools,
  generation_config: config,
}: JsonObject): Generator<Rejection> {
  if (tools !== undefined && !Array.isArray(tools)) yield badRequest("Invalid value at 'tools'.");
  const names = new Set<string>();
  for (const [at, tool] of objectsOf(tools).entries()) {
    const place = `tools[${at}]`;
    if (HOSTED.has(tool.type)) continue;
    if (tool.type !== 'function') {
      yield badRequest(`${place}.type: unknown tool '${tool.type}'.`);
      continue;
    }
    const stranger = Object.keys(tool).find((key) => !FUNCTION_MEMBERS.includes(key));
    if (stranger !== undefined) yield badRequest(`Unknown parameter '${stranger}' at '${place}'.`);
    const name = String(tool.name ?? '');
    if (!NAME_PATTERN.test(name)) yield badRequest(`${place}.name: Invalid function name.`);
    if (names.has(name)) yield badRequest(`Duplicate function declaration found: ${name}`);
    names.add(name);
    if (tool.parameters !== undefined && !isJsonObject(tool.parameters)) {
      yield badRequest(`${place}.parameters: must be a schema.`);
    }
  }
  if (isJsonObject(config) && config.tool_choice !== undefined)
    yield* findChoiceFaults(config.tool_choice, names);
}

/** Source of the wording: https://github.com/vercel/ai, which omits the member for this reason. */
function* findChoiceFaults(choice: unknown, names: ReadonlySet<string>): Generator<Rejection> {
  if (names.size === 0) yield badRequest('Function calling config is set without function_declarations.');
  const allowed = isJsonObject(choice) ? choice.allowed_tools : undefined;
  const mode = isJsonObject(allowed) ? (allowed.mode ?? 'auto') : choice;
  if (!MODES.has(mode)) yield badRequest("Invalid value at 'generation_config.tool_choice'.");
  const listed: readonly unknown[] =
    isJsonObject(allowed) && Array.isArray(allowed.tools) ? allowed.tools : [];
  const stranger = listed.find((name) => !names.has(String(name)));
  if (stranger !== undefined)
    yield badRequest(`allowed_tools: '${stranger}' is not among the function declarations.`);
}
