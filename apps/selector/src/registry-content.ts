import { hash } from 'node:crypto';
import type { FollowedTools } from '@winnow/clients';
import type { ListedTool } from '@winnow/core';
import { LiveCatalogue, type LiveSnapshot, type ToolDocument, toDocument } from '@winnow/ranking';

/** A view of a registry's tools for one search. */
export interface RegistryView {
  readonly snapshot: LiveSnapshot;
  /** By position: 1 for tools of other namespaces; undefined if all are wanted. */
  readonly excluded: Uint8Array | undefined;
  /** Number of tools in the view. */
  readonly size: number;
  /** Returns the name by which models call a tool; undefined if it was removed. */
  toolNameOf(id: string): string | undefined;
  /** Returns the id that an id or a tool name refers to. */
  idOf(idOrName: string): string | undefined;
}

interface KnownTool {
  readonly toolName: string;
  readonly namespace: string;
  /** Digest of everything known about the tool. */
  readonly digest: string;
}

/** The known tools of a registry, always searchable. Updates that change nothing cost nothing. */
export class RegistryContent implements FollowedTools {
  #live = new LiveCatalogue();
  readonly #tools = new Map<string, KnownTool>();
  readonly #idByName = new Map<string, string>();
  readonly #sizes = new Map<string, number>();
  /** Ids, by their form without the characters that tool names cannot contain. */
  readonly #alike = new Map<string, Set<string>>();
  /** By namespace, for the catalogue of `#excludedFrom`. */
  readonly #excluded = new Map<string, Uint8Array>();
  #excludedFrom: object | undefined;

  get size(): number {
    return this.#tools.size;
  }

  /** Adds tools, or replaces those with the same ids. */
  put(tools: readonly ListedTool[]): void {
    for (const tool of tools) {
      const digest = hash('sha256', JSON.stringify(tool));
      if (this.#tools.get(tool.id)?.digest === digest) continue;
      this.#forget(tool.id);
      const namespace = tool.namespace ?? '';
      this.#tools.set(tool.id, { toolName: tool.tool_name, namespace, digest });
      this.#idByName.set(tool.tool_name, tool.id);
      this.#sizes.set(namespace, (this.#sizes.get(namespace) ?? 0) + 1);
      this.#alikeOf(tool.id).add(tool.id);
      this.#live.apply([{ key: tool.id, document: documentOf(tool) }]);
    }
  }

  /** Removes tools; unknown ids are ignored. */
  remove(ids: Iterable<string>): void {
    for (const id of ids) if (this.#forget(id)) this.#live.apply([{ key: id, document: undefined }]);
  }

  /** Removes all other tools. */
  keepOnly(ids: ReadonlySet<string>): void {
    this.remove([...this.#tools.keys()].filter((id) => !ids.has(id)));
  }

  clear(): void {
    for (const map of [this.#tools, this.#idByName, this.#sizes, this.#alike]) map.clear();
    this.#live = new LiveCatalogue();
  }

  /** Indexes new tools ahead of the next search. */
  prepare(): void {
    this.#live.snapshot();
  }

  /**
   * Returns the id, and the ids of known tools whose names may change with it: tools with the same short name
   * get longer ones, and no event announces that.
   */
  namedLike(id: string): readonly string[] {
    return [id, ...(this.#alike.get(looksOf(id)) ?? [])];
  }

  /** Returns a view of all tools, or of a namespace; undefined if it has no tools. */
  view(namespace: string | undefined): RegistryView | undefined {
    const size = namespace === undefined ? this.#tools.size : this.#sizes.get(namespace);
    if (size === undefined) return undefined;
    const snapshot = this.#live.snapshot();
    return {
      snapshot,
      excluded: namespace === undefined ? undefined : this.#excludedFor(namespace, snapshot),
      size,
      toolNameOf: (id) => this.#tools.get(id)?.toolName,
      idOf: (idOrName) => (this.#tools.has(idOrName) ? idOrName : this.#idByName.get(idOrName)),
    };
  }

  #excludedFor(namespace: string, { catalogue, excluding }: LiveSnapshot): Uint8Array {
    if (this.#excludedFrom !== catalogue) this.#excluded.clear();
    this.#excludedFrom = catalogue;
    const known =
      this.#excluded.get(namespace) ?? excluding((id) => this.#tools.get(id)?.namespace === namespace);
    this.#excluded.set(namespace, known);
    return known;
  }

  #forget(id: string): boolean {
    const known = this.#tools.get(id);
    if (known === undefined) return false;
    this.#tools.delete(id);
    if (this.#idByName.get(known.toolName) === id) this.#idByName.delete(known.toolName);
    const left = this.#sizes.get(known.namespace)! - 1;
    if (left === 0) this.#sizes.delete(known.namespace);
    else this.#sizes.set(known.namespace, left);
    const alike = this.#alikeOf(id);
    alike.delete(id);
    if (alike.size === 0) this.#alike.delete(looksOf(id));
    return true;
  }

  #alikeOf(id: string): Set<string> {
    const looks = looksOf(id);
    const alike = this.#alike.get(looks) ?? new Set();
    this.#alike.set(looks, alike);
    return alike;
  }
}

function looksOf(id: string): string {
  return id.replace(':', '__').replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Returns the tool as the registry itself searches it. */
function documentOf({
  id,
  tool_name: toolName,
  namespace,
  name,
  title,
  tags,
  server,
  definition,
  example_titles: titles = [],
}: ListedTool): ToolDocument {
  const description = definition?.description ?? null;
  const aliases = new Set([id, toolName, ...(server === undefined ? [] : [`${server}__${name}`])]);
  aliases.delete(name);
  const document = toDocument({ name, description, definition });
  return {
    ...document,
    namespace: namespace ?? '',
    title: title ?? '',
    tags,
    examples: [...(document.examples ?? []), ...titles],
    aliases: [...aliases],
  };
}
