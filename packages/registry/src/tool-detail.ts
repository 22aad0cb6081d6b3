import type { Backend } from './model/backend.ts';
import type { JsonObject } from './model/json.ts';
import type { McpTool, ToolExample } from './model/tool.ts';

/** A tool in short: what lists and searches give. */
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
  /** The MCP server of its default backend, if it has one. */
  readonly server: string | undefined;
  /** Since when the tool may no longer be what that server has, in milliseconds since the epoch; undefined while it is known to be. */
  readonly staleSince: number | undefined;
}

/** How much is told of a tool; each level tells all that the ones before it do. */
export const DETAIL_LEVELS = ['summary', 'schema', 'full'] as const;
export type DetailLevel = (typeof DETAIL_LEVELS)[number];

export interface ToolDetail extends ToolSummary {
  readonly contentHash: string;
  /** From `schema` on. */
  readonly definition?: McpTool;
  /** From `schema` on: the schema points to another document, which is not followed. */
  readonly hasExternalRef?: boolean;
  /** With `full`: at most 3. */
  readonly examples?: readonly ToolExample[];
  /** With `full`, in order of registration. */
  readonly backends?: readonly Backend[];
  /** With `full`: where a call goes when nothing else is said. */
  readonly defaultBackend?: Backend;
  /** With `full`: calls that were counted over the last 7 days. */
  readonly usage?: { readonly calls: number };
}
