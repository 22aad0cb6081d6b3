import { REGISTRY_LIMITS, type RegistryLimits } from '../limits.ts';
import { checkRegistration, normalizeTags } from '../model/check-registration.ts';
import { isSameJson } from '../model/json.ts';
import {
  type Backend,
  createStoredTool,
  definitionHash,
  definitionOf,
  isSameBackend,
  MCP_FIELDS,
  type McpTool,
  type StoredTool,
} from '../model/tool.ts';
import { formatToolId, isToolName } from '../model/tool-names.ts';
import { type Outcome, refuse } from '../problem.ts';
import {
  type DefinitionChange,
  LayeredBase,
  type PlannedChange,
  type PlannedEvent,
  type ToolBase,
} from './change-history.ts';
import { keptExamples } from './plan-examples.ts';

/** A definition that awaits approval. */
export interface PendingDefinition extends Pick<DefinitionChange, 'after' | 'changed'> {
  /** Digest of the approved definition; undefined for a new tool. */
  readonly before: string | undefined;
  readonly id: string;
  readonly name: string;
}

/** The effects of a server's list. */
export interface ServerListEffects {
  readonly registered: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Number of tools that lost the server's backend or were removed with it. */
  readonly removed: number;
  /** Tools that were not stored. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  readonly pending: readonly PendingDefinition[];
  /** Ids of tools that other backends define differently. */
  readonly diverged: readonly string[];
  /** Digests of the stored definitions, by name. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Returns the ids of all listed tools with valid names. */
export function listedIds({ namespace, tools }: ServerList): readonly string[] {
  return tools.flatMap(({ name }) => (isToolName(name) ? [formatToolId({ namespace, name })] : []));
}

/**
 * Plans the registration of a server's list: adds new tools, replaces changed ones, and removes the server's backend
 * from the others, with the tool when it was the last backend. Pure.
 *
 * @param present Ids of the tools that currently have a backend on the server.
 * @param prepared The tools of the list, when prepared in advance.
 */
export function planServerList(
  list: ServerList,
  present: Iterable<string>,
  base: ToolBase,
  limits: RegistryLimits,
  prepared = new PreparedTools(list),
): Outcome<{ change: PlannedChange } & ServerListEffects> {
  const plan = new ServerListPlan(list, prepared, base, limits);
  for (const tool of list.tools) {
    const refused = plan.take(tool);
    if (refused !== undefined) return refused;
  }
  for (const id of present) plan.dropUnlessSeen(id);
  return { ok: true, change: plan.change(), ...plan.effects() };
}

class ServerListPlan {
  readonly #list: ServerList;
  readonly #prepared: PreparedTools;
  readonly #limits: RegistryLimits;
  readonly #backend: Backend;
  readonly #tags: readonly string[];
  readonly #layer: LayeredBase;
  readonly #events: PlannedEvent[] = [];
  readonly #seen = new Set<string>();
  readonly #leftOut: { name: string; reason: string }[] = [];
  readonly #pending: PendingDefinition[] = [];
  readonly #diverged: string[] = [];
  readonly #hashes = new Map<string, string>();
  #registered = 0;
  #updated = 0;
  #unchanged = 0;
  #removed = 0;

  constructor(list: ServerList, prepared: PreparedTools, base: ToolBase, limits: RegistryLimits) {
    this.#list = list;
    this.#prepared = prepared;
    this.#limits = limits;
    this.#backend = { kind: 'mcp', server: list.server };
    this.#tags = normalizeTags(list.tags);
    this.#layer = new LayeredBase(base);
  }

  /** Plans one tool; returns a refusal when the whole list must be refused. */
  take(tool: McpTool): Outcome<never> | undefined {
    const prepared = this.#prepared.of(tool);
    if (!prepared.isSound) return this.#leaveOut(tool, prepared.reason);
    const { hash, stored } = prepared;
    const { id } = stored;
    const existing = this.#layer.get(id);
    if (existing !== undefined && this.#isDefinedOtherwise(existing, tool)) return this.#detach(existing);
    if (this.#waitsForApproval(tool, hash, id, existing)) return undefined;
    if (existing === undefined && this.#layer.toolCount >= this.#limits.tools) {
      return refuse('limit_exceeded', `There may be at most ${this.#limits.tools} tools.`);
    }
    const next = this.#toStored(tool, stored, existing);
    if (next.backends.length > REGISTRY_LIMITS.backends) {
      return this.#leaveOut(tool, `The tool has ${REGISTRY_LIMITS.backends} backends already.`);
    }
    this.#seen.add(id);
    this.#hashes.set(tool.name, hash);
    this.#put(next, existing);
    return undefined;
  }

  /** Removes the server's backend from a tool that it no longer lists. */
  dropUnlessSeen(id: string): void {
    const tool = this.#seen.has(id) ? undefined : this.#layer.get(id);
    if (tool !== undefined && this.#has(tool)) this.#drop(tool);
  }

  change(): PlannedChange {
    const changed = [...this.#layer.changes()];
    return {
      upserts: changed.flatMap(([, tool]) => tool ?? []),
      removals: changed.flatMap(([id, tool]) => (tool === undefined ? [id] : [])),
      events: this.#events,
    };
  }

  effects(): ServerListEffects {
    return {
      registered: this.#registered,
      updated: this.#updated,
      unchanged: this.#unchanged,
      removed: this.#removed,
      leftOut: this.#leftOut,
      pending: this.#pending,
      diverged: this.#diverged,
      hashes: this.#hashes,
    };
  }

  #has({ backends }: StoredTool): boolean {
    return backends.some((known) => isSameBackend(known, this.#backend));
  }

  #othersOf({ backends }: StoredTool): readonly Backend[] {
    return backends.filter((known) => !isSameBackend(known, this.#backend));
  }

  #leaveOut({ name }: McpTool, reason: string): undefined {
    this.#leftOut.push({ name: String(name), reason });
  }

  #isDefinedOtherwise(existing: StoredTool, tool: McpTool): boolean {
    return this.#othersOf(existing).length > 0 && changedFields(definitionOf(existing), tool).length > 0;
  }

  #detach(existing: StoredTool): undefined {
    this.#diverged.push(existing.id);
    this.#seen.add(existing.id);
    if (this.#has(existing)) this.#drop(existing, 'diverged');
  }

  /** Whether a definition awaits approval: a changed one, or one of a new name. */
  #waitsForApproval(tool: McpTool, after: string, id: string, existing: StoredTool | undefined): boolean {
    const { approved, approvesNew = false } = this.#list;
    if (approved === undefined) return false;
    const known = existing && this.#has(existing) ? definitionOf(existing) : undefined;
    const before = approved.get(tool.name) ?? (known && definitionHash(known));
    if (before === undefined ? approvesNew : before === after) return false;
    const changed = known === undefined ? [] : changedFields(known, tool);
    this.#pending.push({ id, name: tool.name, before, after, changed });
    // The approved definition stays in place.
    this.#seen.add(id);
    return true;
  }

  #toStored(tool: McpTool, stored: StoredTool, existing: StoredTool | undefined): StoredTool {
    const { prefix, trustsAnnotations } = this.#list;
    const others = existing === undefined ? [] : this.#othersOf(existing);
    if (existing === undefined || others.length === 0) {
      const examples = existing === undefined ? [] : keptExamples(existing, tool);
      return examples.length === 0 ? stored : createStoredTool({ ...stored, tool, examples });
    }
    // Several servers would overwrite each other's values on every refresh: a new backend decides, once.
    const isNew = !this.#has(existing);
    return createStoredTool({
      ...existing,
      tool: definitionOf(existing),
      ...(isNew && { tags: this.#tags, prefix, backends: [...existing.backends, this.#backend] }),
      hasTrustedAnnotations: existing.hasTrustedAnnotations || trustsAnnotations,
    });
  }

  #put(next: StoredTool, existing: StoredTool | undefined): void {
    const { id } = next;
    if (existing?.contentHash === next.contentHash) {
      this.#unchanged++;
      return;
    }
    this.#layer.put(next);
    const backend = this.#backend;
    if (existing === undefined) {
      this.#registered++;
      this.#events.push({ type: 'tool_registered', id, backend });
      return;
    }
    this.#updated++;
    const [before, after] = [definitionOf(existing), definitionOf(next)];
    const changed = changedFields(before, after);
    const definition = { before: definitionHash(before), after: definitionHash(after), changed };
    this.#events.push({
      type: 'tool_updated',
      id,
      backend,
      ...(changed.length > 0 && { definition }),
    });
  }

  #drop(tool: StoredTool, reason?: string): void {
    this.#removed++;
    const { id } = tool;
    const rest = this.#othersOf(tool);
    const about = { id, backend: this.#backend, ...(reason !== undefined && { reason }) };
    if (rest.length === 0) {
      this.#layer.delete(id);
      this.#events.push({ type: 'tool_removed', ...about });
      return;
    }
    this.#layer.put(createStoredTool({ ...tool, tool: definitionOf(tool), backends: rest }));
    this.#events.push({ type: 'backend_removed', ...about });
  }
}

/** Returns the fields that differ, including fields unknown to MCP. */
function changedFields(before: McpTool, after: McpTool): readonly string[] {
  const fields = new Set([...MCP_FIELDS, ...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !isSameJson(before[field], after[field]));
}

/** The tools that an MCP server lists, and how to register them. */
export interface ServerList {
  readonly server: string;
  /** Empty for no namespace. */
  readonly namespace: string;
  /** Replaces the namespace in model names. */
  readonly prefix?: string | undefined;
  readonly tags: readonly string[];
  readonly trustsAnnotations: boolean;
  /** Names must be valid and unique; a tool with any other fault is left out. */
  readonly tools: readonly McpTool[];
  /** Digests of the approved definitions, by name; others await approval. Undefined accepts every definition. */
  readonly approved?: ReadonlyMap<string, string> | undefined;
  /** Whether tools without an approved definition are approved as they are: at the first sight of a server. */
  readonly approvesNew?: boolean;
  /** Namespaces in which tools that are not listed lose the server's backend; all of them when missing. */
  readonly clearedNamespaces?: readonly string[] | undefined;
}

/** A listed tool, prepared independently of the registered content. */
type PreparedTool =
  | {
      readonly isSound: true;
      /** Digest of its definition. */
      readonly hash: string;
      /** The tool with this server as its only backend, without examples. */
      readonly stored: StoredTool;
    }
  | { readonly isSound: false; readonly reason: string };

/** Work between two pauses: tools, and characters of their definitions. */
const SLICE = { tools: 50, chars: 256 * 1_024 } as const;

/**
 * The tools of a list, each prepared once: checked, copied and digested. That is nearly all of the work of registering a
 * list, and may take seconds for one of 32 MiB. Planning it on the newest content is then quick.
 */
export class PreparedTools {
  readonly #list: ServerList;
  readonly #tags: readonly string[];
  readonly #known = new Map<McpTool, PreparedTool>();

  constructor(list: ServerList) {
    this.#list = list;
    this.#tags = normalizeTags(list.tags);
  }

  /** Prepares all tools, pausing between slices. */
  static async inSlices(list: ServerList, pause: () => Promise<void>): Promise<PreparedTools> {
    const prepared = new PreparedTools(list);
    let [tools, chars] = [0, 0];
    for (const tool of list.tools) {
      const one = prepared.of(tool);
      tools++;
      // A refused tool may have cost a full walk as well.
      chars += one.isSound ? one.stored.definition.length : SLICE.chars;
      if (tools < SLICE.tools && chars < SLICE.chars) continue;
      await pause();
      [tools, chars] = [0, 0];
    }
    return prepared;
  }

  of(tool: McpTool): PreparedTool {
    const known = this.#known.get(tool) ?? this.#prepare(tool);
    this.#known.set(tool, known);
    return known;
  }

  #prepare(tool: McpTool): PreparedTool {
    const { server, namespace, tags, prefix, trustsAnnotations } = this.#list;
    const backend = { kind: 'mcp', server } as const;
    const [problem] = checkRegistration({ tool, namespace, tags, backend }, '');
    if (problem !== undefined) return { isSound: false, reason: problem.message };
    const stored = createStoredTool({
      namespace,
      tool,
      tags: this.#tags,
      version: undefined,
      backends: [backend],
      examples: [],
      prefix,
      hasTrustedAnnotations: trustsAnnotations,
    });
    return { isSound: true, hash: definitionHash(tool), stored };
  }
}
