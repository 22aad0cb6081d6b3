import { hash } from 'node:crypto';
import { keptMember, keptText } from '@winnow/core';
import {
  isJsonObject,
  isToolName,
  type JsonObject,
  type McpTool,
  matchesGlob,
  type PendingDefinition,
  REGISTRY_LIMITS,
  type Registry,
  type ServerList,
  type ServerListSummary,
  type ServerTerms,
  servesNamespace,
} from '@winnow/registry';
import { ServerProblem } from './failures.ts';
import type { ListedTools } from './read-list.ts';
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
function wantsTool(
  ownName: string,
  { include = ['*'], exclude }: Pick<ServerEntry, 'include' | 'exclude'>,
): boolean {
  const matches = (globs: readonly string[]) => globs.some((glob) => matchesGlob(glob, ownName));
  return matches(include) && !matches(exclude);
}

/** Terms on which a list is registered. */
interface TakingTerms extends Pick<ServerList, 'approved' | 'approvesNew' | 'clearedNamespaces'> {
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

/** A registered tool whose backend is a server. */
export interface RegisteredTool {
  readonly namespace: string;
  /** As it is registered; the server may have another name for it. */
  readonly name: string;
}

/** The reasons that a registered tool is not called on its server. */
const CALL_REFUSALS = ['not_shared', 'excluded', 'not_listed', 'awaits_approval'] as const;
export type CallRefusal = (typeof CALL_REFUSALS)[number];

/** The parts of a server's last list that decide about calls. */
interface KnownList {
  /** Listed tools by the names under which they are registered. */
  readonly byName: ReadonlyMap<string, { readonly ownName: string; readonly tool: McpTool }>;
  /** Registered names of tools whose definitions await approval. */
  readonly pending: ReadonlySet<string>;
}

/**
 * Returns the reason not to call a tool on a server; undefined if it may be called. Regardless of who
 * registered it, a call reaches only what the server's own front door would offer in a namespace that the
 * operator lets it serve. Without a list, only the entry decides.
 */
export function refuseCall(
  { namespace, name }: RegisteredTool,
  entry: Pick<ServerEntry, 'namespace' | 'sharedWith' | 'include' | 'exclude'>,
  list: KnownList | undefined,
): CallRefusal | undefined {
  if (!servesNamespace(termsOf(entry), namespace)) return 'not_shared';
  const listed = list?.byName.get(name);
  if (!wantsTool(listed?.ownName ?? name, entry)) return 'excluded';
  if (list === undefined) return undefined;
  if (list.pending.has(name)) return 'awaits_approval';
  return listed === undefined ? 'not_listed' : undefined;
}

/** Tells the caller why a tool is not called, and what the operator can do about it. */
export function explainRefusal(refusal: CallRefusal, server: string, { namespace }: RegisteredTool): string {
  const place = namespace === '' ? 'tools without a namespace' : `tools of the namespace ${namespace}`;
  switch (refusal) {
    case 'not_shared':
      return `The server ${server} takes no calls for ${place}. The operator can allow it with "share_with" of that server.`;
    case 'excluded':
      return `The settings of the server ${server} leave this tool out. The operator can change its "include" and "exclude".`;
    case 'not_listed':
      return `The server ${server} does not list this tool. The operator can remove the registration.`;
    case 'awaits_approval':
      return `Its definition on the server ${server} is new or has changed, and awaits the approval of the operator.`;
  }
}

/** Returns the terms on which a server's tools are registered and called. */
export function termsOf({
  namespace,
  sharedWith,
}: Pick<ServerEntry, 'namespace' | 'sharedWith'>): ServerTerms {
  return { namespace, shares: (other) => sharedWith.some((glob) => matchesGlob(glob, other)) };
}

const DIGITS = [8, 16, 64] as const;

/**
 * Returns names that the registry accepts for a server's own tool names: other characters become `_`, and
 * longer names are cut and end in eight digits of a digest. If several names become equal, the first by code
 * point keeps it and the others get digits.
 *
 * Gives the stored name of each own name; own names must each be there once. The same set gives the same names,
 * in any order.
 */
export function repairNames(ownNames: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...ownNames].sort(byCodePoint);
  const stored = new Map<string, string>();
  const taken = new Set<string>();
  const crowded: string[] = [];
  for (const own of sorted) {
    const plain = plainName(own);
    if (plain === undefined) stored.set(own, take(own, taken));
    else if (taken.has(plain)) crowded.push(own);
    else {
      taken.add(plain);
      stored.set(own, plain);
    }
  }
  for (const own of crowded) stored.set(own, take(own, taken));
  return stored;
}

/** The name with other characters as `_`, or undefined when it is too long. */
function plainName(own: string): string | undefined {
  const plain = replaceOthers(own);
  return isToolName(plain) ? plain : undefined;
}

/** One `_` for each character, not for each half of it. */
function replaceOthers(own: string): string {
  return own.replace(/[^A-Za-z0-9_.-]/gu, '_');
}

function take(own: string, taken: Set<string>): string {
  const digest = hash('sha256', own);
  for (const digits of DIGITS) {
    const start = replaceOthers(own).slice(0, REGISTRY_LIMITS.nameChars - digits - 1);
    const name = `${start}_${digest.slice(0, digits)}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
  // Only two texts with the same SHA-256 digest lead here.
  throw new Error('no name is left');
}

/** Not by code unit, where a surrogate pair sorts before U+E000. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** A parameter that is sent as a header, too. */
export interface HeaderParameter {
  readonly path: readonly string[];
  readonly header: string;
}

export type HeaderParameters =
  | { readonly ok: true; readonly parameters: readonly HeaderParameter[] }
  /** A rule is broken: the tool must not be used. */
  | { readonly ok: false; readonly reason: string };

const KEY = 'x-mcp-header';
/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * The parameters of a schema that say `x-mcp-header`, or the first rule that one of them breaks: the value is a
 * token, no other one is equal to it but for case, the parameter is a text, a whole number or a boolean, and is
 * reached only through `properties`.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (SEP-2243).
 */
export function readHeaderParameters(schema: JsonObject): HeaderParameters {
  const parameters: HeaderParameter[] = [];
  const known = new Set<string>();
  const visit = (node: unknown, path: readonly string[], isReached: boolean): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (member) => visit(member, path, false));
    if (!isJsonObject(node)) return undefined;
    if (Object.hasOwn(node, KEY)) {
      const fault = faultOf(node, known, isReached && path.length > 0);
      if (fault !== undefined) return fault;
      const header = node[KEY] as string;
      known.add(header.toLowerCase());
      parameters.push({ path, header });
    }
    return firstOf(Object.entries(node), ([key, member]) => {
      if (key !== 'properties' || !isJsonObject(member))
        return isData(key) ? undefined : visit(member, path, false);
      return firstOf(Object.entries(member), ([name, child]) => visit(child, [...path, name], isReached));
    });
  };
  const reason = visit(schema, [], true);
  return reason === undefined ? { ok: true, parameters } : { ok: false, reason };
}

/** Values of keywords that hold data, not schemas. */
function isData(key: string): boolean {
  return ['default', 'const', 'enum', 'examples', KEY].includes(key);
}

function faultOf(node: JsonObject, known: ReadonlySet<string>, isReached: boolean): string | undefined {
  const { [KEY]: header, type } = node;
  if (!isReached) return 'x-mcp-header stands where no parameter is reached by properties alone.';
  if (typeof header !== 'string' || !TOKEN.test(header)) return 'x-mcp-header is not the name of a header.';
  if (!TYPES.includes(type))
    return 'x-mcp-header stands at a parameter that is no string, integer or boolean.';
  if (known.has(header.toLowerCase())) return 'x-mcp-header names the same header twice.';
  return undefined;
}

function firstOf<Item, Found>(
  items: Iterable<Item>,
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The headers of a call: what is missing, null or of another type is not sent. */
export function writeHeaderParameters(
  parameters: readonly HeaderParameter[],
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((node, key) => (isJsonObject(node) ? keptMember(node, key) : undefined), args);
    const value = isJsonObject(parent) ? parent[path.at(-1)!] : undefined;
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value);
    const text = isLarge ? keptText(parent as object, path.at(-1)!)! : String(value);
    const isSent = isLarge ? /^-?\d+$/.test(text) : ['string', 'boolean', 'number'].includes(typeof value);
    if (isSent) headers[`Mcp-Param-${header}`] = encodeHeader(text);
  }
  return headers;
}

/** A value that a header cannot carry unchanged is encoded in Base64. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
