import {
  type McpTool,
  matchesGlob,
  type PendingDefinition,
  type Registry,
  type ServerList,
  type ServerListSummary,
} from '@winnow/registry';
import { ServerProblem } from './failures.ts';
import { type HeaderParameter, readHeaderParameters } from './header-parameters.ts';
import type { ListedTools } from './list-tools.ts';
import { repairNames } from './repair-names.ts';
import type { ServerEntry } from './server-entry.ts';

/** Most tools that are named as left out. */
const MAX_LEFT_OUT = 100;

/** A server's list as the registry gets it. */
export interface PreparedList {
  readonly tools: readonly McpTool[];
  /** The listed tools by the names under which they are stored. */
  readonly byName: ReadonlyMap<string, { readonly ownName: string; readonly tool: McpTool }>;
  /** By the server's own names; tools without any are missing. */
  readonly headerParameters: ReadonlyMap<string, readonly HeaderParameter[]>;
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
}

/** Selects the tools of a server's list and their names. Pure. */
export function prepareList(
  { tools, leftOut: noTools }: ListedTools,
  { include, exclude, transport }: Pick<ServerEntry, 'include' | 'exclude' | 'transport'>,
): PreparedList {
  const leftOut = [...noTools];
  const headerParameters = new Map<string, readonly HeaderParameter[]>();
  const taken = new Map<string, McpTool>();
  for (const tool of tools) {
    const { name } = tool;
    if (!wantsTool(name, { include, exclude })) continue;
    if (taken.has(name)) {
      leftOut.push({ tool: name, reason: 'Its name is listed twice.' });
      continue;
    }
    // They are of the transport that has headers.
    const read = transport.type === 'http' ? readHeaderParameters(tool.inputSchema ?? {}) : undefined;
    if (read !== undefined && !read.ok) {
      leftOut.push({ tool: name, reason: read.reason });
      continue;
    }
    if (read !== undefined && read.parameters.length > 0) headerParameters.set(name, read.parameters);
    taken.set(name, tool);
  }
  const stored = repairNames(taken.keys());
  const listed = [...taken].map(([ownName, tool]) => ({
    ownName,
    tool: { ...tool, ...titleOf(tool), name: stored.get(ownName)! },
  }));
  return {
    tools: listed.map(({ tool }) => tool),
    byName: new Map(listed.map((one) => [one.tool.name, one])),
    headerParameters,
    leftOut,
  };
}

/**
 * Returns the title of a tool whose name is not Latin and becomes underscores: the name itself, so that the tool can be found,
 * recognised and called by it.
 */
function titleOf({ name, title }: McpTool): { readonly title?: string } {
  return title === undefined && /[^\p{ASCII}]/u.test(name) ? { title: name } : {};
}

/** Whether an entry takes a tool over, by the server's own name. */
export function wantsTool(
  ownName: string,
  { include = ['*'], exclude }: Pick<ServerEntry, 'include' | 'exclude'>,
): boolean {
  const matches = (globs: readonly string[]) => globs.some((glob) => matchesGlob(glob, ownName));
  return matches(include) && !matches(exclude);
}

/** Terms on which a list is registered. */
export interface TakingTerms extends Pick<ServerList, 'approved' | 'approvesNew' | 'clearedNamespaces'> {
  readonly entry: ServerEntry;
}

/** The outcome of registering a list. */
export interface TakenList {
  readonly summary: ServerListSummary;
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
  readonly pending: readonly PendingDefinition[];
}

/** Gives a prepared list to the registry. Rejects with a `ServerProblem` when the registry refuses it as a whole. */
export async function takeOverList(
  list: PreparedList,
  registry: Registry,
  { entry, ...terms }: TakingTerms,
): Promise<TakenList> {
  const { name: server, namespace, prefix, tags, trustsAnnotations } = entry;
  const outcome = await registry.registerFromMcp({
    server,
    namespace,
    prefix,
    tags,
    trustsAnnotations,
    tools: list.tools,
    ...terms,
  });
  if (!outcome.ok) {
    const code = outcome.code === 'limit_exceeded' ? 'limit_exceeded' : 'not_stored';
    throw new ServerProblem(code, `The registry did not accept its tools: ${outcome.problems[0]!.message}`);
  }
  const refused = outcome.leftOut.map(({ name, reason }) => ({
    tool: list.byName.get(name)?.ownName ?? name,
    reason,
  }));
  return {
    summary: outcome,
    leftOut: [...list.leftOut, ...refused].slice(0, MAX_LEFT_OUT),
    pending: outcome.pending,
  };
}
