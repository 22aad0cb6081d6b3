import type { Backend } from './model/backend.ts';
import type { JsonObject } from './model/json.ts';
import type { McpTool, ToolExample } from './model/tool.ts';

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
