import { hash } from 'node:crypto';
import { type Backend, plainBackend } from './backend.ts';
import { hasExternalRef } from './find-external-ref.ts';
import { canonicalJson, isJsonObject } from './json.ts';
import type { McpTool, StoredTool, ToolExample } from './tool.ts';
import { formatToolId } from './tool-id.ts';

/** What a stored tool is made of; everything else is derived. */
export interface StoredToolParts {
  readonly namespace: string;
  readonly tool: McpTool;
  readonly tags: readonly string[];
  readonly version: string | undefined;
  readonly backends: readonly Backend[];
  readonly examples: readonly ToolExample[];
  readonly prefix?: string | undefined;
  /** They have when it is missing. */
  readonly hasTrustedAnnotations?: boolean;
}

/** The tool as it is kept, with its id and its digests. The parts must have been checked. */
export function createStoredTool({
  namespace,
  tool,
  tags,
  version,
  backends,
  examples,
  prefix,
  hasTrustedAnnotations = true,
}: StoredToolParts): StoredTool {
  const { name, title = '', description = '', annotations, inputSchema, outputSchema } = tool;
  const plainBackends = backends.map(plainBackend);
  // What most tools do not have takes no part, so that their digests are what they were before there was such a thing.
  const rest = prefix === undefined && hasTrustedAnnotations ? [] : [prefix ?? null, hasTrustedAnnotations];
  return {
    id: formatToolId({ namespace, name }),
    namespace,
    name,
    title,
    description,
    // Copies of everything that is not text: the caller's objects may change.
    annotations: isJsonObject(annotations) ? structuredClone(annotations) : {},
    definition: JSON.stringify(tool),
    tags: [...tags],
    version,
    backends: plainBackends,
    examples: structuredClone(examples),
    prefix,
    hasTrustedAnnotations,
    hasExternalRef: hasExternalRef(inputSchema) || hasExternalRef(outputSchema),
    contentHash: digest([tool, namespace, tags, version ?? null, plainBackends, examples, ...rest]),
    searchHash: digest([
      ...[name, namespace, title, description, inputSchema, tags.toSorted()],
      ...(prefix === undefined ? [] : [prefix]),
    ]),
  };
}

/** The definition of a stored tool: a new copy each time. */
export function definitionOf(tool: StoredTool): McpTool {
  return JSON.parse(tool.definition) as McpTool;
}

/** Equal for equal definitions, however they are spelled. */
export function definitionHash(tool: McpTool): string {
  return digest(tool);
}

/** 128 bits of SHA-256 over the one spelling of a value. */
function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value)).slice(0, 32);
}
