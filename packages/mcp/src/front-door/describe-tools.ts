import {
  decodePercent,
  editDistance,
  memberAt,
  parseJson,
  pointerKeys,
  readableJson,
  removeInvisible,
} from '@winnow/core';
import {
  type FoundTool,
  isJsonObject,
  isToolName,
  type Json,
  type JsonObject,
  type Registry,
  type ToolDetail,
} from '@winnow/registry';
import type { CallResult, McpServers } from '../servers/mcp-servers.ts';
import { absentNotes, displayLine, type ReadArguments, textResult } from './call-outcome.ts';
import { MAX_DESCRIBED } from './dispatch.ts';
import { describeOffer, type OfferDoor } from './offers/offer-door.ts';

/** Reads the arguments of `describe_tools`. A single name, or a list that a model wrote as text, is accepted. */
export function readDescribeArguments({ names }: JsonObject): ReadArguments<readonly string[]> {
  const written = typeof names === 'string' ? listIn(names) : names;
  if (!Array.isArray(written) || written.length === 0 || !written.every((name) => typeof name === 'string')) {
    return { ok: false, message: '"names" must be a list of names, as search_tools gives them.' };
  }
  if (written.length > MAX_DESCRIBED) {
    return {
      ok: false,
      message: `"names" has ${written.length} names; at most ${MAX_DESCRIBED} are described at once.`,
    };
  }
  return { ok: true, read: [...new Set(written as readonly string[])] };
}

function listIn(text: string): unknown {
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? parsed : [text];
}

/** Returns full definitions, as JSON text and as data; names the nearest tools for unknown names. */
export async function describeTools(
  names: readonly string[],
  {
    registry,
    servers,
    offers,
  }: { readonly registry: Registry; readonly servers: McpServers; readonly offers: OfferDoor },
): Promise<CallResult> {
  const found = await Promise.all(
    names.map(async (name) => ({ name, named: await findTool(registry, name) })),
  );
  const tools = new Map<string, JsonObject>();
  const problems: string[] = [];
  for (const { name, named } of found) {
    const offer = named.kind === 'found' ? undefined : describeOffer(offers, name);
    if (offer !== undefined) tools.set(name, offer);
    else if (named.kind === 'found') tools.set(named.tool.id, await describe(named.tool, registry));
    else problems.push(explainUnknown(name, named, absentNotes(registry, servers)));
  }
  const definitions = [...tools.values()];
  const text = [...definitions.map((definition) => JSON.stringify(definition)), ...problems].join('\n\n');
  return {
    ...textResult(text, { tools: definitions, ...(problems.length > 0 && { problems }) }),
    ...(definitions.length === 0 && { isError: true }),
  };
}

/** Explains a name that no tool or several tools have; `absent` is the result of {@link absentNotes}. */
export function explainUnknown(
  written: string,
  named: Exclude<NamedTool, { kind: 'found' }>,
  absent: readonly string[],
): string {
  const name = JSON.stringify(removeInvisible(written.slice(0, 200)));
  if (named.kind === 'ambiguous') return `Several tools are named ${name}: ${named.names.join(', ')}.`;
  const near = named.nearest.length > 0 ? ` The nearest names: ${named.nearest.join(', ')}.` : '';
  return [`There is no tool ${name}.${near} Find tools with search_tools.`, ...absent].join(' ');
}

/** The definition by the name under which the tool is called here, with its examples. */
async function describe(tool: ToolDetail, registry: Registry): Promise<JsonObject> {
  const { examples = [] } = (await registry.get(tool.id, 'full')) ?? {};
  const { name: _, _meta, icons, ...definition } = tool.definition ?? { inputSchema: {} };
  const whole: unknown = {
    name: tool.modelName,
    ...definition,
    ...(examples.length > 0 && {
      examples: examples.map(({ title, arguments: values }) => ({ title, arguments: values })),
    }),
  };
  return isJsonObject(whole) ? readableJson(whole) : {};
}

/** Longest text of one parameter, and most values that it names, in the list of a tool's parameters. */
const MAX_TEXT_CHARS = 160;
const MAX_VALUES = 12;
/** Maximum number of an object's members that are named. */
const MAX_MEMBERS = 12;

/**
 * The parameters of a schema, a line each: name, type, whether it is required, what it is for. Required ones come first, each in the
 * order of the schema. Nested objects show the names of their members; the full schema has the rest.
 */
export function describeParameters(schema: JsonObject): readonly string[] {
  const properties = asObject(schema.properties);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const lines = Object.entries(properties).map(([name, property]) => ({
    isRequired: required.has(name),
    text: describeParameter(name, asObject(property), required.has(name), schema),
  }));
  return [...lines.filter((line) => line.isRequired), ...lines.filter((line) => !line.isRequired)].map(
    ({ text }) => text,
  );
}

function describeParameter(name: string, written: JsonObject, isRequired: boolean, root: JsonObject): string {
  const schema = follow(written, root);
  const kind = [typeOf(schema, root), ...(isRequired ? ['required'] : [])].join(', ');
  const text = typeof written.description === 'string' ? written.description : schema.description;
  const said = typeof text === 'string' && text.trim() !== '' ? `: ${displayLine(text, MAX_TEXT_CHARS)}` : '';
  return `- ${displayLine(name, 128)} (${kind})${said}`;
}

/** A type as people write it: `string`, `integer[]`, `"open" | "closed"`, `{ owner, repo }`. */
function typeOf(schema: JsonObject, root: JsonObject, depth = 0): string {
  if (Array.isArray(schema.enum)) return valuesOf(schema.enum);
  if (schema.const !== undefined) return valuesOf([schema.const]);
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices !== undefined && depth < 3) {
    const types = choices.map((choice) => typeOf(follow(asObject(choice), root), root, depth + 1));
    return [...new Set(types)].slice(0, MAX_VALUES).join(' | ') || 'any';
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => plainTypeOf(type, schema, root, depth)).join(' | ');
}

function plainTypeOf(type: Json | undefined, schema: JsonObject, root: JsonObject, depth: number): string {
  if (type === 'array' && schema.items !== undefined && depth < 3) {
    const item = typeOf(follow(asObject(schema.items), root), root, depth + 1);
    return / /.test(item) ? `(${item})[]` : `${item}[]`;
  }
  const members = Object.keys(asObject(schema.properties));
  if ((type === 'object' || type === undefined) && members.length > 0) {
    const shown = members.slice(0, MAX_MEMBERS).map((name) => displayLine(name, 64));
    return `{ ${shown.join(', ')}${members.length > MAX_MEMBERS ? ', …' : ''} }`;
  }
  return typeof type === 'string' ? type : 'any';
}

function valuesOf(values: readonly Json[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => displayLine(JSON.stringify(value), 64));
  return shown.join(' | ') + (values.length > MAX_VALUES ? ' | …' : '');
}

/** Returns the target of a local reference, one step; anything else unchanged. */
function follow(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return schema;
  const target = memberAt(root, pointerKeys(decodePercent(schema.$ref.slice(1))));
  return isJsonObject(target) ? target : schema;
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The tool of a name, limited to the caller's sight. */
export type NamedTool =
  | { readonly kind: 'found'; readonly tool: ToolDetail }
  /** Model names of all tools with this name. */
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  /** Model names that look most like it, at most three. */
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] };

const MAX_NEAREST = 3;
/** Tools that are looked at for the nearest names, and for others of the same bare name. */
const LOOKED_AT = 20;
/** No name of a tool is longer: an id is a namespace of 64, a colon and a name of 128. */
const MAX_NAME_CHARS = 193;

/**
 * The tool of a model name, an id, or a bare name that only one tool has. What the caller may not see is not found, and not named: everything is
 * asked of the registry as the caller sees it.
 */
export async function findTool(registry: Registry, name: string): Promise<NamedTool> {
  if (name.length > MAX_NAME_CHARS) return { kind: 'unknown', nearest: [] };
  const tool = await registry.get(name, 'schema');
  if (tool !== undefined) return { kind: 'found', tool };
  // Exact names come first in every search, bare ones too.
  // The title of a tool whose name is not Latin is the server's own name.
  const isSame = (found: FoundTool) => found.name === name || (!isToolName(name) && found.title === name);
  const same = (await search(registry, name)).filter(isSame);
  const [only] = same;
  if (only === undefined) return { kind: 'unknown', nearest: await nearestNames(registry, name) };
  if (same.length > 1) return { kind: 'ambiguous', names: same.map(({ modelName }) => modelName) };
  // It may have been removed since.
  const found = await registry.get(only.id, 'schema');
  return found === undefined ? { kind: 'unknown', nearest: [] } : { kind: 'found', tool: found };
}

async function nearestNames(registry: Registry, name: string): Promise<readonly string[]> {
  const words = name.replace(/[^A-Za-z0-9]+/g, ' ').trim();
  const candidates = words === '' ? [] : await search(registry, words);
  const slips = (tool: FoundTool) =>
    Math.min(...[tool.modelName, tool.id, tool.name].map((known) => distance(name, known)));
  return candidates
    .map((tool) => ({ name: tool.modelName, slips: slips(tool) }))
    .sort((a, b) => a.slips - b.slips)
    .slice(0, MAX_NEAREST)
    .map((near) => near.name);
}

function distance(name: string, known: string): number {
  return editDistance(name.toLowerCase(), known.toLowerCase(), Math.max(name.length, known.length));
}

async function search(registry: Registry, query: string): Promise<readonly FoundTool[]> {
  const page = await registry.search(query, { pageSize: LOOKED_AT, limit: LOOKED_AT });
  // Without a search there are no nearest names; the name is just unknown.
  return page.ok ? page.tools : [];
}
