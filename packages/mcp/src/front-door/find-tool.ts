import { editDistance } from '@winnow/core';
import { type FoundTool, isToolName, type Registry, type ToolDetail } from '@winnow/registry';

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
