import {
  type ChangeFeed,
  type ChangePlace,
  RegistryFailure,
  type RegistryReader,
  type TouchedTool,
} from '@winnow/clients';
import type { ListedTool } from '@winnow/core';

/** A tool as lists have it. */
export function listed(id: string, description = `Handles ${id}.`): ListedTool {
  const [first, second] = id.split(':');
  const [namespace, name] = second === undefined ? [undefined, first!] : [first, second];
  return {
    id,
    tool_name: id.replace(':', '__'),
    name,
    summary: description,
    tags: [],
    ...(namespace !== undefined && { namespace }),
    definition: { name, description, inputSchema: { type: 'object' } },
  };
}

/** A registry in memory whose failures a test decides upon, behind the interface of its client. */
export class ScriptedRegistry implements RegistryReader {
  readonly tools = new Map<string, ListedTool>();
  /** The requests, in order. */
  readonly asked: string[] = [];
  epoch = 'first';
  sight = 'all';
  version = 0;
  /** The error of the next attempt to open a feed. */
  nextFailure: RegistryFailure | undefined;
  /** Whether all requests but the feed fail. */
  isDeaf = false;
  readonly #events: TouchedTool[] = [];
  #wake: (() => void) | undefined;
  #isBroken = false;

  /** Changes tools: those without a definition go. */
  change(...tools: readonly (ListedTool | string)[]): void {
    this.version += 1;
    for (const [index, tool] of tools.entries()) {
      const id = typeof tool === 'string' ? tool : tool.id;
      if (typeof tool === 'string') this.tools.delete(id);
      else this.tools.set(id, tool);
      this.#events.push({ version: this.version, index, id });
    }
    this.#wake?.();
  }

  /** Tells followers to look at everything again. */
  refresh(): void {
    this.version += 1;
    this.#events.push({ version: this.version, index: 0, id: undefined });
    this.#wake?.();
  }

  /** Breaks the feed off. */
  break(): void {
    this.#isBroken = true;
    this.#wake?.();
  }

  async openChanges(place: ChangePlace | undefined, signal: AbortSignal): Promise<ChangeFeed> {
    this.asked.push(
      place === undefined ? 'changes' : `changes since ${place.version}.${place.index ?? 'all'}`,
    );
    const failure = this.nextFailure;
    this.nextFailure = undefined;
    if (failure) throw failure;
    if (place !== undefined && place.epoch !== this.epoch)
      throw new RegistryFailure('stale', 'another epoch');
    this.#isBroken = false;
    const { version, epoch, sight } = this;
    return { version, epoch, sight, events: this.#follow(place, signal), close: () => {} };
  }

  async *list(): AsyncGenerator<readonly ListedTool[]> {
    this.asked.push('list');
    this.#answer();
    for (const tool of [...this.tools.values()]) yield [tool];
  }

  async expand(ids: readonly string[]): Promise<ReadonlyMap<string, ListedTool>> {
    this.asked.push(`expand ${[...ids].sort().join(' ')}`);
    this.#answer();
    return new Map(ids.flatMap((id) => (this.tools.has(id) ? [[id, this.tools.get(id)!]] : [])));
  }

  #answer(): void {
    if (this.isDeaf) throw new RegistryFailure('unreachable', 'ECONNREFUSED');
  }

  async *#follow(
    place: ChangePlace | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<readonly TouchedTool[]> {
    let [version, index] = [place?.version ?? this.version, place?.index ?? Number.POSITIVE_INFINITY];
    for (;;) {
      if (signal.aborted) return;
      if (this.#isBroken) throw new RegistryFailure('unreachable', 'ECONNRESET');
      const news = this.#events.filter(
        (event) => event.version > version || (event.version === version && event.index > index),
      );
      if (news.length > 0) {
        ({ version, index } = news.at(-1)!);
        yield news;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    }
  }
}
