import { hash } from 'node:crypto';
import { EXAMPLES_KEY } from '@winnow/ranking';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from './json.ts';
import { formatToolId } from './tool-names.ts';

/** The target of a tool's calls. Data only: the registry calls nothing. */
export type Backend =
  | { readonly kind: 'mcp'; readonly server: string }
  | { readonly kind: 'provider'; readonly provider: string; readonly tool: string }
  | { readonly kind: 'local'; readonly handler: string };

export type BackendKind = Backend['kind'];

/** The fields of each kind, in writing order. */
export const BACKEND_FIELDS = {
  mcp: ['server'],
  provider: ['provider', 'tool'],
  local: ['handler'],
} as const satisfies Record<BackendKind, readonly string[]>;

/** All kinds, in order of preference. */
export const BACKEND_KINDS: readonly BackendKind[] = ['local', 'provider', 'mcp'];

/** Chooses the default backend of a tool from at least one, given in order of registration. */
export type BackendPolicy = (backends: readonly Backend[]) => Backend;

/** Whether two backends have the same kind and fields. Joined texts would confuse `a:b` + `c` with `a` + `b:c`. */
export function isSameBackend(left: Backend, right: Backend): boolean {
  const [values, others]: readonly Readonly<Record<string, string>>[] = [left, right];
  return ['kind', ...BACKEND_FIELDS[left.kind]].every((field) => values![field] === others![field]);
}

/** Returns the backend with only the fields of its kind. */
export function plainBackend(backend: Backend): Backend {
  switch (backend.kind) {
    case 'mcp':
      return { kind: 'mcp', server: backend.server };
    case 'provider':
      return { kind: 'provider', provider: backend.provider, tool: backend.tool };
    case 'local':
      return { kind: 'local', handler: backend.handler };
  }
}

/** Returns a policy that prefers kinds in the given order, then the earliest registration. Other kinds come last. */
export function preferKinds(order: readonly BackendKind[]): BackendPolicy {
  const rank = (backend: Backend): number => {
    const place = order.indexOf(backend.kind);
    return place < 0 ? order.length : place;
  };
  return (backends) => backends.reduce((best, next) => (rank(next) < rank(best) ? next : best));
}

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

/** Parts of a stored tool, from which the rest is derived. */
interface StoredToolParts {
  readonly namespace: string;
  readonly tool: McpTool;
  readonly tags: readonly string[];
  readonly version: string | undefined;
  readonly backends: readonly Backend[];
  readonly examples: readonly ToolExample[];
  readonly prefix?: string | undefined;
  /** True by default. */
  readonly hasTrustedAnnotations?: boolean;
}

/** Creates a stored tool with its id and digests. The parts must have been checked. */
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
  const requests = [tool[EXAMPLES_KEY], ...examples.map((one) => one.title)].filter(
    (one) => one !== undefined,
  );
  // Default values are left out, so digests match those of earlier versions.
  const rest = prefix === undefined && hasTrustedAnnotations ? [] : [prefix ?? null, hasTrustedAnnotations];
  return {
    id: formatToolId({ namespace, name }),
    namespace,
    name,
    title,
    description,
    // Everything but texts is copied: the caller may change its objects.
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
      ...(requests.length === 0 ? [] : [requests]),
    ]),
  };
}

/** Returns a new copy of a stored tool's definition. */
export function definitionOf(tool: StoredTool): McpTool {
  return JSON.parse(tool.definition) as McpTool;
}

/** Returns a digest that is equal for equal definitions, regardless of spelling. */
export function definitionHash(tool: McpTool): string {
  return digest(tool);
}

/** Returns 128 bits of SHA-256 over the canonical JSON of a value. */
function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value)).slice(0, 32);
}

/** Keywords whose values are data, where `$ref` has no meaning. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/**
 * Whether a schema refers to another document. Such a reference is never followed.
 *
 * References that begin with `#` or name an `$id` of the document are internal. Recursive: the depth of the schema must
 * be bounded.
 */
function hasExternalRef(schema: unknown): boolean {
  const references = new Set<string>();
  const declared = new Set<string>();
  collect(schema, references, declared);
  return [...references].some((reference) => !declared.has(reference));
}

function collect(schema: unknown, references: Set<string>, declared: Set<string>): void {
  if (Array.isArray(schema)) {
    for (const item of schema) collect(item, references, declared);
    return;
  }
  if (!isJsonObject(schema)) return;
  const { $ref: reference, $id: id } = schema;
  if (typeof reference === 'string') {
    const document = reference.split('#', 1)[0]!;
    if (document !== '') references.add(document);
  }
  if (typeof id === 'string') declared.add(id.split('#', 1)[0]!);
  for (const [keyword, value] of Object.entries(schema)) {
    if (!DATA_KEYWORDS.has(keyword)) collect(value, references, declared);
  }
}
