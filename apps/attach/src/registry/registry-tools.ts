import type { FollowedTools } from '@winnow/clients';
import type { ListedTool } from '@winnow/core';
import type { OfferedTool } from '../letta/read-answers.ts';

/**
 * The tools of a registry that Letta may register: those on an MCP server, with the name of that server. Other
 * tools are only counted, because Letta could not call them.
 */
export class RegistryTools implements FollowedTools {
  readonly #byId = new Map<string, OfferedTool | undefined>();
  /** The tools of a server, in the order of their ids; undefined if they must be collected again. */
  #offered: readonly OfferedTool[] | undefined;

  get size(): number {
    return this.#byId.size;
  }

  /** The same array, with the same tools, until something changes. */
  offered(): readonly OfferedTool[] {
    this.#offered ??= [...this.#byId]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([, tool]) => tool ?? []);
    return this.#offered;
  }

  put(tools: readonly ListedTool[]): void {
    for (const tool of tools) this.#byId.set(tool.id, toOffered(tool));
    this.#offered = undefined;
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) this.#byId.delete(id);
    this.#offered = undefined;
  }

  keepOnly(ids: ReadonlySet<string>): void {
    this.remove([...this.#byId.keys()].filter((id) => !ids.has(id)));
  }

  clear(): void {
    this.#byId.clear();
    this.#offered = undefined;
  }

  /** This is cheap: the catalogue includes new tools at its next search. */
  prepare(): void {}

  /** Letta knows tools by the names that their servers give them: none changes with another one. */
  namedLike(id: string): readonly string[] {
    return [id];
  }
}

function toOffered({ name, server, summary, definition }: ListedTool): OfferedTool | undefined {
  if (server === undefined) return undefined;
  return {
    server,
    name,
    description: definition?.description ?? summary,
    inputSchema: definition?.inputSchema,
  };
}
