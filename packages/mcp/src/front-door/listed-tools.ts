import {
  type JsonObject,
  type McpTool,
  REGISTRY_LIMITS,
  type Registry,
  type ToolSummary,
} from '@winnow/registry';
import { readableJson } from '@winnow/text';
import type { McpServers } from '../servers/mcp-servers.ts';
import {
  CALL_READING,
  CALL_TOOL,
  type DispatchedNamespace,
  type DispatchMode,
  dispatchTools,
} from './dispatch.ts';
import { DESCRIBE_TOOLS_TOOL, searchToolsTool } from './own-tools.ts';

/** Dependencies of the list. */
export interface ListedToolsParts {
  /** As the client may see it. */
  readonly registry: Registry;
  readonly servers: McpServers;
  readonly dispatch: DispatchMode;
  /** Whether only read-only tools are available; false by default. */
  readonly readsOnly?: boolean | undefined;
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
  isReadOnly({ annotations, server }: Pick<ToolSummary, 'annotations' | 'server'>): boolean {
    return (
      server !== undefined &&
      annotations.readOnlyHint === true &&
      this.#parts.servers.trustsAnnotations(server)
    );
  }

  #callingTools(): Promise<readonly McpTool[]> {
    const { dispatch, readsOnly, registry } = this.#parts;
    if (readsOnly) return Promise.resolve([CALL_READING]);
    if (dispatch === 'single') return Promise.resolve(dispatchTools('single', []));
    const key = `${registry.epoch} ${registry.version}`;
    if (this.#dispatchTools?.key !== key) {
      const tools = this.#namespaces().then((namespaces) => dispatchTools(dispatch, namespaces));
      this.#dispatchTools = { key, tools };
    }
    return this.#dispatchTools.tools;
  }

  async #namespaces(): Promise<readonly DispatchedNamespace[]> {
    const all = new Map<string, DispatchedNamespace>();
    for await (const tool of this.#readAll()) {
      // A tool without a server cannot be called from here.
      if (tool.server === undefined && !(await this.#hasServer(tool.id))) continue;
      const known = all.get(tool.namespace);
      const isReadOnly = this.isReadOnly(tool);
      all.set(tool.namespace, {
        name: tool.namespace,
        hasReadOnly: isReadOnly || known?.hasReadOnly === true,
        hasOther: !isReadOnly || known?.hasOther === true,
      });
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
      for (const { definition, id, modelName, server } of expansion.ok ? expansion.tools : []) {
        const { annotations = {} } = definition;
        if (this.#parts.readsOnly && !this.isReadOnly({ annotations, server })) continue;
        const isCallable = server !== undefined || (await this.#hasServer(id));
        if (isCallable) tools.push(this.#define(definition, modelName, server));
      }
    }
    return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Omits hints of untrusted servers, as the client may trust this front door. */
  #define({ annotations, ...definition }: McpTool, name: string, server: string | undefined): McpTool {
    const isTrusted = server !== undefined && this.#parts.servers.trustsAnnotations(server);
    const shown = readableJson(definition as unknown as JsonObject) as unknown as McpTool;
    return { ...shown, name, ...(isTrusted && annotations && { annotations }) };
  }
}
