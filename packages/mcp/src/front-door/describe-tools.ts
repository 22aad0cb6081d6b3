import { parseJson, readableJson, removeInvisible } from '@winnow/core';
import { isJsonObject, type JsonObject, type Registry, type ToolDetail } from '@winnow/registry';
import type { CallResult, McpServers } from '../servers/mcp-servers.ts';
import { absentNotes } from './absent-notes.ts';
import { findTool, type NamedTool } from './find-tool.ts';
import { describeOffer } from './offers/describe-offer.ts';
import type { OfferDoor } from './offers/offer-door.ts';
import { MAX_DESCRIBED } from './own-tools.ts';
import type { ReadArguments } from './read-call-arguments.ts';
import { textResult } from './text-result.ts';

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
