import { removeInvisible, summarize } from '@winnow/core';
import type { ScopeTools } from './content/scope-tools.ts';
import { REGISTRY_LIMITS } from './limits.ts';
import { type BackendPolicy, plainBackend } from './model/backend.ts';
import { definitionOf } from './model/create-stored-tool.ts';
import type { JsonObject } from './model/json.ts';
import type { StoredTool } from './model/tool.ts';
import { DETAIL_LEVELS, type DetailLevel, type ToolDetail, type ToolSummary } from './tool-detail.ts';

/** Context for describing a tool. */
export interface Surroundings {
  readonly tools: ScopeTools;
  readonly backendPolicy: BackendPolicy;
  /** Returns when a server's tools became possibly outdated. */
  readonly staleSince: (server: string) => number | undefined;
}

/** Summarizes a tool. Mutable parts are copies. */
export function summarizeTool(
  tool: StoredTool,
  { tools, backendPolicy, staleSince }: Surroundings,
): ToolSummary {
  const backend = backendPolicy(tool.backends);
  const server = backend.kind === 'mcp' ? backend.server : undefined;
  return {
    id: tool.id,
    modelName: tools.modelNameOf(tool.id),
    namespace: tool.namespace,
    name: tool.name,
    title: removeInvisible(tool.title),
    summary: summarize(removeInvisible(tool.description)),
    tags: [...tool.tags],
    version: tool.version,
    annotations: copyOf(tool.annotations),
    hasTrustedAnnotations: tool.hasTrustedAnnotations,
    server,
    staleSince: server === undefined ? undefined : staleSince(server),
  };
}

/** Most tools have no annotations, and cloning an empty object takes as long as the rest of a summary. */
function copyOf(annotations: JsonObject): JsonObject {
  return Object.keys(annotations).length === 0 ? {} : structuredClone(annotations);
}

/** Describes a tool at a level of detail. Only the last level uses `calls`. */
export function detailTool(
  tool: StoredTool,
  level: DetailLevel,
  calls: number,
  surroundings: Surroundings,
): ToolDetail {
  const shows = (least: DetailLevel) => DETAIL_LEVELS.indexOf(level) >= DETAIL_LEVELS.indexOf(least);
  return {
    ...summarizeTool(tool, surroundings),
    contentHash: tool.contentHash,
    ...(shows('schema') && { definition: definitionOf(tool), hasExternalRef: tool.hasExternalRef }),
    ...(shows('full') && {
      examples: structuredClone(tool.examples.slice(0, REGISTRY_LIMITS.shownExamples)),
      backends: tool.backends.map(plainBackend),
      defaultBackend: plainBackend(surroundings.backendPolicy(tool.backends)),
      usage: { calls },
    }),
  };
}
