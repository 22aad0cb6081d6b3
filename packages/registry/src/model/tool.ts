import type { Backend } from './backend.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * A tool as the Model Context Protocol defines it; fields that it does not know survive.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#data-types
 */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly icons?: readonly Json[];
  readonly _meta?: JsonObject;
  readonly [field: string]: unknown;
}

/** The fields that every backend of a tool must give alike. */
export const MCP_FIELDS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  '_meta',
] as const;

/** A call that shows how a tool is used. */
export interface ToolExample {
  readonly title: string;
  /** Valid against the tool's `inputSchema`. */
  readonly arguments: JsonObject;
  readonly resultHint?: string;
}

/** What is registered: a tool, where it belongs, and where a call of it would go. */
export interface Registration {
  readonly tool: McpTool;
  /** None when it is missing or empty. */
  readonly namespace?: string;
  readonly tags?: readonly string[];
  readonly version?: string;
  readonly backend: Backend;
}

/**
 * A tool as the registry and its stores keep it. Immutable, and made by `createStoredTool` alone, so that what is derived
 * always fits.
 */
export interface StoredTool {
  /** `namespace:name`, or the name alone. */
  readonly id: string;
  /** Empty when there is none. */
  readonly namespace: string;
  readonly name: string;
  /** Empty when there is none. */
  readonly title: string;
  readonly description: string;
  readonly annotations: JsonObject;
  /** The tool as it was registered, as JSON text: what is parsed from it is a copy by itself. */
  readonly definition: string;
  readonly tags: readonly string[];
  readonly version: string | undefined;
  /** In order of registration; at least one. */
  readonly backends: readonly Backend[];
  readonly examples: readonly ToolExample[];
  /** Stands in its model name in place of the namespace; undefined when the namespace does. */
  readonly prefix: string | undefined;
  /** Whether its annotations may decide anything: not when a server gave them that is not trusted. */
  readonly hasTrustedAnnotations: boolean;
  /** Whether the schema refers to another document, whose text is unknown. */
  readonly hasExternalRef: boolean;
  /** A digest of everything above: the tool's `ETag`. */
  readonly contentHash: string;
  /** A digest of what a search looks at. */
  readonly searchHash: string;
}
