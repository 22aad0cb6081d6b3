import { removeInvisible, summarize } from '@winnow/core';
import type { ScopeTools } from './content/scope-tools.ts';
import { REGISTRY_LIMITS } from './limits.ts';
import type { JsonObject } from './model/json.ts';
import {
  type Backend,
  type BackendPolicy,
  definitionOf,
  type McpTool,
  plainBackend,
  type StoredTool,
  type ToolExample,
} from './model/tool.ts';

/** Summary of a tool, as returned by lists and searches. */
export interface ToolSummary {
  readonly id: string;
  /** The name by which a model sees and calls it. */
  readonly modelName: string;
  readonly namespace: string;
  readonly name: string;
  readonly title: string;
  /** First sentence of the description, at most 120 characters. */
  readonly summary: string;
  readonly tags: readonly string[];
  /** Titles of the examples, which are searched. */
  readonly exampleTitles: readonly string[];
  readonly version: string | undefined;
  readonly annotations: JsonObject;
  /** Whether its annotations count: those of an MCP server only when it is trusted and lists them itself. */
  readonly hasTrustedAnnotations: boolean;
  /** The MCP server of its default backend, if it has one. */
  readonly server: string | undefined;
  /** When the tool became possibly outdated, in milliseconds since the epoch; undefined while it is current. */
  readonly staleSince: number | undefined;
}

/** Levels of detail; each includes all earlier ones. */
export const DETAIL_LEVELS = ['summary', 'schema', 'full'] as const;
export type DetailLevel = (typeof DETAIL_LEVELS)[number];

export interface ToolDetail extends ToolSummary {
  readonly contentHash: string;
  /** From `schema` on. */
  readonly definition?: McpTool;
  /** From `schema` on: whether the schema refers to another document, which is not followed. */
  readonly hasExternalRef?: boolean;
  /** With `full`: at most 3. */
  readonly examples?: readonly ToolExample[];
  /** With `full`, in order of registration. */
  readonly backends?: readonly Backend[];
  /** With `full`: the backend of a call that names none. */
  readonly defaultBackend?: Backend;
  /** With `full`: calls counted in the last 7 days. */
  readonly usage?: { readonly calls: number };
}

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
    exampleTitles: tool.examples.map(({ title }) => title),
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
