import type { StoredTool } from '../model/tool.ts';
import { ModelNames, parseToolId } from '../model/tool-names.ts';

/**
 * The tools of one scope in memory, with their lookups.
 *
 * Contract: a change is applied whole and synchronously, so no reader sees half of it. A change of k tools takes O(k)
 * time.
 */
export class ScopeTools {
  readonly #tools = new Map<string, StoredTool>();
  readonly #ids = new SortedIds();
  readonly #names = new ModelNames();
  readonly #namespaces = new Counts();
  readonly #tags = new Counts();
  readonly #byServer = new Map<string, Set<string>>();

  get size(): number {
    return this.#tools.size;
  }

  /** All ids, in order; read-only. */
  get ids(): readonly string[] {
    return this.#ids.all;
  }

  /** Number of tools by namespace, in no order; the empty text stands for no namespace. */
  get namespaces(): ReadonlyMap<string, number> {
    return this.#namespaces.all;
  }

  /** Number of tools by tag, in no order. */
  get tags(): ReadonlyMap<string, number> {
    return this.#tags.all;
  }

  get(id: string): StoredTool | undefined {
    return this.#tools.get(id);
  }

  /** Returns the ids of the tools with a backend on an MCP server, in no order. */
  idsOfServer(server: string): ReadonlySet<string> {
    return this.#byServer.get(server) ?? NO_IDS;
  }

  /** Yields all tools in order of id. */
  *inOrder(): Generator<StoredTool> {
    for (const id of this.#ids.all) yield this.#tools.get(id)!;
  }

  /** Yields the tools after an id, in order; all tools without an id. */
  *after(id: string | undefined): Generator<StoredTool> {
    const ids = this.#ids.all;
    for (let place = id === undefined ? 0 : this.#ids.placeAfter(id); place < ids.length; place++) {
      yield this.#tools.get(ids[place]!)!;
    }
  }

  /** Returns the model name of an existing tool. */
  modelNameOf(id: string): string {
    return this.#names.nameOf(id);
  }

  /** Finds the tool of an id or a model name; the id wins. */
  find(idOrName: string): StoredTool | undefined {
    const known = this.#tools.get(idOrName);
    if (known !== undefined) return known;
    // A model name has no colon.
    const id = parseToolId(idOrName)?.namespace === '' ? this.#names.idOf(idOrName) : undefined;
    return id === undefined ? undefined : this.#tools.get(id);
  }

  apply({ upserts, removals }: { upserts: readonly StoredTool[]; removals: readonly string[] }): void {
    const added = upserts.filter((tool) => !this.#tools.has(tool.id)).map((tool) => tool.id);
    const removed = removals.filter((id) => this.#tools.has(id));
    for (const id of removed) this.#count(this.#tools.get(id)!, -1);
    for (const tool of upserts) {
      const before = this.#tools.get(tool.id);
      if (before !== undefined) this.#count(before, -1);
      this.#count(tool, 1);
      this.#tools.set(tool.id, tool);
      if (before !== undefined && before.prefix !== tool.prefix) {
        this.#names.remove(tool.id);
        this.#names.add(tool.id, tool.prefix);
      }
    }
    for (const id of removed) {
      this.#tools.delete(id);
      this.#names.remove(id);
    }
    for (const id of added) this.#names.add(id, this.#tools.get(id)!.prefix);
    this.#ids.change(added, removed);
  }

  #count(tool: StoredTool, by: 1 | -1): void {
    this.#namespaces.add(tool.namespace, by);
    for (const tag of tool.tags) this.#tags.add(tag, by);
    for (const backend of tool.backends) {
      if (backend.kind === 'mcp') this.#note(backend.server, tool.id, by);
    }
  }

  #note(server: string, id: string, by: 1 | -1): void {
    const ids = this.#byServer.get(server) ?? new Set();
    if (by === 1) ids.add(id);
    else ids.delete(id);
    if (ids.size === 0) this.#byServer.delete(server);
    else this.#byServer.set(server, ids);
  }
}

const NO_IDS: ReadonlySet<string> = new Set();

/** Counts occurrences of texts; texts with a count of zero are not listed. */
class Counts {
  readonly all = new Map<string, number>();

  add(text: string, by: number): void {
    const count = (this.all.get(text) ?? 0) + by;
    if (count === 0) this.all.delete(text);
    else this.all.set(text, count);
  }
}

/** Above this many changed ids, one pass over all ids is cheaper than one move for each. */
const MAX_INSERTED_SINGLY = 32;

/**
 * Ids in order of their code units.
 *
 * A change of a few ids costs one search and one memory move each; a change of many costs one pass over all ids.
 */
class SortedIds {
  #ids: string[] = [];

  get size(): number {
    return this.#ids.length;
  }

  /** All ids; read-only, not a copy. */
  get all(): readonly string[] {
    return this.#ids;
  }

  /** Adds missing ids and removes present ones. */
  change(added: readonly string[], removed: readonly string[]): void {
    if (added.length + removed.length <= MAX_INSERTED_SINGLY) {
      for (const id of removed) this.#ids.splice(this.placeOf(id), 1);
      for (const id of added) this.#ids.splice(this.placeOf(id), 0, id);
      return;
    }
    const gone = new Set(removed);
    this.#ids = merge(
      this.#ids.filter((id) => !gone.has(id)),
      added.toSorted(),
    );
  }

  /** Returns the number of ids before this one, whether it is present or not. */
  placeOf(id: string): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the place of the first id after this one. */
  placeAfter(id: string): number {
    const place = this.placeOf(id);
    return this.#ids[place] === id ? place + 1 : place;
  }
}

function merge(left: readonly string[], right: readonly string[]): string[] {
  const merged: string[] = [];
  let at = 0;
  for (const id of left) {
    while (at < right.length && right[at]! < id) merged.push(right[at++]!);
    merged.push(id);
  }
  return merged.concat(right.slice(at));
}
