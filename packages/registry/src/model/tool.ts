import type { Backend } from './backend.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * A tool as the Model Context Protocol defines it. Unknown fields are kept.
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

/** The fields that all backends of a tool must agree on. */
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

/** A registration: a tool, its namespace, and the backend of its calls. */
export interface Registration {
  readonly tool: McpTool;
  /** Missing or empty for no namespace. */
  readonly namespace?: string;
  readonly tags?: readonly string[];
  readonly version?: string;
  readonly backend: Backend;
}

/**
 * A tool as the registry and its stores keep it. Immutable. Only `createStoredTool` creates it, so derived fields are
 * always consistent.
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
  /** The registered definition as JSON text; parsing it yields a copy. */
  readonly definition: string;
  readonly tags: readonly string[];
  readonly version: string | undefined;
  /** In order of registration; at least one. */
  readonly backends: readonly Backend[];
  readonly examples: readonly ToolExample[];
  /** Replaces the namespace in its model name; undefined when the namespace is used. */
  readonly prefix: string | undefined;
  /** Whether its annotations are trusted; false when they come from an untrusted server. */
  readonly hasTrustedAnnotations: boolean;
  /** Whether the schema refers to another document, whose text is unknown. */
  readonly hasExternalRef: boolean;
  /** Digest of all fields above: the tool's `ETag`. */
  readonly contentHash: string;
  /** Digest of the searched fields. */
  readonly searchHash: string;
}
