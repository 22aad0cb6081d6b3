import { readableJson } from '@winnow/core';
import {
  type JsonObject,
  type McpTool,
  REGISTRY_LIMITS,
  type Registry,
  type ToolSummary,
} from '@winnow/registry';
import type { McpServers } from '../servers/mcp-servers.ts';
import {
  CALL_READING,
  CALL_TOOL,
  DESCRIBE_TOOLS_TOOL,
  type Dispatched,
  type DispatchedNamespace,
  type DispatchMode,
  dispatchTools,
  searchToolsTool,
} from './dispatch.ts';

/** Dependencies of the list. */
export interface ListedToolsParts {
  /** As the client may see it. */
  readonly registry: Registry;
  readonly servers: McpServers;
  readonly dispatch: DispatchMode;
  /** Whether only read-only tools are available; false by default. */
  readonly readsOnly?: boolean | undefined;
  /** Returns the namespaces of prompts and resources. */
  readonly namespaces: () => readonly Dispatched[];
}

const PAGE_SIZE = 100;
const EXPANDED_AT_ONCE = REGISTRY_LIMITS.expansion;

/** The tools that a client sees: the door's own, and those that are always loaded. */
export class ListedTools {
  readonly #parts: ListedToolsParts;
  /** Reading all namespaces takes time in their tools; they change with the content only. */
  #dispatchTools: { readonly key: string; readonly tools: Promise<readonly McpTool[]> } | undefined;

  constructor(parts: ListedToolsParts) {
    this.#parts = parts;
  }

  /** Lists the tools in a stable order: the door's own first, then the others by name. */
  async all(): Promise<readonly McpTool[]> {
    const [calling, loaded] = await Promise.all([this.#callingTools(), this.#alwaysLoaded()]);
    const calls =
      this.#parts.dispatch === 'single'
        ? `Call one with ${CALL_TOOL}.`
        : 'Each result says with which tool it is called.';
    const own = [searchToolsTool(calls), ...calling, DESCRIBE_TOOLS_TOOL];
    const taken = new Set(own.map(({ name }) => name));
    return [...own, ...loaded.filter(({ name }) => !taken.has(name))];
  }

  /** Whether a trusted server declares a tool read-only. */
  isReadOnly(tool: ToolSummary): boolean {
    return this.#hintsOf(tool).readOnlyHint === true;
  }

  #hintsOf(tool: ToolSummary): JsonObject {
    return tool.server === undefined ? {} : this.#parts.servers.hintsOf(tool.server, tool);
  }

  #callingTools(): Promise<readonly McpTool[]> {
    const { dispatch, readsOnly, registry } = this.#parts;
    if (readsOnly) return Promise.resolve([CALL_READING]);
    if (dispatch === 'single') return Promise.resolve(dispatchTools('single', []));
    const key = `${registry.epoch} ${registry.version} ${this.#parts.servers.offersVersion}`;
    if (this.#dispatchTools?.key !== key) {
      const tools = this.#namespaces().then((namespaces) => dispatchTools(dispatch, namespaces));
      this.#dispatchTools = { key, tools };
    }
    return this.#dispatchTools.tools;
  }

  async #namespaces(): Promise<readonly DispatchedNamespace[]> {
    const all = new Map<string, DispatchedNamespace>();
    const add = ({ namespace, isReadOnly }: Dispatched) => {
      const known = all.get(namespace);
      all.set(namespace, {
        name: namespace,
        hasReadOnly: isReadOnly || known?.hasReadOnly === true,
        hasOther: !isReadOnly || known?.hasOther === true,
      });
    };
    for (const namespace of this.#parts.namespaces()) add(namespace);
    for await (const tool of this.#readAll()) {
      // A tool without a server cannot be called from here.
      if (tool.server === undefined && !(await this.#hasServer(tool.id))) continue;
      add({ namespace: tool.namespace, isReadOnly: this.isReadOnly(tool) });
    }
    return [...all.values()];
  }

  async *#readAll(): AsyncGenerator<ToolSummary> {
    let cursor: string | undefined;
    do {
      const page = await this.#parts.registry.list(
        {},
        { pageSize: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
      );
      if (!page.ok) return;
      yield* page.rows;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async #hasServer(id: string): Promise<boolean> {
    return ((await this.#parts.registry.backends(id)) ?? []).some(({ kind }) => kind === 'mcp');
  }

  /** Lists always-loaded tools under their model names, except those that cannot be called from here. */
  async #alwaysLoaded(): Promise<readonly McpTool[]> {
    const { registry } = this.#parts;
    const names = await registry.searchTool.alwaysLoaded();
    const tools: McpTool[] = [];
    for (let start = 0; start < names.length; start += EXPANDED_AT_ONCE) {
      const expansion = await registry.expand(names.slice(start, start + EXPANDED_AT_ONCE));
      for (const { definition, ...tool } of expansion.ok ? expansion.tools : []) {
        if (this.#parts.readsOnly && !this.isReadOnly(tool)) continue;
        if (await this.#isCallable(tool)) tools.push(this.#define(definition, tool));
      }
    }
    return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #isCallable(tool: ToolSummary): Promise<boolean> {
    if (tool.server === undefined) return this.#hasServer(tool.id);
    return this.#parts.servers.refusalOf(tool.server, tool) === undefined;
  }

  /** Shows only hints that count, as the client may trust this front door. */
  #define({ annotations: _, ...definition }: McpTool, tool: ToolSummary): McpTool {
    const shown = readableJson(definition as unknown as JsonObject) as unknown as McpTool;
    const hints = this.#hintsOf(tool);
    return { ...shown, name: tool.modelName, ...(Object.keys(hints).length > 0 && { annotations: hints }) };
  }
}
